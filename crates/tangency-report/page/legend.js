// The legend below the map: classes, a scale, or kinds of edges.
(function () {
  T.drawLegend = function () {
    const legend = T.empty(T.byId("legend"));
    const colouring = T.colouring;
    if (colouring.kind === "edges") return legend.append(...edgeEntries());
    if (colouring.kind === "classes") legend.append(...classEntries());
    else if (colouring.kind === "number") legend.append(colourBar(colouring));
    else if (colouring.kind === "kind") {
      legend.append(entry(T.classColour(0), 0, false, "fitted", T.report.fitted, (i) => i < T.report.fitted));
      legend.append(entry(T.classColour(1), 0, true, "new", T.report.added, (i) => i >= T.report.fitted));
    }
    if (T.report.added && colouring.kind !== "kind") {
      const [r, g, b] = T.dark() ? [200, 205, 210] : [70, 74, 80];
      legend.append(T.make("span", { class: "key" }, sign([r, g, b], 0, false), "fitted"), T.make("span", { class: "key" }, sign([r, g, b], 0, true), "new"));
    }
  };

  function classEntries() {
    const { names, counts, of, unlabelled } = T.colouring.classes;
    const entries = names.map((name, k) => entry(T.classColour(k), T.classShape(k), false, name, counts[k], (i) => of[i] === k));
    if (unlabelled) entries.push(entry(T.missingColour, 0, false, "no label", unlabelled, (i) => of[i] === 255));
    return entries;
  }

  // A click on a class selects it, a second one lets it go.
  function entry(rgb, shape, hollow, name, count, member) {
    return T.make("button", {
      type: "button", class: "key", "data-test": "legend-class", title: "Select these " + T.plural(count, "point"),
      onclick: (event) => {
        const again = T.state.chosenBy === name;
        if (again) T.clearSelection();
        else T.select(member, event.shiftKey || event.ctrlKey || event.metaKey);
        T.state.chosenBy = again ? null : name;
      },
    }, sign(rgb, shape, hollow), T.make("span", { class: "key-name", text: T.visible(name) }), T.make("span", { class: "key-count", text: T.count(count) }));
  }

  function sign(rgb, shape, hollow) {
    const paint = hollow ? { fill: "none", stroke: T.css(rgb), "stroke-width": 1.6 } : { fill: T.css(rgb) };
    const shapes = [
      () => T.svg("circle", { cx: 6, cy: 6, r: hollow ? 3.6 : 5, ...paint }), () => T.svg("rect", { x: 1.5, y: 1.5, width: 9, height: 9, ...paint }),
      () => T.svg("polygon", { points: "6,0.5 11.5,10.5 0.5,10.5", ...paint })];
    return T.svg("svg", { width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true" }, shapes[shape]());
  }

  // ---- Edges: how the marked ones are coloured, and which line is which.
  function edgeEntries() {
    const { graph } = T.report;
    const which = T.edgesShownAs();
    if (which === "none") return [T.make("span", { class: "note", text: "no edges are drawn" })];
    const line = (stroke, dash, width, text) => T.make("span", { class: "key" }, T.svg("svg", { width: 26, height: 8, "aria-hidden": "true" },
      T.svg("line", { x1: 0, x2: 26, y1: 4, y2: 4, stroke, "stroke-width": width, "stroke-dasharray": dash })), T.make("span", {}, T.termed(text)));
    const count = (list, text) => T.count(list.length) + " " + text;
    const out = [];
    const scale = T.suspectScale();
    if (scale) {
      const bar = T.make("canvas", { width: 64, height: 1, class: "bar", "aria-hidden": "true" });
      const context = bar.getContext("2d");
      for (let s = 0; s < 64; s++) {
        context.fillStyle = T.css(scale.colour(s / 63));
        context.fillRect(s, 0, 1, 1);
      }
      out.push(T.make("div", { class: "edge-scale", "data-test": "edge-scale" }, T.make("span", {}, T.termed("suspect, by " + scale.title)), T.make("span", { text: T.number(scale.low, 3) }), bar,
        T.make("span", { text: T.number(scale.high, 3) })));
    }
    if (which === "all") out.push(line(T.style("--edge"), "", 1.6, "edge"));
    if (graph.bridges.length) out.push(line(T.ink(), "9 3", 1.8, count(graph.bridges, graph.bridges.length > 1 ? "bridges" : "bridge")));
    if (graph.removed.length) out.push(line(T.css(T.classColour(1)), "5 4", 1.8, count(graph.removed, "removed before this fit")));
    if (T.removedEdges().length) out.push(line(T.style("--quiet"), "4 4", 1.6, count(T.removedEdges(), "taken out here")));
    return out;
  }

  function colourBar({ from, to, below, above, title, values, own }) {
    const bar = T.make("canvas", { width: 256, height: 1, class: "bar", "aria-hidden": "true" });
    const context = bar.getContext("2d");
    for (let s = 0; s < 256; s++) {
      context.fillStyle = T.css(T.continuous(s / 255));
      context.fillRect(s, 0, 1, 1);
    }
    const scale = T.make("div", { class: "bar-scale" });
    if (to > from) {
      for (const { value, text } of T.ticks(from, to, 6)) {
        const share = (value - from) / (to - from);
        const tick = T.make("span", { class: share < 0.08 ? "first" : share > 0.92 ? "last" : "", text });
        tick.style.left = (100 * share).toFixed(2) + "%";
        scale.append(tick);
      }
    } else scale.append(T.make("span", { text: Number.isFinite(from) ? T.number(from) : "no values", class: "first" }));
    const remark = below || above ? T.make("span", { class: "note", text: "farther values have the colour of the end" }) : null;
    const missingCount = values.reduce((count, v) => count + !Number.isFinite(v), 0);
    const gaps = missingCount ? T.make("span", { class: "key" }, sign(T.missingColour, 0, false), "no value") : null;
    return T.make("div", { class: "bar-box" }, T.make("div", { class: "bar-title" }, own ? title : T.termed(title)),
      T.make("div", { class: "bar-body" }, bar, scale), remark, gaps);
  }
})();
