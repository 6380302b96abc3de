// The candidates of `select`: a heat map of graph and dimension, and the bound as lines with error bars.
(function () {
  T.candidateCharts = function () {
    const { selection } = T.report;
    if (!selection || !selection.candidates.length) return [];
    const best = selection.best === null || selection.best === undefined ? null : selection.candidates[selection.best];
    return [T.make("h2", { text: "Graphs and dimensions compared" }),
      T.make("p", { "data-test": "best", text: best ? bestWords(best, selection) : "None of them could be fitted." }),
      heatMap(selection, best), lines(selection),
      T.make("p", { class: "note", text: "Fewer edges raise the bound by themselves on clean data, so the best number of neighbours tends to be " +
        "the smallest that keeps the graph in one piece; the dimension at a given graph is a real choice." })].filter(Boolean); // no lines without a fit
  };

  const described = (c) => `${c.name} in ${T.plural(c.n_components, "dimension")}`;

  function bestWords(best, { candidates, equal }) {
    const words = `Best: ${described(best)}, bound ${T.withError(best.mean, best.deviation)} over ${T.plural(best.count, "seed")}.`;
    const close = candidates.filter((c) => c.equal_to_best);
    if (!close.length) return words;
    const near = `within ${T.plural(equal.nats, "nat")} or ${T.plural(equal.spreads, "spread")} over seeds`;
    const who = close.slice(0, 3).map(described).join("; ") + (close.length > 3 ? "; …" : "");
    return words + (close.length === 1 ? ` ${who} is ${near}: take the two as equal.` : ` ${close.length} others are ${near} (${who}): take them as equal.`);
  }

  const graphsOf = (candidates) => [...new Set(candidates.map((c) => c.name))];
  const dimensionsOf = (candidates) => [...new Set(candidates.map((c) => c.n_components))].sort((a, b) => a - b);

  // A table, so that it can be read by keyboard and aloud; colours are those of the map.
  function heatMap({ candidates }, best) {
    const graphs = graphsOf(candidates);
    const [low, high] = T.range(candidates.map((c) => c.mean).filter((v) => v !== null));
    const find = (graph, d) => candidates.find((c) => c.name === graph && c.n_components === d);
    const head = T.make("tr", {}, T.make("th", { text: "" }), graphs.map((text) => T.make("th", { text, scope: "col" })));
    const rows = dimensionsOf(candidates).map((d) => T.make("tr", {}, T.make("th", { text: "d = " + d, scope: "row" }),
      graphs.map((graph) => cell(find(graph, d), low, high, best))));
    return T.make("div", { class: "rows wide", tabindex: "0", role: "region", "aria-label": "Bound of each candidate" },
      T.make("table", { class: "heat", "data-test": "heat" }, T.make("thead", {}, head), T.make("tbody", {}, rows)));
  }

  function cell(candidate, low, high, best) {
    if (!candidate) return T.make("td", { text: "" });
    const box = T.make("td", { class: candidate === best ? "best" : "", title: tip(candidate) });
    if (candidate.mean === null || candidate.mean === undefined) {
      box.textContent = candidate.pieces > 1 ? candidate.pieces + " pieces" : candidate.collapsed ? "collapsed" : "failed";
      box.classList.add("none");
      return box;
    }
    const rgb = T.continuous(high > low ? (candidate.mean - low) / (high - low) : 1);
    box.style.background = T.css(rgb);
    box.style.color = 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2] > 130 ? "#111" : "#fff";
    box.textContent = T.number(candidate.mean, 4) + (candidate.collapsed || candidate.failed ? "*" : "");
    return box;
  }

  function tip(c) {
    const words = [`${c.name}, d = ${c.n_components}: ${T.withError(c.mean, c.deviation)} over ${T.plural(c.count, "seed")}`];
    for (const key of ["raced", "collapsed", "failed"]) if (c[key]) words.push(`${c[key]} ${key}`);
    return words.join("; ");
  }

  // Against the number of neighbours where all have one, else in the order of the table.
  function lines({ candidates }) {
    const fitted = candidates.filter((c) => c.mean !== null && c.mean !== undefined);
    if (!fitted.length) return null;
    const graphs = graphsOf(candidates);
    const numbered = candidates.every((c) => c.n_neighbors !== null && c.n_neighbors !== undefined) && new Set(candidates.map((c) => c.graph)).size === 1;
    const place = (c) => (numbered ? c.n_neighbors : graphs.indexOf(c.name));
    const neighbours = (graph) => candidates.find((c) => c.name === graph).n_neighbors;
    const ticks = graphs.map((text, k) => (numbered ? { value: neighbours(text), text: String(neighbours(text)) } : { value: k, text }));
    const every = Math.ceil(ticks.length / Math.max(2, T.chartWidth(1) / (numbered ? 40 : 90)));
    const series = dimensionsOf(fitted).map((d) => {
      const list = fitted.filter((c) => c.n_components === d).sort((a, b) => place(a) - place(b));
      return { name: "d = " + d, x: list.map(place), y: list.map((c) => c.mean), error: list.map((c) => c.deviation || 0) };
    });
    return T.lineChart({ title: "bound, mean over seeds", test: "chart-candidates", series, width: Math.min(720, T.chartWidth(1)), height: 260, points: true,
      xTicks: ticks.filter((_, k) => k % every === 0), xTitle: numbered ? "neighbours" : "graph", xWord: numbered ? "k =" : "graph" });
  }
})();
