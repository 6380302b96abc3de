// The candidates of `select`: a heat map of graph and dimension, and lines with error bars of what ranks them: the density of rows held out, or the bound.
(function () {
  T.candidateCharts = function () {
    const { selection } = T.report;
    if (!selection || !selection.candidates.length) return [];
    const best = selection.best === null || selection.best === undefined ? null : selection.candidates[selection.best];
    const heldOut = selection.by === "held-out";
    return [T.make("h2", { text: "Graphs and dimensions compared" }),
      T.make("p", { "data-test": "best", text: best ? bestWords(best, selection) : "None of them could be fitted." }),
      heatMap(selection, best), lines(selection),
      T.make("p", { class: "note", text: heldOut ? "Each fit has not seen the rows that it is judged by, so that numbers of neighbours can be compared. Of the candidates within one " +
        "standard error of the likeliest the one with the fewest dimensions is taken." : "Fewer edges raise the bound by themselves on clean data, so the best number of neighbours tends to be " +
        "the smallest that keeps the graph in one piece; the dimension at a given graph is a real choice." })].filter(Boolean); // no lines without a fit
  };

  // what ranks a candidate, and how sure that is
  const worth = (c) => (c.held_out ? c.held_out.mean : T.report.selection.by === "held-out" ? null : c.mean);
  const error = (c) => (c.held_out ? c.held_out.error : c.deviation);
  const known = (c) => worth(c) !== null && worth(c) !== undefined;

  const described = (c) => `${c.name} in ${T.plural(c.n_components, "dimension")}`;

  function bestWords(best, { candidates, equal }) {
    const bound = `bound ${T.withError(best.mean, best.deviation)} over ${T.plural(best.count, "seed")}`;
    const held = best.held_out;
    const words = held ? `Best: ${described(best)}, log-density ${T.number(held.mean, 4)} nats per row of ${held.rows} rows held out (${bound}).` :
      `Best: ${described(best)}, ${bound}.`;
    const close = candidates.filter((c) => c.equal_to_best);
    if (!close.length) return words;
    const near = held ? "within one standard error" : `within ${T.plural(equal.nats, "nat")} or ${T.plural(equal.spreads, "spread")} over seeds`;
    const who = close.slice(0, 3).map(described).join("; ") + (close.length > 3 ? "; …" : "");
    return words + (close.length === 1 ? ` ${who} is ${near}: take the two as equal.` : ` ${close.length} others are ${near} (${who}): take them as equal.`);
  }

  const graphsOf = (candidates) => [...new Set(candidates.map((c) => c.name))];
  const dimensionsOf = (candidates) => [...new Set(candidates.map((c) => c.n_components))].sort((a, b) => a - b);

  // A table, so that it can be read by keyboard and aloud; colours are those of the map.
  function heatMap({ candidates }, best) {
    const graphs = graphsOf(candidates);
    const [low, high] = T.range(candidates.filter(known).map(worth));
    const find = (graph, d) => candidates.find((c) => c.name === graph && c.n_components === d);
    const head = T.make("tr", {}, T.make("th", { text: "" }), graphs.map((text) => T.make("th", { text, scope: "col" })));
    const rows = dimensionsOf(candidates).map((d) => T.make("tr", {}, T.make("th", { text: "d = " + d, scope: "row" }),
      graphs.map((graph) => cell(find(graph, d), low, high, best))));
    return T.make("div", { class: "rows wide", tabindex: "0", role: "region", "aria-label": "What ranks each candidate" },
      T.make("table", { class: "heat", "data-test": "heat" }, T.make("thead", {}, head), T.make("tbody", {}, rows)));
  }

  function cell(candidate, low, high, best) {
    if (!candidate) return T.make("td", { text: "" });
    const box = T.make("td", { class: candidate === best ? "best" : "", title: tip(candidate) });
    if (!known(candidate)) {
      box.textContent = candidate.pieces > 1 ? candidate.pieces + " pieces" : candidate.collapsed ? "collapsed" : "failed";
      box.classList.add("none");
      return box;
    }
    const rgb = T.continuous(high > low ? (worth(candidate) - low) / (high - low) : 1);
    box.style.background = T.css(rgb);
    box.style.color = 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2] > 130 ? "#111" : "#fff";
    box.textContent = T.number(worth(candidate), 4) + (candidate.collapsed || candidate.failed ? "*" : "");
    return box;
  }

  function tip(c) {
    const words = [`${c.name}, d = ${c.n_components}: ${T.withError(c.mean, c.deviation)} over ${T.plural(c.count, "seed")}`];
    if (c.held_out) words.unshift(`log-density ${T.withError(c.held_out.mean, c.held_out.error)} of ${c.held_out.rows} rows held out`);
    for (const key of ["raced", "collapsed", "failed"]) if (c[key]) words.push(`${c[key]} ${key}`);
    return words.join("; ");
  }

  // Against the number of neighbours where all have one, else in the order of the table.
  function lines({ candidates }) {
    const fitted = candidates.filter(known);
    if (!fitted.length) return null;
    const graphs = graphsOf(candidates);
    const numbered = candidates.every((c) => c.n_neighbors !== null && c.n_neighbors !== undefined) && new Set(candidates.map((c) => c.graph)).size === 1;
    const place = (c) => (numbered ? c.n_neighbors : graphs.indexOf(c.name));
    const neighbours = (graph) => candidates.find((c) => c.name === graph).n_neighbors;
    const ticks = graphs.map((text, k) => (numbered ? { value: neighbours(text), text: String(neighbours(text)) } : { value: k, text }));
    const every = Math.ceil(ticks.length / Math.max(2, T.chartWidth(1) / (numbered ? 40 : 90)));
    const series = dimensionsOf(fitted).map((d) => {
      const list = fitted.filter((c) => c.n_components === d).sort((a, b) => place(a) - place(b));
      return { name: "d = " + d, x: list.map(place), y: list.map(worth), error: list.map((c) => error(c) || 0) };
    });
    return T.lineChart({ title: T.report.selection.by === "held-out" ? "log-density of rows held out, nats" : "bound, mean over seeds", test: "chart-candidates", series, width: Math.min(720, T.chartWidth(1)), height: 260, points: true,
      xTicks: ticks.filter((_, k) => k % every === 0), xTitle: numbered ? "neighbours" : "graph", xWord: numbered ? "k =" : "graph" });
  }
})();
