// Other methods beside this one: small maps that share hover and selection.
(function () {
  let maps = []; // {canvas, x: [n, 2], screen}

  T.comparisonCharts = function () {
    const { comparisons, remark, x, d, n } = T.report;
    maps = [];
    if (!comparisons.length) return [];
    const own = new Float32Array(2 * n);
    for (let i = 0; i < n; i++) own.set([x[i * d], d > 1 ? x[i * d + 1] : 0], 2 * i);
    const all = [{ name: "tangency", note: "this fit", x: own }, ...comparisons].map(spread);
    const width = T.chartWidth(Math.min(4, all.length));
    const figures = all.map((one, k) => figure(one, k, width));
    requestAnimationFrame(drawAll);
    return [T.make("h2", { text: "Compared with other methods" }), T.make("p", { class: "note", id: "compare-keys",
      text: "Pointing at a point shows it in all; dragging selects in all. Arrows go to the next point in their direction, N and P to the next and the previous row." }),
      remark ? T.make("p", { class: "note", "data-test": "compare-remark", text: remark }) : "",
      T.make("div", { class: "charts", "data-test": "comparisons" }, figures),
      T.make("p", { class: "note", "data-test": "compare-point", "aria-live": "polite" })];
  };

  // What lies on a line is spread across it, evenly and the same every time, as the map of one dimension is.
  function spread(one) {
    const across = Float32Array.from({ length: one.x.length / 2 }, (_, i) => one.x[2 * i + 1]);
    const [low, high] = T.range(across);
    if (low !== high) return one;
    return { ...one, flat: true, x: Float32Array.from(one.x, (value, at) => (at % 2 ? (((at - 1) / 2) * 0.6180339887) % 1 : value)) };
  }

  function figure(one, k, width) {
    const height = Math.round(width * 0.8);
    const canvas = T.make("canvas", { class: "small-map", tabindex: "0", role: "application", "aria-label": "Map by " + one.name,
      "aria-describedby": "compare-keys", "data-test": "compare-" + k });
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    const map = { canvas, ratio, width, height, screen: fit(one, width, height), picture: null, box: null };
    maps.push(map);
    listen(map);
    return T.make("figure", { class: "chart-box" }, T.make("figcaption", {},
      T.make("span", { class: "chart-title", text: one.name }), T.make("span", { class: "readout", text: one.note })), canvas);
  }

  function fit({ x, flat }, width, height) {
    const n = x.length / 2;
    const column = (a) => Float32Array.from({ length: n }, (_, i) => x[2 * i + a]);
    const [[left, right], [bottom, top]] = [T.range(column(0)), T.range(column(1))];
    let [sx, sy] = [(width - 24) / (right - left || 1), (height - 24) / (top - bottom || 1)];
    if (!flat) sx = sy = Math.min(sx, sy);
    const screen = new Float32Array(2 * n);
    for (let i = 0; i < n; i++) {
      screen[2 * i] = width / 2 + (x[2 * i] - (left + right) / 2) * sx;
      screen[2 * i + 1] = height / 2 - (x[2 * i + 1] - (bottom + top) / 2) * sy;
    }
    return screen;
  }

  const drawAll = () => maps.forEach((map) => { map.picture = null; draw(map); });

  function draw(map) {
    const context = map.canvas.getContext("2d");
    if (!map.picture) map.picture = points(map);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, map.canvas.width, map.canvas.height);
    context.drawImage(map.picture, 0, 0);
    context.setTransform(map.ratio, 0, 0, map.ratio, 0, 0);
    const i = T.state.hovered >= 0 ? T.state.hovered : T.state.picked;
    if (i >= 0) {
      context.strokeStyle = T.ink();
      context.lineWidth = 2.5;
      context.beginPath();
      context.arc(map.screen[2 * i], map.screen[2 * i + 1], 7, 0, 7);
      context.stroke();
    }
    if (map.box) {
      context.strokeStyle = T.style("--accent");
      context.setLineDash([4, 3]);
      context.strokeRect(map.box[0], map.box[1], map.box[2] - map.box[0], map.box[3] - map.box[1]);
      context.setLineDash([]);
    }
  }

  // The points once, by squares: at this size a square is as good as a disc and much faster.
  function points(map) {
    const picture = document.createElement("canvas");
    picture.width = map.canvas.width;
    picture.height = map.canvas.height;
    const context = picture.getContext("2d");
    const { n } = T.report;
    const size = (n <= 1000 ? 4 : n <= 10000 ? 2.5 : 1.4) * map.ratio;
    const chosen = T.state.chosen;
    const grey = T.dark() ? "#3e4348" : "#d8dbdf";
    for (const pass of chosen ? [0, 1] : [1]) {
      for (let i = 0; i < n; i++) {
        if (chosen && chosen[i] !== pass) continue;
        context.fillStyle = pass ? T.css(T.unpack(T.colouring.rgba[i])) : grey;
        context.fillRect(map.screen[2 * i] * map.ratio - size / 2, map.screen[2 * i + 1] * map.ratio - size / 2, size, size);
      }
    }
    return picture;
  }

  function listen(map) {
    const place = (event) => {
      const box = map.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    map.canvas.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      if (map.box) {
        map.box = [map.box[0], map.box[1], x, y];
        return draw(map);
      }
      hover(nearest(map, x, y));
    });
    map.canvas.addEventListener("pointerdown", (event) => {
      const [x, y] = place(event);
      map.box = [x, y, x, y];
      try { map.canvas.setPointerCapture(event.pointerId); } catch { /* made by a script */ }
    });
    map.canvas.addEventListener("pointerup", () => finish(map));
    map.canvas.addEventListener("pointercancel", () => { map.box = null; draw(map); });
    map.canvas.addEventListener("pointerleave", () => { if (!map.box) hover(-1); });
    map.canvas.addEventListener("keydown", (event) => key(map, event));
    map.canvas.addEventListener("blur", () => hover(-1));
  }

  // ---- Keys: arrows by place, N and P by row.
  const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  function key(map, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { n } = T.report;
    const at = T.state.hovered;
    const by = { n: 1, p: -1 }[event.key.toLowerCase()];
    let next = -1;
    if (by) next = (at + by + n + (at < 0 && by < 0 ? 1 : 0)) % n;
    else if (directions[event.key]) next = at < 0 ? nearest(map, map.width / 2, map.height / 2, Infinity) : toward(map, at, directions[event.key]);
    else if (event.key !== "Escape") return;
    event.preventDefault();
    hover(next);
  }

  // The nearest point in a quadrant, or the same where there is none.
  function toward(map, from, [dx, dy]) {
    const s = map.screen;
    let [best, row] = [Infinity, from];
    for (let i = 0; i < T.report.n; i++) {
      const [x, y] = [s[2 * i] - s[2 * from], s[2 * i + 1] - s[2 * from + 1]];
      const [along, aside] = [x * dx + y * dy, Math.abs(x * dy - y * dx)];
      if (along > 0 && aside <= along && along + aside < best) [best, row] = [along + aside, i];
    }
    return row;
  }

  function nearest(map, x, y, within = 10) {
    let [best, row] = [within ** 2, -1];
    for (let i = 0; i < T.report.n; i++) {
      const far = (map.screen[2 * i] - x) ** 2 + (map.screen[2 * i + 1] - y) ** 2;
      if (far < best) [best, row] = [far, i];
    }
    return row;
  }

  function hover(i) {
    if (i === T.state.hovered) return;
    T.state.hovered = i;
    maps.forEach(draw);
    const note = T.byId("panel-evidence").querySelector('[data-test="compare-point"]');
    if (note) note.textContent = i < 0 ? "" : T.id(i) + (T.label(i) ? ", " + T.label(i) : "");
  }

  // A drag selects; a click without one clears.
  function finish(map) {
    const [x1, y1, x2, y2] = map.box;
    map.box = null;
    if (Math.abs(x2 - x1) + Math.abs(y2 - y1) < 6) T.clearSelection();
    else {
      const [left, right, top, bottom] = [Math.min(x1, x2), Math.max(x1, x2), Math.min(y1, y2), Math.max(y1, y2)];
      const s = map.screen;
      T.select((i) => s[2 * i] >= left && s[2 * i] <= right && s[2 * i + 1] >= top && s[2 * i + 1] <= bottom);
    }
  }

  T.on("selected", () => { if (T.state.tab === "evidence") drawAll(); });
})();
