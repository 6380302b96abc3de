// Loadings: how each feature changes per unit of each coordinate, at a point or on average over the selection.
(function () {
  const [fewest, most] = [6, 15]; // bars of a chart
  let parts = null;
  let arrows = "none"; // "none", "point" or a feature's number as text
  let overAll = false; // whether all points are averaged where none is chosen

  T.setUpLoadings = function () {
    const panel = T.byId("panel-loadings");
    const { model } = T.report;
    if (!model || !model.maps) return panel.append(T.make("p", { class: "note", "data-test": "loadings-none", text: "The report holds no local maps." }));
    parts = {
      of: T.make("p", { "data-test": "loadings-of", "aria-live": "polite" }),
      all: T.make("input", { type: "checkbox", "data-test": "loadings-all" }),
      bars: T.make("p", { class: "note", "data-test": "loadings-bars" }),
      relative: T.make("input", { type: "checkbox", "data-test": "loadings-relative" }),
      arrows: T.make("select", { "data-test": "arrows" }),
      charts: T.make("div", { "data-test": "loadings-charts" }),
    };
    parts.relative.checked = true;
    parts.relative.addEventListener("change", show);
    parts.all.addEventListener("change", () => { overAll = parts.all.checked; show(); });
    fillArrowMenu();
    panel.append(parts.of, T.make("label", { class: "line check" }, parts.all, T.make("span", { text: "average over all where none is chosen" })),
      T.make("label", { class: "line check" }, parts.relative, T.make("span", { text: "in standard deviations (sd)" })),
      T.report.d > 1 ? T.make("label", { class: "line" }, T.make("span", { text: "Arrows" }), parts.arrows) : "", parts.charts,
      parts.bars);
    for (const event of ["picked", "selected", "theme"]) T.on(event, () => { if (open()) show(); });
    T.on("tab", (tab) => { if (tab === "loadings") show(); T.redraw(); });
    T.before(drawArrows);
  };

  const open = () => T.state.tab === "loadings";

  function fillArrowMenu() {
    const option = (value, text) => T.make("option", { value, text });
    parts.arrows.append(option("none", "none"), option("point", "strongest features at the point"));
    const group = T.make("optgroup", { label: "where a feature grows" });
    group.append(...T.report.names.map((name, f) => option(String(f), name)));
    parts.arrows.append(group);
    parts.arrows.addEventListener("change", () => {
      arrows = parts.arrows.value;
      T.redraw();
    });
  }

  // The fitted rows that are averaged, and how to call them. Only fitted rows have maps.
  function subject() {
    const { fitted } = T.report;
    const { picked, chosen } = T.state;
    if (picked >= 0 && picked < fitted) return { rows: [picked], words: "At point " + T.id(picked) };
    if (picked >= fitted) {
      const near = nearestFitted(picked);
      return { rows: [near], words: `At ${T.id(near)}, the fitted point nearest to the new row ${T.id(picked)}` };
    }
    const rows = chosen ? T.chosenRows().filter((i) => i < fitted) : [];
    if (rows.length) return { rows, words: "Average over the " + T.plural(rows.length, "fitted point") + " of the selection" };
    if (overAll) return { rows: Array.from({ length: fitted }, (_, i) => i), words: `Average over all ${T.plural(fitted, "fitted point")}` };
    const middle = nearestFittedTo(T.report.axisNames.map((_, a) => median(a)));
    return { rows: [middle], words: `At point ${T.id(middle)}, near the middle: click on another, or select several` };
  }

  const nearestFitted = (i) => nearestFittedTo(T.report.axisNames.map((_, a) => T.at(i, a)));

  function nearestFittedTo(place) {
    const { d, fitted } = T.report;
    let [best, row] = [Infinity, 0];
    for (let j = 0; j < fitted; j++) {
      let far = 0;
      for (let a = 0; a < d; a++) far += (place[a] - T.at(j, a)) ** 2;
      if (far < best) [best, row] = [far, j];
    }
    return row;
  }

  function median(a) {
    const values = Float64Array.from({ length: T.report.fitted }, (_, i) => T.at(i, a)).sort();
    return values[values.length >> 1];
  }

  // The factor that makes loadings of different features comparable: that of the data, or none.
  const unit = (f, a) => (parts.relative.checked ? T.report.model.loadings.standard[f * T.report.d + a] : 1);

  // Of all fitted rows they are in the data: [feature][coordinate].
  function loadings(rows) {
    const { model, names, d, fitted } = T.report;
    const { mean, deviation } = rows.length === fitted ? model.loadings : averaged(rows);
    return names.map((_, f) => Array.from({ length: d }, (_, a) => ({ value: mean[f * d + a] * unit(f, a), error: deviation[f * d + a] * unit(f, a) })));
  }

  function averaged(rows) {
    const { model, names, d } = T.report;
    const size = names.length;
    const mean = new Float64Array(size * d);
    for (const i of rows) for (let e = 0; e < size * d; e++) mean[e] += model.maps[i * size * d + e] / rows.length;
    const spread = Float64Array.from({ length: d }, (_, a) => spreadOfMean(rows, a));
    return { mean, deviation: Float64Array.from(mean, (_, e) => model.scale[Math.floor(e / d)] * spread[e % d]) };
  }

  // What the deviations are: the report says it of an average, and at one point they are its own.
  const kind = (rows) => {
    const { deviations } = T.report.model.loadings;
    return rows.length === 1 && deviations !== "independent" ? "exact" : deviations === "sampled" && !T.report.model.draws ? "limit" : deviations || "limit";
  };

  const barWords = {
    exact: "the standard deviation at this point",
    sampled: "the standard deviation of the average, from draws of all points together",
    independent: "a standard deviation as if points were independent of each other, which makes them too short",
    limit: "the most that the standard deviation of the average can be",
  };

  // The standard deviation of a column of the maps' mean over rows, in scaled units.
  function spreadOfMean(rows, a) {
    const { model, d, fitted } = T.report;
    const own = (i) => Math.max(0, model.variance[i * d + a]);
    const over = (of) => rows.reduce((sum, i) => sum + of(i), 0) / rows.length;
    switch (kind(rows)) {
      case "exact": return Math.sqrt(own(rows[0]));
      case "independent": return Math.sqrt(over(own) / rows.length);
      case "limit": return over((i) => Math.sqrt(own(i)));
    }
    const count = model.draws.length / (fitted * d);
    let sum = 0;
    for (let draw = 0; draw < count; draw++) sum += over((i) => model.draws[(i * d + a) * count + draw]) ** 2;
    return Math.sqrt(sum / count);
  }

  // Large ones first, but not those of which next to nothing is known.
  const clear = ({ value, error }) => (value === 0 ? 0 : value ** 2 / (Math.abs(value) + error));

  function show() {
    const { rows, words } = subject();
    const { names, axisNames, image } = T.report;
    parts.of.textContent = words + ".";
    parts.all.checked = overAll;
    const shown = rows.length === T.report.fitted ? T.report.model.loadings.deviations || "limit" : kind(rows);
    parts.bars.textContent = `Error bars reach ${T.report.reach} times ${barWords[shown]}.`;
    const all = loadings(rows);
    const width = Math.max(240, parts.charts.clientWidth || 300);
    T.empty(parts.charts);
    const { count, rowHeight } = room(axisNames.length, image ? 80 : 0);
    axisNames.forEach((axis, a) => {
      const order = names.map((_, f) => f).sort((f, g) => clear(all[g][a]) - clear(all[f][a])).slice(0, count);
      const bars = order.map((f) => ({ name: names[f], ...all[f][a] }));
      const title = (parts.relative.checked ? `along 1 sd of ${axis}` : `per unit of ${axis}`) + (names.length > count ? `, ${count} clearest of ${T.count(names.length)}` : "");
      const chart = T.barChart({ title, rows: bars, width, rowHeight, test: "loadings-" + axis, colour: T.seriesColour(0) });
      if (image) chart.insertBefore(loadingPicture(all, a, axis), chart.lastChild);
      parts.charts.append(chart);
    });
    T.redraw();
  }

  // How many bars each chart has and how high they are, for all to be seen at once in a panel that scrolls by itself.
  function room(charts, more) {
    const panel = parts.charts.closest(".panels");
    const wanted = Math.min(most, T.report.names.length);
    if (getComputedStyle(panel).overflowY !== "auto") return { count: wanted, rowHeight: 20 };
    const own = T.byId("panel-loadings");
    const free = (panel.clientHeight - 14 - own.offsetTop - own.offsetHeight) / charts - more - 52;
    const count = Math.max(fewest, Math.min(wanted, Math.floor(free / 12)));
    return { count, rowHeight: Math.max(12, Math.min(20, Math.floor(free / count))) };
  }

  // Pictures: blue pixels become darker along the coordinate, orange ones brighter.
  function loadingPicture(all, a, axis) {
    const reach = Math.max(...all.map((row) => Math.abs(row[a].value))) || 1;
    const canvas = T.make("canvas", { class: "picture", role: "img", "aria-label": "Change of the picture along " + axis });
    T.paint(canvas, (f) => all[f][a].value / reach, T.diverging);
    canvas.style.width = "72px";
    return T.make("div", { class: "loading-picture" }, canvas, T.make("span", { class: "note", text: "orange grows, blue falls along " + axis }));
  }

  // ---- Arrows on the map.
  function drawArrows(context) {
    T.facts.arrows = 0;
    if (!open() || arrows === "none" || T.view.kind === "strip" || T.view.source === "measured") return;
    if (arrows === "point") strongestAt(context);
    else field(context, Number(arrows));
  }

  // The row of the map C_i of one feature: the direction in the latent space in which it grows, as a step on the screen.
  function direction(i, f) {
    const { model, names, d } = T.report;
    const size = names.length;
    const row = Array.from({ length: d }, (_, a) => model.maps[(i * size + f) * d + a]);
    if (T.view.kind === "space") return T.view.turn.slice(0, 2).map((t, k) => (k ? -1 : 1) * t.reduce((sum, v, a) => sum + v * row[a], 0));
    return [row[T.view.axes[0]], -row[T.view.axes[1]]];
  }

  // One arrow for each cell of the screen, so that they do not cover each other.
  function field(context, f) {
    const { x, y } = T.screen;
    const cell = 34;
    const taken = new Map();
    let longest = 0;
    for (let i = 0; i < T.report.fitted; i++) {
      if (!(x[i] > 0 && y[i] > 0 && x[i] < T.view.width && y[i] < T.view.height)) continue;
      const key = Math.floor(x[i] / cell) * 1000 + Math.floor(y[i] / cell);
      if (taken.has(key)) continue;
      const [dx, dy] = direction(i, f);
      taken.set(key, [i, dx, dy]);
      longest = Math.max(longest, Math.hypot(dx, dy));
    }
    for (const [i, dx, dy] of taken.values()) {
      const length = Math.hypot(dx, dy);
      if (!(length > 0)) continue;
      const size = 8 + 22 * (length / longest);
      arrow(context, x[i], y[i], (dx / length) * size, (dy / length) * size);
      T.facts.arrows++;
    }
  }

  function strongestAt(context) {
    const i = T.state.picked >= T.report.fitted ? nearestFitted(T.state.picked) : T.state.picked;
    if (i < 0) return;
    const { names, std } = T.report;
    const size = (f) => (parts.relative.checked && std && std[f] > 0 ? std[f] : 1);
    const all = names.map((_, f) => [f, direction(i, f).map((v) => v / size(f))]).sort((p, q) => Math.hypot(...q[1]) - Math.hypot(...p[1])).slice(0, 5);
    const longest = Math.hypot(...all[0][1]) || 1;
    context.font = T.font(11, "600");
    for (const [f, [dx, dy]] of all) {
      const [ex, ey] = [(dx / longest) * 70, (dy / longest) * 70];
      arrow(context, T.screen.x[i], T.screen.y[i], ex, ey);
      context.textAlign = ex < 0 ? "right" : "left";
      T.haloText(context, names[f].slice(0, 24), T.screen.x[i] + ex * 1.08, T.screen.y[i] + ey * 1.08 + 4);
      T.facts.arrows++;
    }
  }

  function arrow(context, x, y, dx, dy) {
    const length = Math.hypot(dx, dy);
    if (length < 1) return;
    const [ux, uy] = [dx / length, dy / length];
    const head = Math.min(7, length * 0.45);
    for (const [colour, width] of [[T.css(T.pageColour()), 4], [T.ink(), 1.6]]) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + dx, y + dy);
      context.moveTo(x + dx - head * (ux + 0.5 * uy), y + dy - head * (uy - 0.5 * ux));
      context.lineTo(x + dx, y + dy);
      context.lineTo(x + dx - head * (ux - 0.5 * uy), y + dy - head * (uy + 0.5 * ux));
      context.stroke();
    }
  }
})();
