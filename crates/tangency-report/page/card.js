// The card beside a point: who it is, where, how sure, and what was measured. That of a picked point stands in the panel, where it covers
// nothing. Also pictures of feature vectors, which other parts use.
(function () {
  const mostFeatures = 8;
  const mostColumns = 8;

  T.setUpCard = function () {
    T.on("hovered", showCard);
    T.on("picked", () => { showCard(); showPinned(); });
    T.on("tab", showPinned);
    T.on("drawn", place);
  };

  T.hover = function (i) {
    if (i === T.state.hovered) return;
    T.state.hovered = i;
    T.redrawFront();
    T.announce("hovered", i);
  };

  T.pick = function (i) {
    T.state.picked = i;
    T.redrawFront();
    T.announce("picked", i);
    if (i >= 0) T.say(spoken(i));
  };

  // No card over the map for what stands in the panel.
  const shown = () => (T.state.hovered === T.state.picked ? -1 : T.state.hovered);

  function spoken(i) {
    const where = T.report.axisNames.map((name, a) => `${name} ${T.withError(T.at(i, a), T.deviation(i, a))}`).join(", ");
    return `Point ${T.id(i)}${T.label(i) ? `, ${T.labelName()} ${T.label(i)}` : ""}: ${where}`;
  }

  const head = (i, test) => [T.make("strong", { text: T.visible(T.id(i)), "data-test": test + "-id" }),
    T.label(i) ? T.make("span", { text: T.label(i), class: "tag", "data-test": test + "-label" }) : null,
    i >= T.report.fitted ? T.make("span", { text: "new row", class: "tag new" }) : null];

  function body(i, test) {
    const others = T.report.carried.filter(({ cells }) => cells[i] !== "").slice(0, mostColumns);
    return [table(coordinateRows(i)),
      others.length ? T.make("div", { "data-test": test + "-columns" }, table(others.map(({ name, cells }) => [name, T.visible(cells[i])]), true)) : null, measured(i)];
  }

  function showCard() {
    const card = T.byId("card");
    const i = shown();
    card.hidden = i < 0;
    if (i < 0) return;
    T.empty(card).append(T.make("div", { class: "card-head" }, head(i, "card")), ...body(i, "card").filter(Boolean));
    place();
  }

  // Whole on the map's tab; elsewhere a line, since these tabs have more to say of the point.
  function showPinned() {
    const box = T.empty(T.byId("pinned"));
    const i = T.state.picked;
    box.hidden = i < 0;
    if (i < 0) return;
    const close = T.make("button", { type: "button", class: "close", text: "×", "aria-label": "Close " + T.id(i), title: "Close (Esc)", "data-test": "pinned-close",
      onclick: () => { T.pick(-1); T.announce("let-go"); } });
    box.append(T.make("div", { class: "card-head" }, head(i, "pinned"), close));
    if (T.state.tab === "map") box.append(...body(i, "pinned").filter(Boolean));
    else box.append(T.make("p", { class: "note", text: T.report.axisNames.map((name, a) => `${name} ${T.withError(T.at(i, a), T.deviation(i, a))}`).join(", ") }));
  }

  function coordinateRows(i) {
    const rows = T.report.axisNames.map((name, a) => [name, T.withError(T.at(i, a), T.deviation(i, a))]);
    const share = T.report.uncertainty ? T.report.uncertainty[i] : NaN;
    if (Number.isFinite(share)) rows.push(["uncertainty", T.number(share, 2) + " % of the spread"]);
    const more = [["novelty", T.report.novelty], ["log-density", T.report.logDensity], ["density", T.report.density]];
    for (const [name, values] of more) if (values && Number.isFinite(values[i])) rows.push([name, T.number(values[i], 3)]);
    return rows;
  }

  // Names from the table are their own words.
  function table(rows, own = false) {
    return T.make("table", {}, rows.map(([name, value, mark]) => T.make("tr", {}, T.make("th", { scope: "row" }, own ? name : T.termed(name)),
      T.make("td", { text: value }), mark === undefined ? null : T.make("td", { text: mark, class: "quiet" }))));
  }

  function measured(i) {
    const { values, image, names, valuesLeftOut } = T.report;
    if (!values) return T.make("p", { class: "note", text: valuesLeftOut || "The report holds no measurements." });
    if (image) return T.picture((f) => T.value(i, f), 96, "Measured picture of " + T.id(i));
    if (names.length <= mostFeatures) return table(names.map((name, f) => [name, T.number(T.value(i, f))]), true);
    return T.make("div", {}, T.make("p", { class: "note", text: "most unusual features" }), table(unusual(i), true));
  }

  // The features farthest from their mean, in standard deviations.
  function unusual(i) {
    const { names, mean, std } = T.report;
    const score = names.map((_, f) => (mean && std && std[f] > 0 ? (T.value(i, f) - mean[f]) / std[f] : 0));
    const order = names.map((_, f) => f).sort((a, b) => Math.abs(score[b]) - Math.abs(score[a]));
    return order.slice(0, mostFeatures).map((f) => [names[f], T.number(T.value(i, f)), (score[f] < 0 ? "−" : "+") + Math.abs(score[f]).toFixed(1) + " sd"]);
  }

  // Beside the point, on the side where there is room.
  function place() {
    const card = T.byId("card");
    const i = shown();
    if (i < 0) return;
    const { width, height } = T.view;
    const [x, y] = [T.screen.x[i], T.screen.y[i]];
    card.hidden = !(x > -20 && y > -20 && x < width + 20 && y < height + 20);
    if (card.hidden) return;
    const [w, h] = [card.offsetWidth, card.offsetHeight];
    const left = x + 16 + w < width ? x + 16 : x - 16 - w > 0 ? x - 16 - w : Math.max(4, width - w - 4);
    const beside = left >= x || left + w <= x;
    const top = beside ? Math.min(Math.max(4, y - h / 2), Math.max(4, height - h - 4)) : y > height / 2 ? Math.max(4, y - h - 18) : y + 18;
    card.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  // ---- A feature vector as a picture; `value` gives each feature, `paint` its colour.
  T.picture = function (value, size, words) {
    const canvas = T.make("canvas", { class: "picture", role: "img", "aria-label": words });
    T.paint(canvas, value, grey);
    canvas.style.width = size + "px";
    return canvas;
  };

  function grey(v) {
    const { low, high } = T.report.image;
    const level = Math.round(255 * Math.min(1, Math.max(0, (v - low) / (high - low || 1))));
    return [level, level, level];
  }

  T.paint = function (canvas, value, colour = grey) {
    const { width, height } = T.report.image;
    canvas.width = width;
    canvas.height = height;
    const data = new ImageData(width, height);
    for (let f = 0; f < width * height; f++) {
      const [r, g, b] = colour(value(f));
      data.data.set([r, g, b, 255], 4 * f);
    }
    canvas.getContext("2d").putImageData(data, 0, 0);
  };
})();
