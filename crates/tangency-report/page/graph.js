// Graph: edges on demand, the suspect ones with their evidence, and a refit without those that are removed here.
(function () {
  let parts = null;
  let which = "suspect"; // "none", "suspect" or "all"
  let active = -1; // the edge pointed at or chosen in the list
  const removed = new Set(); // edge numbers
  let suspects = null; // Set of edge numbers
  let tested = []; // edges that were tested alone and are not among them
  let tests = null; // "i,j" → {change, spread} of tests of one edge
  let bridges = null;
  const largeGraph = 15000; // edges
  let settling = 0; // a timer while the map moves

  T.removedEdges = () => [...removed].sort((a, b) => a - b).map(ends);
  T.edgesShownAs = () => which;

  const ends = (e) => [T.report.graph.edges[2 * e], T.report.graph.edges[2 * e + 1]];
  const name = (i, j) => (i < j ? i + "," + j : j + "," + i);
  const between = (i, j) => T.visible(T.id(i)) + " – " + T.visible(T.id(j));
  const open = () => T.state.tab === "graph";
  const size = () => T.report.graph.edges.length / 2;

  T.setUpGraph = function () {
    const panel = T.byId("panel-graph");
    const { graph } = T.report;
    panel.append(T.make("h2", { text: "Neighbourhood graph" }));
    if (!graph) return panel.append(T.make("p", { class: "note", "data-test": "graph-none", text: "The report holds no graph." }));
    suspects = new Set(graph.suspect);
    tests = new Map(graph.tests.filter((t) => t.removed.length === 1 && !(t.added || []).length).map((t) => [name(...t.removed[0]), t]));
    tested = tests.size ? Array.from({ length: size() }, (_, e) => e).filter((e) => tests.has(name(...ends(e))) && !suspects.has(e)) : [];
    bridges = new Set(graph.bridges.map(([i, j]) => name(i, j)));
    if (!graph.suspect.length) which = "all";
    parts = {
      show: T.make("select", { "data-test": "edges-show" }, [["none", "no edges"], ["suspect", "suspect edges"], ["all", "all edges"]].map(([value, text]) =>
        T.make("option", { value, text, selected: value === which }))),
      detail: T.make("div", { class: "edge-detail", "data-test": "edge-detail", "aria-live": "polite" }),
      list: T.make("div", { class: "rows tall", "data-test": "edge-list", tabindex: "0", role: "region", "aria-label": "Suspect edges" }),
      refit: T.make("div", { "data-test": "refit" }),
    };
    parts.show.addEventListener("change", () => { which = parts.show.value; T.drawLegend(); T.redraw(); });
    panel.append(T.make("p", {}, T.termed(summary(graph))), T.make("label", { class: "line" }, T.make("span", { text: "Draw" }), parts.show), parts.detail,
      T.make("h2", { text: "Suspect edges" }), parts.list, ...jointTests(graph), T.make("h2", { text: "Refit without them" }), parts.refit);
    panel.insertBefore(T.make("p", { class: "note", "data-test": "suspect-words" }, T.termed(suspectWords(graph))), parts.list);
    T.on("over", (x, y) => { if (open()) point(nearestEdge(x, y)); });
    T.on("clicked", (x, y, near) => { if (open() && near < 0) point(nearestEdge(x, y), true); });
    T.on("tab", (tab) => {
      if ((T.colouring.kind === "edges") !== (tab === "graph")) T.recolour();
      if (tab === "graph") showAll();
      T.redraw();
    });
    T.on("moved", moved);
    T.behind(draw);
    T.before(drawActive);
    showAll();
  };

  function summary(graph) {
    const count = graph.suspect.length;
    const words = [T.plural(size(), "edge"), count ? `${T.count(count)} ${count === 1 ? "stands" : "stand"} out as suspect` : "none stands out as suspect"];
    if (graph.bridges.length) words.push(T.plural(graph.bridges.length, "bridge") + " that joined pieces");
    if (graph.removed.length) words.push(T.plural(graph.removed.length, "edge") + " removed before this fit");
    return words.join("; ") + ".";
  }

  // What stands out is what pruning asks for.
  function suspectWords(graph) {
    const asked = graph.least_gain > 0 ? `more than ${T.number(graph.least_gain, 2)} nats, which is what ${T.inPython() ? "prune()" : "tangency prune"} asks for` : "enough";
    const words = [graph.suspect.length ? `Taking out one of these alone is expected to raise the bound by ${asked}.`
      : `None stands out: no edge's removal alone is expected to raise the bound by ${asked}.`,
    `In a folded map nothing may stand out: ${T.inPython() ? "tangency.prune(model)" : "tangency prune"} looks deeper.`];
    if (graph.tests.length) words.push("Where tested, the change of the bound without the edge is given in nats: above zero speaks against the edge.");
    return words.join(" ");
  }

  // ---- On the map.
  const marked = (e) => suspects.has(e) || (bridges.size > 0 && bridges.has(name(...ends(e))));

  function draw(context) {
    T.facts.edges = 0;
    if (!open() || !parts || which === "none") return;
    if (which === "all") lines(context, plainEdges(), T.style("--edge"), size() > 8000 ? 0.6 : 1);
    const { graph } = T.report;
    pairs(context, graph.removed, T.css(T.classColour(1)), [5, 4]);
    pairs(context, graph.bridges, T.ink(), [9, 3]);
    const list = graph.suspect.filter((e) => !removed.has(e));
    for (const e of [...list].reverse()) lines(context, [e], suspectColour(e), 3);
    context.setLineDash([4, 4]);
    lines(context, [...removed], T.style("--quiet"), 1.6);
    context.setLineDash([]);
  }

  // The edges in view that are neither marked nor removed; of very many an even part, smaller while the map moves.
  function plainEdges() {
    const list = [];
    const m = size();
    for (let e = 0; e < m; e++) if (visible(e) && !removed.has(e) && !marked(e)) list.push(e);
    const step = Math.ceil(list.length / (settling ? 8000 : 60000));
    return step > 1 ? list.filter((_, k) => k % step === 0) : list;
  }

  function visible(e) {
    const { x, y } = T.screen;
    const i = T.report.graph.edges[2 * e];
    const j = T.report.graph.edges[2 * e + 1];
    const { width, height } = T.view;
    return !((x[i] < 0 && x[j] < 0) || (y[i] < 0 && y[j] < 0) || (x[i] > width && x[j] > width) || (y[i] > height && y[j] > height));
  }

  // While the map moves, a part of a very large graph is enough.
  function moved() {
    if (size() <= largeGraph || which !== "all") return;
    clearTimeout(settling);
    settling = setTimeout(() => { settling = 0; T.redraw(); }, 180);
  }

  // The colours of marked edges, from yellow-orange to vermilion: by what taking them out should gain, or else by their score.
  T.suspectScale = function () {
    const { graph } = T.report;
    const strength = graph.gain || graph.scores;
    if (!strength || !graph.suspect.length) return null;
    const [low, high] = T.range(graph.suspect.map((s) => strength[s]));
    const [from, to] = [T.classColour(4), T.dark() ? [255, 96, 64] : [196, 50, 10]];
    return { low, high, strength, title: graph.gain ? "expected gain, nats" : "score", colour: (share) => from.map((v, c) => Math.round(v + share * (to[c] - v))) };
  };

  function suspectColour(e) {
    const scale = T.suspectScale();
    if (!scale) return T.css(T.classColour(1));
    return T.css(scale.colour(scale.high > scale.low ? (scale.strength[e] - scale.low) / (scale.high - scale.low) : 1));
  }

  function lines(context, list, colour, width) {
    const { x, y } = T.screen;
    const { edges } = T.report.graph;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    for (const e of list) {
      if (!visible(e)) continue;
      const i = edges[2 * e];
      const j = edges[2 * e + 1];
      context.moveTo(x[i], y[i]);
      context.lineTo(x[j], y[j]);
      T.facts.edges++;
    }
    context.stroke();
  }

  function pairs(context, list, colour, dash) {
    const { x, y } = T.screen;
    context.strokeStyle = colour;
    context.lineWidth = 1.8;
    context.setLineDash(dash);
    context.beginPath();
    for (const [i, j] of list) {
      context.moveTo(x[i], y[i]);
      context.lineTo(x[j], y[j]);
    }
    context.stroke();
    context.setLineDash([]);
  }

  function drawActive(context) {
    if (!open() || active < 0) return;
    lines(context, [active], T.css(T.pageColour()), 7);
    lines(context, [active], T.ink(), 3);
  }

  // The drawn edge nearest to a place, within a few pixels.
  function nearestEdge(px, py) {
    if (which === "none" || T.state.hovered >= 0) return -1;
    const { graph } = T.report;
    const { x, y } = T.screen;
    const list = which === "all" ? null : [...new Set([...graph.suspect, ...removed])];
    let [best, found] = [36, -1];
    for (let k = 0; k < (list ? list.length : size()); k++) {
      const e = list ? list[k] : k;
      if (!visible(e)) continue;
      const i = graph.edges[2 * e];
      const j = graph.edges[2 * e + 1];
      const dx = x[j] - x[i];
      const dy = y[j] - y[i];
      const t = Math.min(1, Math.max(0, ((px - x[i]) * dx + (py - y[i]) * dy) / (dx * dx + dy * dy || 1)));
      const far = (x[i] + t * dx - px) ** 2 + (y[i] + t * dy - py) ** 2;
      if (far < best || (far === best && suspects.has(e))) [best, found] = [far, e];
    }
    return found;
  }

  // ---- One edge.
  let held = false; // a click keeps an edge until the next one
  function point(e, hold = false) {
    if (held && !hold && e < 0) return;
    if (hold) held = e >= 0;
    if (e === active) return;
    active = e;
    showDetail();
    for (const row of parts.list.querySelectorAll("tr[data-edge]")) row.classList.toggle("on", Number(row.dataset.edge) === e);
    T.redrawFront();
  }

  function showDetail() {
    const box = T.empty(parts.detail);
    if (active < 0) return box.append(T.make("p", { class: "note", text: "Point at an edge to see it, click to keep it." }));
    const [i, j] = ends(active);
    const rows = figures(active).map(([word, text]) => T.make("tr", {}, T.make("th", { scope: "row" }, T.termed(word)), T.make("td", { text })));
    box.append(T.make("strong", { text: between(i, j) }), T.make("table", {}, rows), removeButton(active));
  }

  function figures(e) {
    const { scores, residual, resistance, gain } = T.report.graph;
    const rows = [];
    if (gain && Number.isFinite(gain[e])) rows.push(["expected gain without it", T.number(gain[e], 3) + " nats"]);
    if (scores) rows.push(["score", T.number(scores[e], 3)]);
    if (resistance) rows.push(["resistance", T.number(resistance[e], 3)]);
    if (residual) rows.push(["residual", T.number(residual[e], 3)]);
    const key = name(...ends(e));
    if (tests.has(key)) rows.push(["bound without it", changeText(tests.get(key))]);
    if (bridges.has(key)) rows.push(["kind", "bridge between pieces: distances across it are a guess"]);
    return rows;
  }

  const changeText = ({ change, spread }) => (change > 0 ? "+" : "") + T.withError(change, spread ?? NaN) + " nats";

  function removeButton(e) {
    const out = removed.has(e);
    return T.make("button", { type: "button", text: out ? "Restore" : "Remove", "data-test": "edge-toggle-" + e, class: out ? "small" : "small warn",
      "aria-label": (out ? "Restore " : "Remove ") + "edge " + between(...ends(e)), onclick: () => { toggle(e); } });
  }

  function toggle(e) {
    if (removed.has(e)) removed.delete(e);
    else removed.add(e);
    const focused = document.activeElement?.dataset?.test;
    showAll();
    T.redraw();
    if (focused) parts.list.querySelector(`[data-test="${focused}"]`)?.focus();
  }

  // ---- The list, and the tests of several edges together.
  function showAll() {
    if (!parts) return;
    if (open()) T.drawLegend();
    showDetail();
    showList();
    showRefit();
  }

  function showList() {
    const { graph } = T.report;
    const others = [...removed].filter((e) => !suspects.has(e) && !tested.includes(e));
    const list = [...graph.suspect, ...tested, ...others];
    const box = T.empty(parts.list);
    if (!list.length) return box.append(T.make("p", { class: "note", text: "Click on an edge of the map to remove it anyway." }));
    const withTests = list.some((e) => tests.has(name(...ends(e))));
    const head = ["edge", ...(graph.gain ? ["gain"] : graph.scores ? ["score"] : []), ...(graph.resistance ? ["resist."] : []), ...(withTests ? ["bound"] : []), ""];
    const scrolled = box.scrollTop;
    box.append(T.make("table", { class: "list" }, T.make("thead", {}, T.make("tr", {}, head.map((text) => T.make("th", { text, scope: "col" })))),
      T.make("tbody", {}, list.map((e) => listRow(e, withTests)))));
    box.scrollTop = scrolled;
  }

  function listRow(e, withTests) {
    const { graph } = T.report;
    const test = tests.get(name(...ends(e)));
    const strength = graph.gain || graph.scores;
    const go = T.make("button", { type: "button", class: "link", text: between(...ends(e)), onclick: () => look(e) });
    const mark = T.svg("svg", { width: 10, height: 10, "aria-hidden": "true" },
      T.svg("line", { x1: 0, y1: 9, x2: 10, y2: 1, stroke: suspectColour(e), "stroke-width": 3 }));
    const looks = (removed.has(e) ? "out" : "") + (e === active ? " on" : "");
    return T.make("tr", { "data-edge": e, class: looks, onpointerenter: () => point(e), onpointerleave: () => { if (!held) point(-1); } },
      T.make("td", {}, suspects.has(e) ? mark : null, " ", go),
      strength ? T.make("td", { class: "figure", text: T.number(strength[e], 3) }) : null,
      graph.resistance ? T.make("td", { class: "figure", text: T.number(graph.resistance[e], 2) }) : null,
      withTests ? T.make("td", { class: "figure", text: test ? (test.change > 0 ? "+" : "") + T.number(test.change, 3) : "" }) : null,
      T.make("td", {}, removeButton(e)));
  }

  // Shows an edge on the map with room around it.
  function look(e) {
    const [i, j] = ends(e);
    held = false;
    T.project();
    const [x, y] = [(T.screen.x[i] + T.screen.x[j]) / 2, (T.screen.y[i] + T.screen.y[j]) / 2];
    const length = Math.hypot(T.screen.x[i] - T.screen.x[j], T.screen.y[i] - T.screen.y[j]);
    T.pan(T.view.width / 2 - x, T.view.height / 2 - y);
    T.zoom(Math.min(4, Math.max(0.2, (0.4 * Math.min(T.view.width, T.view.height)) / (length || 1))));
    point(e, true);
  }

  function jointTests(graph) {
    const joint = graph.tests.filter((t) => t.removed.length !== 1 || (t.added || []).length);
    if (!joint.length) return [];
    const words = (t) => [[t.removed, "without"], [t.added || [], "with"]].filter(([l]) => l.length).map(([l, w]) =>
      w + " " + (l.length > 4 ? T.plural(l.length, "edge") : l.map(([i, j]) => between(i, j)).join(", "))).join(", ");
    return [T.make("h2", { text: "Tested together" }), T.make("ul", { class: "tests", "data-test": "joint-tests" },
      joint.map((t) => T.make("li", { text: words(t) + ": " + changeText(t) })))];
  }

  // ---- The refit.
  function pieces() {
    const parent = Int32Array.from({ length: T.report.fitted }, (_, i) => i);
    const root = (i) => {
      while (parent[i] !== i) i = parent[i] = parent[parent[i]];
      return i;
    };
    for (let e = 0; e < size(); e++) if (!removed.has(e)) parent[root(ends(e)[0])] = root(ends(e)[1]);
    return parent.reduce((count, p, i) => count + (p === i), 0);
  }

  // Row numbers of the table from 0, as `--edges` reads them.
  T.keptEdges = function () {
    const row = (i) => (T.report.graph.rows ? T.report.graph.rows[i] : i);
    const lines = ["i,j"];
    for (let e = 0; e < size(); e++) if (!removed.has(e)) lines.push(ends(e).map(row).join(","));
    return lines.join("\n") + "\n";
  };

  T.refitCommand = () => T.report.graph?.refit || "";

  function showRefit() {
    const box = T.empty(parts.refit);
    const word = T.inPython() ? "call" : "command";
    if (!removed.size) return box.append(T.make("p", { class: "note", text: "Remove edges above (or click on one in the map); then the " + word + " stands here." }));
    const command = T.refitCommand();
    const file = (command.match(/--edges[ =](\S+)/) || [])[1] || "kept.csv";
    const copy = T.make("button", { type: "button", text: "Copy the " + word, "data-test": "copy-refit", onclick: () => T.copy(command, copy) });
    const count = pieces();
    box.append(T.make("p", { "data-test": "removed-count", text: `${T.plural(removed.size, "edge")} removed, ${T.plural(size() - removed.size, "edge")} kept. ` +
      `Save the kept ones as ${file} where you run the ${word}.` }));
    if (count > 1) box.append(T.make("p", { class: "far", "data-test": "pieces",
      text: `The graph would fall into ${count} pieces, and the model needs one: restore an edge, or add ${T.inPython() ? "connect=True" : "--connect"}.` }));
    box.append(T.make("div", { class: "buttons" },
      T.make("button", { type: "button", text: "Save " + (file.length < 20 ? file : "the edges"), "data-test": "save-edges",
        onclick: () => T.download(file.split(/[\\/]/).pop().replace(/['"]/g, ""), T.keptEdges()) }),
      copy, T.make("button", { type: "button", text: "Restore all", "data-test": "restore-all", onclick: () => { removed.clear(); showAll(); T.redraw(); } })),
    T.make("code", { class: "block", text: command, "data-test": "refit-command", tabindex: "0" }));
  }
})();
