// The data of the report: decoded once, and asked for by row.
(function () {
  const kinds = { f32: Float32Array, u32: Uint32Array, u8: Uint8Array };

  // {"f32": base64, "shape": […]} → typed array; anything else stays as it is.
  function decode(object) {
    if (!object || typeof object !== "object") return object || null;
    for (const [key, Kind] of Object.entries(kinds)) {
      if (typeof object[key] === "string") return new Kind(bytes(object[key]).buffer);
    }
    return object;
  }

  function bytes(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const letters = atob(text);
    const out = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) out[i] = letters.charCodeAt(i);
    return out;
  }

  T.load = function () {
    const raw = JSON.parse(T.byId("tangency-data").textContent);
    T.byId("tangency-data").remove(); // the text is large and no longer needed
    const d = raw.n_components;
    const n = raw.n_points + (raw.n_new || 0);
    const features = raw.features || { names: [], values: null };
    const report = {
      raw, d, n, axisNames: raw.axes, reach: raw.reach, fitted: raw.n_points, added: raw.n_new || 0,
      x: decode(raw.coordinates), // [n, d]
      covariance: decode(raw.covariances), // [n, d(d+1)/2]
      labelNumbers: decode(raw.label_numbers),
      novelty: decode(raw.novelty), density: decode(raw.density), logDensity: decode(raw.log_density),
      names: features.names || [], values: decode(features.values), valuesLeftOut: features.values_left_out || null,
      directions: readDirections(features.directions), low: features.min, high: features.max, mean: features.mean, std: features.std,
      views: features.views || [], image: raw.image || null,
      model: readModel(raw.model), graph: readGraph(raw.graph), bound: readBound(raw.bound),
      remark: raw.remark || "",
      comparisons: (raw.comparisons || []).map((c) => ({ name: c.name, note: c.note || "", x: decode(c.coordinates) })),
      selection: raw.selection || null,
    };
    report.classes = findClasses(raw.labels, n);
    report.carried = (raw.carried || []).map(({ name, cells, shares }) => {
      const numbers = asNumbers(cells);
      return { name, cells, shares, numbers, classes: numbers ? null : findClasses(cells, n) };
    });
    report.uncertainty = report.covariance ? shareOfSpread(report) : null;
    T.report = report;
  };

  // Cells as numbers, if all that are there are some.
  function asNumbers(cells) {
    const numbers = Float32Array.from(cells, (cell) => (cell.trim() === "" ? NaN : Number(cell)));
    return numbers.some(Number.isFinite) && cells.every((cell, i) => cell.trim() === "" || Number.isFinite(numbers[i])) ? numbers : null;
  }

  const readDirections = (found) => (found ? { ...found, weights: decode(found.weights) } : null);

  function readModel(model) {
    if (!model) return null;
    const { mean, deviation, standard, deviations } = model.loadings;
    return { ...model, maps: decode(model.maps), variance: decode(model.map_variance), draws: decode(model.map_draws),
      loadings: { mean: decode(mean), deviation: decode(deviation), standard: decode(standard), deviations } };
  }

  function readGraph(graph) {
    if (!graph || !graph.edges) return null;
    return {
      ...graph, edges: decode(graph.edges), scores: decode(graph.scores), residual: decode(graph.residual),
      resistance: decode(graph.resistance), gain: decode(graph.expected_gain), suspect: graph.suspect || [], tests: graph.tests || [], bridges: graph.bridges || [],
      removed: graph.removed || [], rows: decode(graph.rows),
    };
  }

  function readBound(bound) {
    if (!bound) return null;
    const lines = (list) => list.map((line) => ({ ...line, values: decode(line.values) })).filter((line) => line.values.length);
    return { ...bound, bound: decode(bound.bound), parts: lines(bound.parts), hyperparameters: lines(bound.hyperparameters) };
  }

  // Calls where the page was made from Python, commands otherwise.
  T.inPython = () => Boolean(T.report.raw.python);
  // What the labels are called, where they have a name.
  T.labelName = () => T.report.raw.label_name || "label";
  T.id = (i) => (T.report.raw.ids ? String(T.report.raw.ids[i]) : String(i));
  T.label = (i) => (T.report.raw.labels ? String(T.report.raw.labels[i] ?? "") : "");
  T.at = (i, a) => T.report.x[i * T.report.d + a];
  // of new rows there may be none
  T.value = (i, f) => T.report.values[i * T.report.names.length + f] ?? NaN;

  // The entry (a, b) of a point's covariance, of which the upper triangle is stored by rows.
  T.cov = function (i, a, b) {
    const d = T.report.d;
    if (a > b) [a, b] = [b, a];
    return T.report.covariance[(i * d * (d + 1)) / 2 + a * d - (a * (a - 1)) / 2 + (b - a)];
  };

  T.deviation = (i, a) => (T.report.covariance ? Math.sqrt(Math.max(0, T.cov(i, a, a))) : NaN);

  // The deviation of each point as a share of the spread of all, in per cent; both are root mean squares over the coordinates.
  function shareOfSpread({ n, d, x, covariance, fitted }) {
    const size = (d * (d + 1)) / 2;
    const mean = new Float64Array(d);
    for (let e = 0; e < fitted * d; e++) mean[e % d] += x[e] / fitted;
    let spread = 0;
    for (let e = 0; e < fitted * d; e++) spread += (x[e] - mean[e % d]) ** 2 / fitted;
    const out = new Float32Array(n);
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let a = 0, at = 0; a < d; at += d - a, a++) sum += covariance[i * size + at];
      out[i] = 100 * Math.sqrt(Math.max(0, sum) / (spread || 1));
    }
    return out;
  }

  const mostClasses = 24;

  // Labels as classes: {names, of: class of each row, counts}; rare ones share the last class, rows without a label are class 255.
  function findClasses(labels, n) {
    if (!labels) return null;
    const counts = new Map();
    for (let i = 0; i < n; i++) {
      const label = labels[i];
      if (label !== "" && label !== null && label !== undefined) counts.set(String(label), (counts.get(String(label)) || 0) + 1);
    }
    let names = [...counts.keys()];
    const distinct = names.length;
    const shared = distinct > mostClasses;
    if (shared) names = names.sort((a, b) => counts.get(b) - counts.get(a)).slice(0, mostClasses - 1);
    const collator = new Intl.Collator("en", { numeric: true });
    names.sort((a, b) => collator.compare(a, b));
    const number = new Map(names.map((name, k) => [name, k]));
    const of = new Uint8Array(n).fill(255);
    for (let i = 0; i < n; i++) {
      const name = String(labels[i] ?? "");
      if (name !== "") of[i] = number.has(name) ? number.get(name) : names.length;
    }
    if (shared) names.push((distinct - names.length) + " other labels");
    const total = new Array(names.length).fill(0);
    let unlabelled = 0;
    for (const k of of) if (k === 255) unlabelled++; else total[k]++;
    return { names, of, counts: total, distinct, unlabelled, shared };
  }
})();
