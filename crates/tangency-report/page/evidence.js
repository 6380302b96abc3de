// Evidence: how the bound rose, what it is made of, and how the fit stopped.
(function () {
  T.setUpEvidence = function () {
    T.on("tab", (tab) => { if (tab === "evidence") show(); });
    T.on("theme", () => { if (T.state.tab === "evidence") show(); });
    let width = 0;
    new ResizeObserver(([entry]) => {
      const now = Math.round(entry.contentRect.width);
      if (now && width && now !== width && T.state.tab === "evidence") show();
      width = now || width;
    }).observe(T.byId("panel-evidence"));
  };

  let everything = false; // show the first iterations too

  function show() {
    const panel = T.empty(T.byId("panel-evidence"));
    const { bound, raw } = T.report;
    panel.append(T.make("h2", { text: "How it stopped" }), T.make("p", { "data-test": "stop", text: raw.stop_words || raw.stop || "Not recorded." }));
    if (bound) panel.append(...history(bound));
    panel.append(...T.candidateCharts(), ...T.choiceCharts());
    panel.append(...T.comparisonCharts());
  }

  T.chartWidth = function (columns) {
    const room = (T.byId("panel-evidence").clientWidth || 800) - 28; // its padding
    const fit = Math.max(1, Math.min(columns, Math.floor(room / 290)));
    return Math.floor((room - 20 * (fit - 1)) / fit) - 2;
  };

  function history(bound) {
    const facts = [["bound", bound.final, 6], ["per point", bound.per_point, 5], ["in scaled units", bound.scaled, 6]].map(([name, value, digits]) =>
      [name, T.number(value, digits) + " nats"]);
    const list = T.make("dl", { class: "facts", "data-test": "bound-facts" }, facts.filter(([, v]) => !v.startsWith("–")).map(([k, v]) =>
      T.make("div", {}, T.make("dt", {}, T.termed(k)), T.make("dd", { text: v }))));
    const out = [T.make("h2", { text: "Bound" }), T.make("p", { class: "note" }, T.termed("How likely the model finds the table, at least, in nats. Higher is better, among fits of the same table.")), list];
    const count = bound.bound ? bound.bound.length : 0;
    if (count < 2) return [...out, T.make("p", { class: "note", text: "No history of the bound was kept." })];
    const x = Array.from({ length: count }, (_, t) => t + 1);
    const link = T.link();
    out.push(T.make("div", { class: "charts" }, boundChart(bound, x, link), partsChart(bound, x, link)));
    const clipped = clipStart(bound.bound);
    if (clipped !== null) out.push(clipBox());
    // what is 0 is not part of the model, and has no place on a logarithmic axis
    const learned = bound.hyperparameters.filter(({ values }) => values.every((value) => value > 0));
    if (learned.length) out.push(T.make("h2", { text: "Hyper-parameters" }), T.make("p", { class: "note",
      text: "In scaled units, on logarithmic axes. " + learned.map(({ name, label, about }) => `${name} (${label}): ${about}`).join(" ") }),
    T.make("div", { class: "charts" }, learned.map((line) => hyperChart(bound, line, x, link))));
    return out;
  }

  // The first steps can rise so far that all later ones look flat; then the axis leaves them out.
  function clipStart(values) {
    const from = Math.min(Math.ceil(values.length * 0.15), 10);
    if (values.length < 8) return null;
    const [low, high] = T.range(values.slice(from));
    const [lowest, highest] = T.range(values);
    return highest - lowest > 6 * (high - low) && high > low ? [low, high] : null;
  }

  function clipBox() {
    const box = T.make("input", { type: "checkbox", "data-test": "all-iterations" });
    box.checked = everything;
    box.addEventListener("change", () => {
      everything = box.checked;
      show();
      T.byId("panel-evidence").querySelector('[data-test="all-iterations"]')?.focus();
    });
    return T.make("label", { class: "line check" }, box, T.make("span", { text: "also the first, steep iterations" }));
  }

  const base = (bound, x, link) => ({ link, xTitle: "iteration", xWord: "iteration", whole: true, width: T.chartWidth(bound.parts.length ? 2 : 1), height: 240 });

  function boundChart(bound, x, link) {
    const yRange = everything ? null : clipStart(bound.bound);
    return T.lineChart({ ...base(bound, x, link), title: "bound, nats", test: "chart-bound", series: [{ name: "bound", x, y: bound.bound }], yRange });
  }

  function partsChart(bound, x, link) {
    if (!bound.parts.length) return null;
    const series = bound.parts.map(({ label, values }) => ({ name: label, x, y: values }));
    const ranges = everything ? [null] : series.map((s) => clipStart(s.y) || T.range(s.y));
    const yRange = everything ? null : T.range(ranges.flat());
    return T.lineChart({ ...base(bound, x, link), title: "its parts, nats", test: "chart-parts", series, yRange });
  }

  function hyperChart(bound, { name, values }, x, link) {
    return T.lineChart({ ...base(bound, x, link), width: T.chartWidth(4), height: 170, title: name, test: "chart-" + name, log: true,
      series: [{ name, x, y: values }] });
  }
})();
