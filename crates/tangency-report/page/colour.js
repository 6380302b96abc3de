// Colours: what the points are coloured by. All palettes are safe for colour-blind readers, and the same as in the figures.
(function () {
  // Even steps of lightness, so that order shows without hue.
  const anchors = [[61, 20, 94], [66, 40, 120], [66, 60, 145], [53, 86, 160], [23, 113, 166], [1, 137, 160], [2, 160, 152], [40, 182, 131],
    [118, 196, 100], [188, 202, 67], [247, 205, 58]];
  // Okabe and Ito; the seventh is black on white and white on black.
  const classColours = [[0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [230, 159, 0], [86, 180, 233], null, [222, 205, 30]];
  const missing = (T.missingColour = [158, 163, 170]);

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
    none: "one colour", uncertainty: "uncertainty, % of the spread", novelty: "novelty",
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

  T.colourTitle = (choice) => (choice === "label" ? T.labelName() : choice === "label-number" ? T.labelName() + " as a number" : choice.startsWith("feature:") ? T.report.names[Number(choice.slice(8))] : carried(choice) ? carried(choice).name : words[choice]);

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
    const grouped = T.report.carried.findIndex(({ shares }) => shares);
    if (grouped >= 0) return "column:" + grouped;
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
  // Among edges the points are plain: only edges have a scale there.
  T.recolour = function () {
    T.colouring = T.state.tab === "graph" && T.report.graph ? plain() : T.colouringOf(T.state.colourBy);
    T.drawLegend();
    T.announce("recoloured");
  };

  const plain = () => ({ kind: "edges", rgba: new Uint32Array(T.report.n).fill(T.pack(T.dark() ? [122, 130, 138] : [142, 149, 157])), shapes: null });

  // Takes another colouring, if there is such a one.
  T.setColour = function (choice) {
    const menu = T.byId("colour-by");
    if (![...menu.options].some(({ value }) => value === choice)) return;
    menu.value = T.state.colourBy = choice;
    T.recolour();
  };

  T.colouringOf = function (choice) {
    const rgba = new Uint32Array(T.report.n);
    let colouring;
    if (choice === "none") {
      rgba.fill(T.pack(T.classColour(0)));
      colouring = { kind: "none", rgba, shapes: null };
    } else if (choice === "label") colouring = byClass(rgba, T.report.classes);
    else if (carried(choice) && carried(choice).classes) colouring = byClass(rgba, carried(choice).classes, carried(choice).shares);
    else if (choice === "kind") colouring = byKind(rgba);
    else colouring = byNumber(rgba, valuesOf(choice));
    return { ...colouring, title: T.colourTitle(choice), own: choice.includes(":") || choice.startsWith("label") }; // own: a name from the table
  };

  // The surer a row is of its class, the stronger its colour.
  function byClass(rgba, classes, shares) {
    const { of, names } = classes;
    const colours = names.map((_, k) => T.pack(T.classColour(k)));
    const grey = T.pack(missing);
    const shapes = new Uint8Array(rgba.length);
    for (let i = 0; i < rgba.length; i++) {
      const k = of[i];
      rgba[i] = k === 255 ? grey : shares ? T.pack(T.classColour(k).map((c, at) => Math.round(shares[i] * c + (1 - shares[i]) * missing[at]))) : colours[k];
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
})();
