// The map: three layers (behind the points, the points, before them), drawn once a frame at most.
(function () {
  const names = ["back", "points", "front"];
  const layers = {};
  let ratio = 1; // device pixels a CSS pixel
  let wanted = { view: false, front: false };
  let lastFrame = 0;
  let lastZoom = -1e9;
  T.facts = { pointsDrawn: 0, frames: 0, frameTimes: [], drawTimes: [], firstPicture: null, ellipses: 0, edges: 0, arrows: 0, names: [] };

  T.setUpMap = function () {
    for (const name of names) {
      const canvas = T.byId("layer-" + name);
      layers[name] = { canvas, context: canvas.getContext("2d", name === "points" ? { willReadFrequently: true } : undefined) };
    }
    new ResizeObserver(fitSize).observe(T.byId("stage"));
    fitSize();
    T.on("moved", () => T.redraw());
    T.on("recoloured", () => T.redraw());
    T.on("zoomed", noteZoom);
  };

  function fitSize() {
    const box = T.byId("stage").getBoundingClientRect();
    const [width, height] = [Math.round(box.width), Math.round(box.height)];
    const sharp = Math.min(window.devicePixelRatio || 1, T.report.n > 30000 ? 1.5 : 2);
    if (!width || !height || (width === T.view.width && height === T.view.height && sharp === ratio)) return;
    ratio = sharp;
    for (const name of names) {
      layers[name].canvas.width = Math.round(width * ratio);
      layers[name].canvas.height = Math.round(height * ratio);
    }
    T.sizePixels(Math.round(width * ratio), Math.round(height * ratio));
    T.resizeView(width, height);
    drawAll(); // at once: a resized canvas is blank
  }

  // ---- When to draw.
  T.redraw = () => ask("view");
  T.redrawFront = () => ask("front");

  function ask(what) {
    if (!wanted.view && !wanted.front) requestAnimationFrame(frame);
    wanted[what] = true;
  }

  function frame(now) {
    const { view } = wanted;
    wanted = { view: false, front: false };
    if (!T.view.width || T.state.tab === "evidence") return;
    if (!view) return drawFront();
    noteFrame(now);
    drawAll();
  }

  // Times between frames of the last zoom, for tests.
  function noteZoom() {
    const now = performance.now();
    if (now - lastZoom > 400) {
      T.facts.frameTimes.length = 0;
      T.facts.drawTimes.length = 0;
      lastFrame = 0;
    }
    lastZoom = now;
  }

  function noteFrame(now) {
    if (lastFrame && performance.now() - lastZoom < 400) T.facts.frameTimes.push(now - lastFrame);
    lastFrame = now;
  }

  function drawAll() {
    const begin = performance.now();
    T.project();
    T.facts.pointsDrawn = T.splat(layers.points.context, ratio);
    drawBack();
    drawFront();
    T.facts.frames++;
    T.facts.drawTimes.push(performance.now() - begin);
    if (T.facts.drawTimes.length > 500) T.facts.drawTimes.shift();
    if (T.facts.firstPicture === null) T.facts.firstPicture = performance.now();
    T.announce("drawn");
  }

  function clean(layer) {
    const { context, canvas } = layers[layer];
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
  }

  // ---- Behind the points: axes, then what the open tab adds, then ellipses.
  const backdrops = [];
  const foregrounds = [];
  T.behind = (draw) => backdrops.push(draw);
  T.before = (draw) => foregrounds.push(draw);

  function drawBack() {
    const context = clean("back");
    if (T.view.kind === "space") drawCube(context);
    else drawGrid(context);
    if (T.view.kind === "strip") drawDensity(context);
    for (const draw of backdrops) draw(context);
    T.drawEllipses(context);
  }

  function drawFront() {
    const context = clean("front");
    if (T.view.kind === "space") nameAxes(context);
    else labelGrid(context);
    for (const draw of foregrounds) draw(context);
    ringAround(context, T.state.picked, 3);
    ringAround(context, T.state.hovered, 2);
  }

  function ringAround(context, i, width) {
    if (i < 0) return;
    const radius = T.pointRadius() + 3;
    for (const [colour, line] of [[T.css(T.pageColour()), width + 2], [T.ink(), width - 0.5]]) {
      context.strokeStyle = colour;
      context.lineWidth = line;
      context.beginPath();
      context.arc(T.screen.x[i], T.screen.y[i], radius, 0, 7);
      context.stroke();
    }
  }

  // Text that can be read on points too.
  T.haloText = function (context, text, x, y, colour = T.ink()) {
    context.strokeStyle = T.css(T.pageColour(), 0.85);
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeText(text, x, y);
    context.fillStyle = colour;
    context.fillText(text, x, y);
  };

  // ---- Axes.
  T.font = (size = 11, weight = "") => `${weight} ${size}px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`.trim();

  function drawGrid(context) {
    const { width, height, kind } = T.view;
    context.lineWidth = 1;
    context.strokeStyle = T.style("--grid");
    for (const [x] of ticksOf(0)) line(context, x, 0, x, height);
    if (kind === "plane") for (const [y] of ticksOf(1)) line(context, 0, y, width, y);
  }

  // [place on the screen, text] of the ticks along the screen's first or second axis.
  function ticksOf(axis) {
    const { scale, centre } = T.view;
    const [size, sign, apart] = axis ? [T.view.height, -1, 75] : [T.view.width, 1, 85];
    const half = size / 2 / scale;
    return T.ticks(centre[axis] - half, centre[axis] + half, Math.max(2, size / apart)).map(({ value, text }) =>
      [Math.round(size / 2 + sign * (value - centre[axis]) * scale) + 0.5, text]);
  }

  // Before the points, which would cover them.
  function labelGrid(context) {
    const { width, height, axes, kind } = T.view;
    const quiet = T.style("--quiet");
    context.font = T.font();
    context.textAlign = "center";
    for (const [x, text] of ticksOf(0)) if (x > 22 && x < width - 44) T.haloText(context, text, x, height - 6, quiet);
    context.textAlign = "left";
    if (kind === "plane") for (const [y, text] of ticksOf(1)) if (y > 36 && y < height - 22) T.haloText(context, text, 6, y - 4, quiet);
    context.font = T.font(12, "600");
    if (kind === "plane") T.haloText(context, T.report.axisNames[axes[1]], 6, 16);
    context.textAlign = "right";
    T.haloText(context, T.report.axisNames[kind === "strip" ? 0 : axes[0]], width - 8, height - 6);
  }

  function line(context, x1, y1, x2, y2) {
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  }

  function drawCube(context) {
    const box = T.view.box;
    const corner = (bits) => T.fromSpace(box.map((ends, a) => ends[(bits >> a) & 1]));
    context.strokeStyle = T.style("--grid-strong");
    context.lineWidth = 1;
    for (let bits = 0; bits < 8; bits++) {
      for (let a = 0; a < 3; a++) if (!((bits >> a) & 1)) line(context, ...corner(bits), ...corner(bits | (1 << a)));
    }
  }

  function nameAxes(context) {
    context.font = T.font(12, "600");
    context.textAlign = "center";
    for (let a = 0; a < 3; a++) {
      const middle = T.view.box.map((ends, b) => (b === a ? (ends[0] + ends[1]) / 2 : ends[0] - 0.07 * (ends[1] - ends[0])));
      const [x, y] = T.fromSpace(middle);
      T.haloText(context, T.axisName(a), x, y + 4);
    }
  }

  // ---- One dimension: a smoothed histogram above the points, one for each class if the classes are the colours.
  let curves = { key: null, list: [] };

  function densityCurves() {
    const classes = T.colouring.kind === "classes" && T.colouring.classes.names.length <= 8 ? T.colouring.classes : null;
    const key = T.state.colourBy + T.state.theme;
    if (curves.key === key) return curves.list;
    const [low, high] = T.range(T.report.x);
    const rows = T.report.n;
    const [q1, q3] = T.quantiles(T.report.x, [0.25, 0.75]);
    const width = Math.max(1e-9, 0.35 * ((q3 - q1) / 1.34 || (high - low) / 4 || 1) * rows ** -0.2);
    const list = [densityCurve(low, high, width, null, rows)];
    if (classes) classes.names.forEach((_, k) => list.push({ ...densityCurve(low, high, width, (i) => classes.of[i] === k, rows), k }));
    curves = { key, list };
    return list;
  }

  function densityCurve(low, high, width, member, total) {
    const [from, to] = [low - 4 * width, high + 4 * width];
    const bins = Math.min(4000, Math.max(50, Math.ceil((8 * (to - from)) / width)));
    const step = (to - from) / bins;
    const counts = new Float64Array(bins);
    T.report.x.forEach((x, i) => {
      if (Number.isFinite(x) && (!member || member(i))) counts[Math.min(bins - 1, Math.floor((x - from) / step))]++;
    });
    const reach = Math.ceil((4 * width) / step);
    const kernel = Array.from({ length: 2 * reach + 1 }, (_, k) => Math.exp(-0.5 * (((k - reach) * step) / width) ** 2));
    const scale = kernel.reduce((a, b) => a + b) * total * step;
    const y = new Float64Array(bins);
    counts.forEach((count, b) => {
      if (count) for (let k = Math.max(0, reach - b); k < kernel.length && b + k - reach < bins; k++) y[b + k - reach] += (count * kernel[k]) / scale;
    });
    return { from, step, y };
  }

  function drawDensity(context) {
    const { width, height, scale, centre } = T.view;
    const list = densityCurves();
    const [, top] = T.range(list[0].y);
    const base = height * 0.56;
    const place = (curve, b) => [width / 2 + (curve.from + (b + 0.5) * curve.step - centre[0]) * scale, base - (curve.y[b] / top) * height * 0.46];
    list.forEach((curve, c) => {
      context.beginPath();
      curve.y.forEach((_, b) => context.lineTo(...place(curve, b)));
      context.strokeStyle = c ? T.css(T.classColour(curve.k)) : T.style("--soft");
      context.lineWidth = 1.6;
      context.stroke();
      if (c) return;
      context.lineTo(place(curve, curve.y.length - 1)[0], base);
      context.lineTo(place(curve, 0)[0], base);
      context.fillStyle = T.style("--wash");
      context.fill();
    });
    context.fillStyle = T.style("--quiet");
    context.font = T.font();
    context.textAlign = "left";
    context.fillText("density of the points", 8, 16);
  }
})();
