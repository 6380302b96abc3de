// Starts everything: header, tabs, theme, and what a test may ask.
(function () {
  // ---- Theme.
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let styles = null; // colours of the style sheet, read once a theme

  T.dark = () => T.state.theme === "dark";

  T.style = function (name) {
    if (!styles[name]) styles[name] = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    return styles[name];
  };
  T.pageColour = () => (T.dark() ? [23, 26, 29] : [255, 255, 255]); // --stage of the style sheet
  T.ink = () => T.style("--ink");
  T.faded = () => (T.dark() ? [62, 67, 72] : [216, 219, 223]); // points that are not selected

  function setTheme(theme) {
    T.state.theme = theme;
    styles = {};
    document.documentElement.dataset.theme = theme;
    T.byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
    T.byId("theme").setAttribute("aria-label", "Change to " + (theme === "dark" ? "light" : "dark") + " colours");
    if (!T.colouring) return;
    T.recolour();
    T.announce("theme");
  }

  // ---- Header.
  function fillHeader() {
    const { raw } = T.report;
    T.byId("title").textContent = raw.title || "tangency report";
    const warnings = raw.warnings || [];
    T.byId("warnings").hidden = !warnings.length;
    T.byId("warnings").append(...warnings.map((text) => T.make("li", { text })));
    const facts = [...(raw.facts || [])];
    if (raw.version && !facts.some(([name]) => name === "version")) facts.push(["version", "tangency " + raw.version]);
    T.byId("facts").append(...facts.map(([name, text]) => T.make("div", {}, T.make("dt", {}, T.termed(name)), T.make("dd", {}, T.termed(text)))));
    T.byId("command-line").hidden = !raw.command;
    T.byId("command").textContent = raw.command || "";
    T.byId("copy-command").addEventListener("click", () => T.copy(raw.command, T.byId("copy-command")));
    const small = window.matchMedia("(max-width: 900px)");
    const fold = () => {
      T.byId("about-fit").open = !small.matches;
      T.byId("about").hidden = small.matches;
    };
    small.addEventListener("change", fold);
    fold();
    T.byId("about-ask").addEventListener("click", () => {
      T.byId("about").hidden = !T.byId("about").hidden;
      T.byId("about-ask").setAttribute("aria-expanded", String(!T.byId("about").hidden));
    });
  }

  // ---- Tabs.
  const tabs = [...document.querySelectorAll("[role=tab]")];

  function openTab(wanted) {
    const name = tabs.some((tab) => tab.dataset.tab === wanted) ? wanted : "map";
    T.state.tab = name;
    for (const tab of tabs) {
      const on = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
    }
    for (const panel of document.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== name;
    T.byId("workbench").hidden = name === "evidence";
    document.body.dataset.tab = name;
    T.tellAbout();
    T.state.hovered = -1;
    T.announce("hovered", -1);
    T.announce("tab", name);
    T.redraw();
  }

  T.openTab = openTab;

  function setUpTabs() {
    for (const tab of tabs) {
      tab.addEventListener("click", () => openTab(tab.dataset.tab));
      tab.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const ends = { Home: 0, End: tabs.length - 1 }[event.key];
        if (by === undefined && ends === undefined) return;
        event.preventDefault();
        const next = tabs[ends ?? (tabs.indexOf(tab) + by + tabs.length) % tabs.length];
        openTab(next.dataset.tab);
        next.focus();
      });
    }
  }

  // ---- Controls above the map.
  function setUpControls() {
    const colour = T.byId("colour-by");
    T.fillColourMenu(colour);
    colour.value = T.state.colourBy = T.defaultColour();
    colour.addEventListener("change", () => T.setColour(colour.value));
    const ellipses = T.byId("ellipses");
    ellipses.addEventListener("change", () => { T.state.ellipses = ellipses.value; T.redraw(); });
    T.byId("theme").addEventListener("click", () => setTheme(T.dark() ? "light" : "dark"));
    system.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
    if (T.report.d > 2 || T.canBeMeasured()) setUpAxes();
  }

  function setUpAxes() {
    const { d, axisNames } = T.report;
    const select = T.byId("axes");
    const option = (value, text) => T.make("option", { value, text });
    T.byId("axes-choice").hidden = false;
    if (d < 4) select.append(option("map", d === 3 ? "all three" : axisNames.join(" and ")));
    if (d > 2) for (let a = 0; a < d; a++) for (let b = a + 1; b < d; b++) select.append(option(a + "," + b, axisNames[a] + " and " + axisNames[b]));
    if (T.canBeMeasured()) select.append(option("measured", "as measured: " + (T.report.directions ? `three widest directions (${T.percent(T.measuredShare())} of the variance)` : T.measuredNames().join(", "))));
    select.addEventListener("change", () => {
      T.forgetOrder();
      T.setAxes(select.value);
      T.tellAbout();
    });
  }

  // ---- What a test may ask. Nothing here changes the page.
  function tellTests() {
    const box = () => T.byId("layer-front").getBoundingClientRect();
    const fact = (name) => ({ get: () => (Array.isArray(T.facts[name]) ? [...T.facts[name]] : T.facts[name]), enumerable: true });
    const state = (name) => ({ get: () => T.state[name], enumerable: true });
    const call = (value) => ({ value, enumerable: true });
    const idOf = (i) => (i < 0 ? null : T.id(i));
    window.tangencyReport = Object.freeze(Object.defineProperties({}, {
      pointsDrawn: fact("pointsDrawn"), frames: fact("frames"), frameTimes: fact("frameTimes"), drawTimes: fact("drawTimes"),
      firstPicture: fact("firstPicture"), ellipsesShown: fact("ellipses"), edgesShown: fact("edges"), arrowsShown: fact("arrows"), namesShown: fact("names"),
      colourBy: state("colourBy"), theme: state("theme"), tab: state("tab"), mode: state("mode"), selectedCount: state("chosenCount"),
      view: { get: () => ({ kind: T.view.kind, source: T.view.source, axes: [...T.view.axes], centre: [...T.view.centre], scale: T.view.scale, turn: T.view.turn.map((r) => [...r]),
        zoom: T.view.scale / T.view.home.scale, width: T.view.width, height: T.view.height }), enumerable: true },
      hovered: call(() => idOf(T.state.hovered)), picked: call(() => idOf(T.state.picked)),
      selectedIds: call(() => T.chosenRows().map(T.id)), selectionCsv: call(T.selectionCsv),
      differences: call(() => T.differences().map(({ name, inside, outside, difference }) => ({ name, inside, outside, difference }))), fragment: call(T.fragment),
      removedEdges: call(T.removedEdges), keptEdges: call(T.keptEdges), refitCommand: call(T.refitCommand), reconstruction: call(T.explored),
      screenOf: call((i) => ({ x: box().left + T.screen.x[i], y: box().top + T.screen.y[i] })),
    }));
  }

  // Says in the page what went wrong, instead of leaving it blank.
  function failed(error) {
    document.querySelector("main").prepend(T.make("p", { class: "far", "data-test": "failed", text: "The report could not be shown: " + error.message }));
    throw error;
  }

  function start() {
    T.load();
    setTheme(system.matches ? "dark" : "light");
    T.setUpWords();
    fillHeader();
    T.setUpView();
    setUpControls();
    T.recolour();
    setUpTabs();
    T.setUpCard();
    T.setUpGestures();
    T.setUpSelection();
    T.setUpApart();
    T.setUpKeep();
    T.setUpPicture();
    T.setUpColourings();
    T.setUpSearch();
    for (const panel of document.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== "map";
    T.setUpMap();
    T.setUpExplore();
    T.setUpLoadings();
    T.setUpGraph();
    T.setUpEvidence();
    tellTests();
    T.follow(location.hash);
  }

  try {
    start();
  } catch (error) {
    failed(error);
  }
})();
