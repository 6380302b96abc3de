// What is expected at a place of the map, drawn: tracks for few features, curves for many, pictures for images; each unit by itself, with
// what was measured of the picked point beside it.
(function () {
  const fewest = 6; // features of a curve
  const alike = 10; // features whose ranges differ by more have different units
  const mostGroups = 5;
  const unusualOnes = 6;
  const wide = 12; // features of a table that is summed up too
  let groups = null;

  // Expected values are in colour near what was fitted, and grey where they are a guess.
  const tone = (far) => (far ? T.style("--quiet") : T.seriesColour(0));
  const toneOfMeasured = () => T.seriesColour(1);

  // What was measured of the picked point, as a function of the feature, if the page holds it.
  function measured() {
    const i = T.state.picked;
    return i >= 0 && Number.isFinite(T.value(i, 0)) ? (f) => T.value(i, f) : null;
  }

  T.drawExpected = function (box, result) {
    const seen = measured();
    const { image, names } = T.report;
    T.empty(box);
    if (image) box.append(pictures(result, seen));
    else {
      groups ||= findGroups();
      for (const group of groups) {
        if (group.name) box.append(T.make("h3", { text: group.name }));
        box.append(group.features.length < fewest ? tracks(group.features, result, seen) : profile(group, result, seen));
      }
      box.append(key(seen, result.far));
    }
    if (names.length > wide) box.append(unusual(result, seen));
  };

  // ---- Groups of one unit: views where there are some, units in brackets at the end of names, or else ranges of one size.
  function findGroups() {
    const { names, views, low, high } = T.report;
    const all = names.map((_, f) => f);
    if (views.length) return withRest(views, all);
    const units = Map.groupBy ? Map.groupBy(all, unitOf) : groupBy(all, unitOf);
    if (units.size > 1 && units.size <= mostGroups) return [...units].map(([unit, features]) => ({ name: unit ? "in " + unit : "without a unit", features }));
    const size = (f) => high[f] - low[f];
    const order = all.filter((f) => size(f) > 0).sort((f, g) => size(g) - size(f));
    const found = [];
    for (const f of order) {
      const before = found.at(-1)?.features.at(-1);
      if (before === undefined || size(before) > alike * size(f)) found.push({ name: "", features: [] });
      found.at(-1).features.push(f);
    }
    if (found.length < 2 || found.length > mostGroups) return [{ name: "", features: all, own: found.length > mostGroups }];
    found.at(-1).features.push(...all.filter((f) => !(size(f) > 0)));
    return found.map(({ features }) => ({ name: features.length > 1 ? T.plural(features.length, "feature") + " of one size" : "", features: features.sort((f, g) => f - g) }));
  }

  const unitOf = (f) => (T.report.names[f].match(/[[(]([^()[\]]+)[\])]\s*$/) || ["", ""])[1];

  function groupBy(list, of) {
    const found = new Map();
    for (const one of list) found.set(of(one), [...(found.get(of(one)) || []), one]);
    return found;
  }

  function withRest(views, all) {
    const named = new Set(views.flatMap(({ features }) => features));
    const rest = all.filter((f) => !named.has(f));
    return [...views.map(({ name, features }) => ({ name, features })), ...(rest.length ? [{ name: "other features", features: rest }] : [])];
  }

  // ---- Few features: each on a track from its smallest to its largest value in the table; what lies beyond has an arrow at its end.
  function tracks(features, { values, deviations, far }, seen) {
    const { names, low, high } = T.report;
    return T.make("div", {}, features.map((f) => {
      const [from, to] = [low[f], high[f] > low[f] ? high[f] : low[f] + 1];
      const share = (v) => 100 * Math.min(1, Math.max(0, (v - from) / (to - from)));
      const at = (element, left, colour) => {
        element.style.left = left + "%";
        element.style[element.textContent ? "color" : "background"] = colour;
        return element;
      };
      const [left, right] = [-1, 1].map((side) => share(values[f] + side * T.report.reach * deviations[f]));
      const band = at(T.make("i", { class: "track-band" }), left, tone(far));
      band.style.width = Math.max(0.8, right - left) + "%";
      const beyond = values[f] < from ? "‹" : values[f] > to ? "›" : "";
      const dot = at(T.make("i", { class: beyond ? "track-beyond" : "track-dot", text: beyond }), share(values[f]), tone(far));
      const mark = seen ? at(T.make("i", { class: "track-seen", "data-test": "track-seen" }), share(seen(f)), toneOfMeasured()) : null;
      const title = `${names[f]}: ${words(f, values, deviations, seen)}`;
      return T.make("div", { class: far ? "track-row guess" : "track-row", "data-beyond": Boolean(beyond), title }, T.make("span", { class: "track-name", text: names[f] }),
        T.make("span", { class: "track" }, band, dot, mark), T.make("span", { class: "figure", text: T.withError(values[f], deviations[f]) }));
    }));
  }

  const words = (f, values, deviations, seen) => `expected ${T.withError(values[f], deviations[f])}` + (seen ? `, measured ${T.number(seen(f))}` : "");

  // ---- Many features: a line with its band, in units of the table, or in standard deviations where they have nothing in common.
  function profile({ features, own }, { values, deviations, far }, seen) {
    const { names, mean, std, low, high } = T.report;
    const unit = (v, f) => (own ? (v - mean[f]) / (std[f] || 1) : v);
    const [width, height] = [Math.max(240, (T.byId("panel-explore").clientWidth || 330) - 4), groups.length > 1 ? 150 : 210];
    const foot = height - 30;
    const [bottom, top] = T.range(features.flatMap((f) => [unit(low[f], f), unit(high[f], f)]));
    const x = (k) => 44 + (k / Math.max(1, features.length - 1)) * (width - 54);
    const y = (v) => foot - ((v - bottom) / (top - bottom || 1)) * (foot - 10);
    const path = (of) => features.map((f, k) => `${x(k).toFixed(1)} ${y(unit(of(f), f)).toFixed(1)}`).join("L");
    const edge = (side) => (f) => values[f] + side * T.report.reach * deviations[f];
    const svg = T.svg("svg", { width, height, class: "chart", role: "img", tabindex: "0",
      "aria-label": "Expected features, with a band of " + T.plural(T.report.reach, "standard deviation") });
    for (const { value, text } of T.ticks(bottom, top, 4)) {
      svg.append(T.svg("line", { class: "grid", x1: 44, x2: width - 10, y1: y(value), y2: y(value) }),
        T.svg("text", { class: "tick", x: 38, y: y(value) + 4, "text-anchor": "end", text }));
    }
    const every = Math.ceil(features.length / Math.max(2, Math.floor(width / 60)));
    for (let k = 0; k < features.length; k += every) {
      svg.append(T.svg("text", { class: "tick", x: x(k), y: foot + 16, "text-anchor": k === 0 ? "start" : "middle", text: names[features[k]].slice(0, 9) }));
    }
    // the frame cuts what leaves it
    const frame = [44, 6, width - 54, foot - 2];
    const colour = tone(far);
    const back = features.map((f, k) => `${x(k).toFixed(1)} ${y(unit(edge(-1)(f), f)).toFixed(1)}`).reverse().join("L");
    svg.append(T.svg("svg", { x: frame[0], y: frame[1], width: frame[2], height: frame[3], viewBox: frame.join(" "), overflow: "hidden", "data-test": "explore-curve",
      "data-colour": colour },
    T.svg("path", { d: `M${path(edge(1))}L${back}Z`, fill: colour, opacity: 0.22 }), T.svg("path", { d: "M" + path((f) => values[f]), fill: "none", stroke: colour, "stroke-width": 1.8 }),
    seen ? T.svg("path", { d: "M" + path(seen), fill: "none", stroke: toneOfMeasured(), "stroke-width": 1.6, "stroke-dasharray": "5 3", "data-test": "measured-curve" }) : null));
    const readout = T.make("p", { class: "note readout", "data-test": "explore-readout", text: own ? "in standard deviations of each feature; point at the curve for values" : "point at the curve for values" });
    pointing(svg, readout, features, x, (f) => words(f, values, deviations, seen), [6, foot + 4]);
    return T.make("div", {}, svg, readout);
  }

  // Pointing at a curve, or arrow keys on it, tells the values there.
  function pointing(svg, readout, features, x, tell, [y1, y2]) {
    const cursor = T.svg("line", { class: "cursor", y1, y2, visibility: "hidden" });
    svg.append(cursor);
    let current = -1;
    const show = (k) => {
      current = Math.min(features.length - 1, Math.max(0, k));
      cursor.setAttribute("visibility", "visible");
      cursor.setAttribute("x1", x(current));
      cursor.setAttribute("x2", x(current));
      readout.textContent = `${T.report.names[features[current]]}: ${tell(features[current])}`;
    };
    svg.addEventListener("pointermove", (event) => {
      const px = event.clientX - svg.getBoundingClientRect().left;
      show(Math.round(((px - x(0)) / (x(features.length - 1) - x(0) || 1)) * (features.length - 1)));
    });
    svg.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      show(current + by);
    });
  }

  // What the lines are.
  function key(seen, far) {
    const line = (stroke, dash) => T.svg("svg", { width: 22, height: 8, "aria-hidden": "true" }, T.svg("line", { x1: 0, x2: 22, y1: 4, y2: 4, stroke, "stroke-width": 2, "stroke-dasharray": dash }));
    const band = `expected, with ${T.plural(T.report.reach, "standard deviation")}`;
    return T.make("div", { class: "chart-key" }, T.make("span", { class: "key" }, line(tone(far), ""), T.make("span", {}, T.termed(band))),
      seen ? T.make("span", { class: "key", "data-test": "measured-key" }, line(toneOfMeasured(), "5 3"), "measured at " + T.visible(T.id(T.state.picked))) : null);
  }

  // ---- Images.
  function pictures({ values, far }, seen) {
    const expected = T.make("canvas", { class: far ? "picture large guess" : "picture large", role: "img", "aria-label": "Expected picture", "data-test": "explore-picture" });
    T.paint(expected, (f) => values[f]);
    const figure = (canvas, text) => T.make("figure", {}, canvas, T.make("figcaption", { text }));
    if (!seen) return T.make("div", { class: "pictures" }, figure(expected, "expected"));
    const own = T.make("canvas", { class: "picture large", role: "img", "aria-label": "Measured picture", "data-test": "measured-picture" });
    T.paint(own, seen);
    return T.make("div", { class: "pictures" }, figure(expected, "expected"), figure(own, "measured at " + T.visible(T.id(T.state.picked))));
  }

  // ---- Wide tables in short: what is farthest from its mean here.
  function unusual({ values, deviations }, seen) {
    const { names, mean, std, low, high } = T.report;
    const score = names.map((_, f) => (std[f] > 0 ? (values[f] - mean[f]) / std[f] : 0));
    const order = names.map((_, f) => f).sort((f, g) => Math.abs(score[g]) - Math.abs(score[f])).slice(0, unusualOnes);
    const outside = names.filter((_, f) => values[f] < low[f] || values[f] > high[f]).length;
    const head = ["most unusual here", "expected", "", ...(seen ? ["measured"] : [])];
    return T.make("div", { "data-test": "explore-unusual" }, T.make("table", { class: "list" },
      T.make("thead", {}, T.make("tr", {}, head.map((text) => T.make("th", { text, scope: "col" })))),
      T.make("tbody", {}, order.map((f) => T.make("tr", {}, [T.visible(names[f]), T.withError(values[f], deviations[f]),
        (score[f] < 0 ? "−" : "+") + Math.abs(score[f]).toFixed(1) + " sd", ...(seen ? [T.number(seen(f))] : [])].map((text, k) => T.make("td", { class: k ? "figure" : "", text })))))),
    outside ? T.make("p", { class: "note", text: `${T.count(outside)} of ${T.plural(names.length, "feature")} are expected outside what the table holds` }) : null);
  }
})();
