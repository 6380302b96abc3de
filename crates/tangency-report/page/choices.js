// What was left to the data and how it was found: neighbours, dimension, weight of the features; or the command that compares them.
(function () {
  T.choiceCharts = function () {
    const { raw, selection } = T.report;
    const { neighbors, dimension, features } = raw.choices || {};
    const out = [];
    const charts = [neighbors?.tried.length ? neighboursChart(neighbors) : null, dimension?.bounds.length ? dimensionChart(dimension) : null].filter(Boolean);
    if (charts.length) out.push(T.make("h2", { text: "Found from the table" }), T.make("div", { class: "charts" }, charts));
    if (features && features.tried.length > 1) out.push(...weights(features));
    if (!selection && raw.compare) out.push(...command(raw.compare));
    return out;
  };

  const shape = () => ({ width: T.chartWidth(2), height: 200, points: true });

  function neighboursChart({ tried, taken }) {
    const list = [...tried].sort((a, b) => a.n_neighbors - b.n_neighbors);
    return T.lineChart({ ...shape(), title: "neighbours: log-density of rows held out, nats behind the likeliest", test: "chart-neighbours",
      series: [{ name: "behind", x: list.map((t) => t.n_neighbors), y: list.map((t) => -t.behind), error: list.map((t) => t.error) }],
      xTicks: list.map((t) => ({ value: t.n_neighbors, text: String(t.n_neighbors) })), xTitle: "neighbours", xWord: "k =",
      note: `${taken} is the smallest within one standard error of the likeliest.` });
  }

  function dimensionChart({ bounds, taken }) {
    return T.lineChart({ ...shape(), title: "dimension: bound, nats", test: "chart-dimension",
      series: [{ name: "bound", x: bounds.map((b) => b.n_components), y: bounds.map((b) => b.bound) }],
      xTicks: bounds.map((b) => ({ value: b.n_components, text: String(b.n_components) })), xTitle: "dimension", xWord: "d =",
      note: `${taken} ${taken === 1 ? "is" : "are"} used by the map: the others had no spread.` });
  }

  function weights({ tried, taken }) {
    const name = ({ weight, from_start: own }) => (weight === null ? "the paper's model" : T.number(weight)) + (own ? " from the start itself" : "");
    const row = (one, k) => T.make("tr", { class: k === taken ? "on" : "" }, T.make("td", { text: name(one) + (k === taken ? " (taken)" : "") }),
      T.make("td", { class: "figure", text: one.trustworthiness.toFixed(4) }));
    return [T.make("h2", {}, T.termed("Weight of the features")), T.make("p", { class: "note" }, T.termed("The largest that keeps neighbourhoods is taken, by trustworthiness.")),
      T.make("div", { class: "rows narrow" }, T.make("table", { class: "list", "data-test": "weights" }, T.make("tbody", {}, tried.map(row))))];
  }

  function command(text) {
    const [word, page] = T.inPython() ? ["call", ""] : ["command", ", and makes a page of them"];
    const copy = T.make("button", { type: "button", text: "Copy the " + word, "data-test": "copy-compare", onclick: () => T.copy(text, copy) });
    return [T.make("h2", { text: "Graphs and dimensions" }), T.make("p", { text: `This page holds one graph and one dimension. This compares others, by rows held out${page}:` }),
      T.make("code", { class: "block", text, tabindex: "0", "data-test": "compare-command" }), T.make("div", { class: "buttons" }, copy)];
  }
})();
