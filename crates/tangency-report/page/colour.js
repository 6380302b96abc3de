// Colours: what the points are coloured by, and the legend. All palettes are safe for colour-blind readers, and the same as in the figures.
(function () {
  // Even steps of lightness, so that order shows without hue.
  const anchors = [[61, 20, 94], [66, 40, 120], [66, 60, 145], [53, 86, 160], [23, 113, 166], [1, 137, 160], [2, 160, 152], [40, 182, 131],
    [118, 196, 100], [188, 202, 67], [247, 205, 58]];
  // Okabe and Ito; the seventh is black on white and white on black.
  const classColours = [[0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [230, 159, 0], [86, 180, 233], null, [222, 205, 30]];
  const missing = [158, 163, 170];
  T.shapeWords = ["disc", "square", "triangle"];

  const mix = (a, b, share) => a.map((v, c) => Math.round(v + share * (b[c] - v)));
  T.css = (rgb, alpha = 1) => `rgba(${rgb[0]},${rgb[1]},${rgb[2]},${alpha})`;
  T.pack = (rgb) => ((255 << 24) | (rgb[2] << 16) | (rgb[1] << 8) | rgb[0]) >>> 0;
  T.unpack = (c) => [c & 255, (c >> 8) & 255, (c >> 16) & 255];

  T.continuous = function (share) {
    if (!Number.isFinite(share)) return missing;
    // on a dark page the darkest fifth could not be seen
    const from = T.dark() ? 0.2 : 0;
    const place = (from + Math.min(1, Math.max(0, share)) * (1 - from)) * (anchors.length - 1);
    const below = Math.min(anchors.length - 2, Math.floor(place));
    return mix(anchors[below], anchors[below + 1], place - below);
  };

  T.classColour = (k) => classColours[k % 8] || (T.dark() ? [235, 235, 235] : [20, 20, 20]);
  T.classShape = (k) => Math.floor(k / 8) % 3;

  // Blue for less, orange for more, the page between; share from -1 to 1.
  T.diverging = function (share) {
    const middle = T.dark() ? [40, 43, 47] : [247, 247, 245];
    const end = share < 0 ? [0, 114, 178] : [213, 94, 0];
    return mix(middle, end, Math.min(1, Math.abs(share)));
  };

  // ---- What there is to colour by.
  const numeric = {
    "label-number": () => T.report.labelNumbers, uncertainty: () => T.report.uncertainty, novelty: () => T.report.novelty,
    density: () => T.report.density, "log-density": () => T.report.logDensity,
  };
  const words = {
    none: "one colour", label: "label", "label-number": "label as a number", uncertainty: "uncertainty", novelty: "novelty",
    density: "density", "log-density": "log-density", kind: "fitted or new",
  };

  function valuesOf(choice) {
    if (choice.startsWith("feature:")) {
      const f = Number(choice.slice(8));
      return Float32Array.from({ length: T.report.n }, (_, i) => T.value(i, f));
    }
    return carried(choice) ? carried(choice).numbers : numeric[choice]();
  }

  // The column of the table that a choice stands for, if it is none of the features.
  const carried = (choice) => (choice.startsWith("column:") ? T.report.carried[Number(choice.slice(7))] : null);

  T.colourTitle = (choice) => (choice.startsWith("feature:") ? T.report.names[Number(choice.slice(8))] : carried(choice) ? carried(choice).name : words[choice]);

  T.colourChoices = function () {
    const report = T.report;
    const plain = ["none"];
    if (report.classes) plain.push("label");
    if (report.labelNumbers) plain.push("label-number");
    for (const name of ["uncertainty", "novelty", "density", "log-density"]) if (numeric[name]()) plain.push(name);
    if (report.added) plain.push("kind");
    return plain;
  };

  T.defaultColour = function () {
    const { classes, labelNumbers, uncertainty } = T.report;
    if (classes && labelNumbers && classes.distinct > 12) return "label-number";
    if (classes && classes.distinct > 0) return "label";
    return uncertainty ? "uncertainty" : "none";
  };

  T.fillColourMenu = function (select) {
    T.empty(select);
    const option = (value) => T.make("option", { value, text: T.colourTitle(value) });
    select.append(...T.colourChoices().map(option));
    // texts that are nearly all different say nothing as colours
    const columns = T.report.carried.map((_, c) => "column:" + c).filter((c) => carried(c).numbers || (carried(c).classes.distinct > 0 && !carried(c).classes.shared));
    if (columns.length) {
      const group = T.make("optgroup", { label: "other columns" });
      group.append(...columns.map(option));
      select.append(group);
    }
    if (T.report.values && T.report.names.length) {
      const group = T.make("optgroup", { label: "features" });
      group.append(...T.report.names.map((_, f) => option("feature:" + f)));
      select.append(group);
    } else if (T.report.valuesLeftOut) {
      const group = T.make("optgroup", { label: "features: " + T.report.valuesLeftOut });
      select.append(group);
    }
  };

  // ---- The colour of every row: {kind, rgba [n], shapes [n] | null, and what the legend needs}.
  T.recolour = function () {
    const choice = T.state.colourBy;
    const n = T.report.n;
    const rgba = new Uint32Array(n);
    let colouring;
    if (choice === "none") {
      rgba.fill(T.pack(T.classColour(0)));
      colouring = { kind: "none", rgba, shapes: null };
    } else if (choice === "label") colouring = byClass(rgba, T.report.classes);
    else if (carried(choice) && carried(choice).classes) colouring = byClass(rgba, carried(choice).classes);
    else if (choice === "kind") colouring = byKind(rgba);
    else colouring = byNumber(rgba, valuesOf(choice));
    colouring.title = T.colourTitle(choice);
    T.colouring = colouring;
    T.drawLegend();
    T.announce("recoloured");
  };

  function byClass(rgba, classes) {
    const { of, names } = classes;
    const colours = names.map((_, k) => T.pack(T.classColour(k)));
    const grey = T.pack(missing);
    const shapes = new Uint8Array(rgba.length);
    for (let i = 0; i < rgba.length; i++) {
      const k = of[i];
      rgba[i] = k === 255 ? grey : colours[k];
      shapes[i] = k === 255 ? 0 : T.classShape(k);
    }
    return { kind: "classes", rgba, shapes, classes };
  }

  function byKind(rgba) {
    rgba.fill(T.pack(T.classColour(0)), 0, T.report.fitted);
    rgba.fill(T.pack(T.classColour(1)), T.report.fitted);
    return { kind: "kind", rgba, shapes: null };
  }

  // A few far-off values must not leave one colour for all the others: then the ends of the scale are quantiles.
  function byNumber(rgba, values) {
    const [low, high] = T.range(values);
    const [first, last] = T.quantiles(values, [0.01, 0.99]);
    const clipped = last > first && last - first < 0.4 * (high - low);
    const [from, to] = clipped ? [first, last] : [low, high];
    const steps = Array.from({ length: 257 }, (_, s) => T.pack(T.continuous(s / 256)));
    const grey = T.pack(missing);
    for (let i = 0; i < values.length; i++) {
      const share = to > from ? (values[i] - from) / (to - from) : 0.5;
      rgba[i] = Number.isFinite(share) ? steps[Math.round(256 * Math.min(1, Math.max(0, share)))] : grey;
    }
    return { kind: "number", rgba, shapes: null, values, from, to, below: clipped && low < from, above: clipped && high > to };
  }

  // ---- The legend.
  T.drawLegend = function () {
    const legend = T.empty(T.byId("legend"));
    const colouring = T.colouring;
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
    if (unlabelled) entries.push(entry(missing, 0, false, "no label", unlabelled, (i) => of[i] === 255));
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

  function colourBar({ from, to, below, above, title, values }) {
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
    const gaps = missingCount ? T.make("span", { class: "key" }, sign(missing, 0, false), "no value") : null;
    return T.make("div", { class: "bar-box" }, T.make("div", { class: "bar-title", text: title }),
      T.make("div", { class: "bar-body" }, bar, scale), remark, gaps);
  }
})();
