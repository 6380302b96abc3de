// What sets the selection apart: features, columns and labels that differ most between it and the other rows.
(function () {
  const most = 8;
  const bins = 16;
  const ordinary = 0.3; // standard deviations: less is no difference to speak of

  T.setUpApart = function () {
    T.on("selected", show);
    T.on("theme", show);
  };

  function show() {
    const box = T.empty(T.byId("apart"));
    const { chosen, chosenCount: count } = T.state;
    box.hidden = !count;
    if (!count) return;
    if (count === T.report.n) return box.append(T.make("p", { class: "note", text: "All points are selected: there is nothing to compare them with." }));
    box.append(T.make("h2", { text: "What sets it apart" }));
    const found = T.differences();
    const shown = found.filter(({ difference }) => Math.abs(difference) >= ordinary).slice(0, most);
    if (T.report.image && T.report.values) box.append(picture(found));
    if (shown.length) {
      box.append(T.make("p", { class: "note" }, T.termed("Difference of the means, in sd; filled bars are the selection, grey ones the others.")),
        T.make("table", { class: "list apart", "data-test": "apart" }, T.make("tbody", {}, shown.map((one) => row(one, chosen)))));
    } else if (found.length) box.append(T.make("p", { class: "note", text: `No feature differs by more than ${ordinary} standard deviations.` }));
    const words = labelWords(chosen, count);
    if (words.length) box.append(T.make("ul", { class: "tests", "data-test": "apart-labels" }, words.map((text) => T.make("li", { text }))));
    else if (!found.length) box.append(T.make("p", { class: "note", text: T.report.valuesLeftOut || "The report holds no measurements." }));
  }

  // Everything that has a number in each row: features, and other columns of the table.
  function columns() {
    const { values, names, carried } = T.report;
    const size = names.length;
    const features = values ? names.map((name, f) => ({ name, choice: "feature:" + f, feature: f, of: (i) => values[i * size + f] })) : [];
    const others = carried.map(({ name, numbers }, c) => numbers && { name, choice: "column:" + c, of: (i) => numbers[i] }).filter(Boolean);
    return [...features, ...others];
  }

  // [{name, choice, inside, outside, difference}], the largest first; means, and their difference in standard deviations of all.
  T.differences = function () {
    const { n } = T.report;
    const { chosen } = T.state;
    if (!chosen) return [];
    return columns().map((column) => {
      const count = [0, 0];
      const sum = [0, 0];
      const first = column.of(0) || 0; // near zero, squares lose nothing
      let squares = 0;
      for (let i = 0; i < n; i++) {
        const v = column.of(i) - first;
        if (!Number.isFinite(v)) continue;
        count[chosen[i]]++;
        sum[chosen[i]] += v;
        squares += v * v;
      }
      const total = count[0] + count[1];
      const deviation = Math.sqrt(Math.max(0, squares / total - ((sum[0] + sum[1]) / total) ** 2));
      const [outside, inside] = [0, 1].map((k) => first + sum[k] / count[k]);
      return { ...column, inside, outside, difference: deviation > 0 ? (inside - outside) / deviation : 0 };
    }).filter(({ difference }) => Number.isFinite(difference)).sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
  };

  function row(one, chosen) {
    const { name, choice, inside, outside, difference } = one;
    const words = `mean ${T.number(inside)} in the selection, ${T.number(outside)} elsewhere`;
    return T.make("tr", { title: words }, T.make("td", {}, T.make("button", { type: "button", class: "link", text: T.visible(name), onclick: () => T.setColour(choice),
      "aria-label": `Colour by ${name}: ${words}` })),
    T.make("td", { class: "figure", text: (difference < 0 ? "−" : "+") + Math.abs(difference).toFixed(1) + " sd" }), T.make("td", {}, histogram(one, chosen)));
  }

  function histogram({ of }, chosen) {
    const values = Float32Array.from({ length: T.report.n }, (_, i) => of(i));
    const [low, high] = T.quantiles(values, [0.005, 0.995]);
    const counts = [new Float64Array(bins), new Float64Array(bins)];
    values.forEach((v, i) => {
      if (Number.isFinite(v)) counts[chosen[i]][Math.max(0, Math.min(bins - 1, Math.floor(((v - low) / (high - low || 1)) * bins)))]++;
    });
    const [width, height] = [112, 26];
    const bars = (list, paint) => {
      const top = Math.max(...list) || 1;
      return [...list].map((count, b) => T.svg("rect", { x: (b * width) / bins, width: width / bins - 1, y: height - (height * count) / top, height: (height * count) / top, ...paint }));
    };
    return T.svg("svg", { width, height, class: "chart", "aria-hidden": "true" }, bars(counts[0], { fill: T.style("--grid-strong") }),
      bars(counts[1], { fill: T.seriesColour(0), "fill-opacity": 0.55, stroke: T.seriesColour(0) }));
  }

  // For images: where the selection is brighter, and where it is darker.
  function picture(found) {
    const { names } = T.report;
    const by = new Float64Array(names.length);
    for (const { feature, difference } of found) if (feature !== undefined) by[feature] = difference;
    const reach = Math.max(...by.map(Math.abs)) || 1;
    const canvas = T.make("canvas", { class: "picture", role: "img", "aria-label": "Difference of the mean pictures", "data-test": "apart-picture" });
    T.paint(canvas, (f) => by[f] / reach, T.diverging);
    canvas.style.width = "96px";
    return T.make("div", { class: "loading-picture" }, canvas, T.make("span", { class: "note", text: "orange is brighter in the selection, blue darker" }));
  }

  // Classes that are much more or less common in the selection than elsewhere.
  function labelWords(chosen, count) {
    const { classes, carried, n } = T.report;
    const all = [...(classes ? [{ name: T.labelName(), classes }] : []), ...carried.filter((c) => c.classes && !c.classes.shared)];
    const found = all.flatMap(({ name, classes: { names, of } }) => {
      const inside = new Float64Array(names.length);
      const outside = new Float64Array(names.length);
      for (let i = 0; i < n; i++) if (of[i] !== 255) (chosen[i] ? inside : outside)[of[i]]++;
      return names.map((label, k) => ({ name, label, a: inside[k] / count, b: outside[k] / (n - count) }));
    });
    return found.filter(({ a, b }) => Math.abs(a - b) > 0.15).sort((p, q) => Math.abs(q.a - q.b) - Math.abs(p.a - p.b)).slice(0, 4)
      .map(({ name, label, a, b }) => `${T.visible(name)} ${T.visible(label)}: ${T.percent(a)} of the selection, ${T.percent(b)} of the others`);
  }
})();
