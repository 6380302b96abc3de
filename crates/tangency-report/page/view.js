// Where the points are on the screen. Three kinds of view: "plane" (two coordinates), "strip" (one) and "space" (three, turned by hand).
// A space is that of three coordinates, or of the table ("measured"): of its three features, or along its three widest directions.
(function () {
  const view = {
    kind: "plane", source: "map", axes: [0, 1], width: 0, height: 0,
    centre: [0, 0], scale: 1, // of the screen: units at its middle, pixels a unit
    turn: null, middle: [0, 0, 0], // space: 3 × 3 rotation by rows, and the point about which it turns
    home: null,
  };
  T.view = view;
  // seen from the side and from above: a little, or, where folds of what was measured should show, more
  const startTurn = { map: [[0.82, 0, -0.57], [-0.22, 0.92, -0.32], [0.53, 0.38, 0.76]], measured: [[0.82, 0, -0.57], [-0.44, 0.64, -0.63], [0.36, 0.77, 0.53]] };

  let measured = null; // where rows are in the space of the table, made when it is asked for; each feature from 0 to 1 where three differ in units
  const ofMap = () => ({ 1: "strip", 3: "space" })[T.report.d] || "plane";

  const three = () => T.report.names.length === 3;
  const directions = () => T.report.directions;
  T.canBeMeasured = () => (three() || Boolean(directions())) && Boolean(T.report.values);
  T.measuredNames = () => (three() ? T.report.names : directions().shares.map((share, a) => `${["widest", "second", "third"][a]} direction (${T.percent(share)})`));
  T.measuredShare = () => (three() ? 1 : directions().shares.reduce((sum, share) => sum + share, 0));
  T.axisName = (a) => (view.source === "measured" ? T.measuredNames() : T.report.axisNames)[a];

  // A row of the table in its space. What is missing counts as the mean; of a row of which nothing is known there is no place.
  function inSpace(value) {
    const { low, high, mean, names } = T.report;
    if (three()) {
      const sizes = low.map((v, f) => high[f] - v);
      const unlike = Math.max(...sizes) > 20 * Math.min(...sizes);
      return [0, 1, 2].map((f) => (unlike ? (value(f) - low[f]) / (sizes[f] || 1) : value(f)));
    }
    const { weights } = directions();
    const place = [0, 0, 0];
    let known = false;
    for (let f = 0; f < names.length; f++) {
      const off = value(f) - mean[f];
      if (!Number.isFinite(off)) continue;
      known = true;
      for (let a = 0; a < 3; a++) place[a] += weights[a * names.length + f] * off;
    }
    return known ? place : [NaN, NaN, NaN];
  }

  function asMeasured() {
    const out = new Float32Array(3 * T.report.n);
    for (let i = 0; i < T.report.n; i++) out.set(inSpace((f) => T.value(i, f)), 3 * i);
    return out;
  }

  // Where a row is in space.
  const spot = (i) => (view.source === "measured" ? [0, 1, 2].map((f) => measured[3 * i + f]) : [0, 1, 2].map((a) => T.at(i, a)));

  T.setUpView = function () {
    const { n, d } = T.report;
    T.screen = { x: new Float32Array(n), y: new Float32Array(n), depth: d === 3 || T.canBeMeasured() ? new Float32Array(n) : null };
    view.kind = ofMap();
    view.turn = startTurn[view.source].map((row) => [...row]);
    if (d === 1) T.jitter = Float32Array.from({ length: n }, (_, i) => ((i * 0.6180339887) % 1)); // even, and the same every time
  };

  // The span to show at first: all points, unless a few far ones would make the others a dot.
  function span(values) {
    const [low, high] = T.range(values);
    const [first, last] = T.quantiles(values, [0.005, 0.995]);
    if (!(high >= low)) return [-1, 1];
    if (last - first > 0 && high - low > 4 * (last - first)) return [first - 0.3 * (last - first), last + 0.3 * (last - first)];
    return [low, high];
  }

  const column = (a) => Float32Array.from({ length: T.report.n }, (_, i) => (view.source === "measured" ? measured[3 * i + a] : T.at(i, a)));

  T.resetView = function () {
    const { width, height } = view;
    const margin = Math.min(44, width * 0.08);
    if (view.kind === "space") {
      const spans = [0, 1, 2].map((a) => span(column(a)));
      view.middle = spans.map(([low, high]) => (low + high) / 2);
      const radius = Math.hypot(...spans.map(([low, high]) => (high - low) / 2)) || 1;
      view.turn = startTurn[view.source].map((row) => [...row]);
      view.centre = [0, 0];
      view.scale = (Math.min(width, height) / 2 - 12) / radius;
      view.box = spans;
    } else if (view.kind === "strip") {
      const [low, high] = span(column(0));
      view.centre = [(low + high) / 2, 0];
      view.scale = (width - 2 * margin) / (high - low || 1);
    } else {
      const [[left, right], [bottom, top]] = view.axes.map((a) => span(column(a)));
      view.centre = [(left + right) / 2, (bottom + top) / 2];
      view.scale = Math.min((width - 2 * margin) / (right - left || 1e-9), (height - 2 * margin) / (top - bottom || 1e-9));
      if (!Number.isFinite(view.scale) || view.scale > 1e8) view.scale = 100;
    }
    view.home = { scale: view.scale, centre: [...view.centre] };
    T.announce("moved");
  };

  T.resizeView = function (width, height) {
    const ratio = view.home && view.width ? view.scale / view.home.scale : 0;
    const centre = [...view.centre];
    view.width = width;
    view.height = height;
    const turn = view.turn;
    T.resetView();
    if (ratio && (ratio !== 1)) {
      view.scale = view.home.scale * ratio;
      view.centre = centre;
    }
    view.turn = turn;
  };

  T.setAxes = function (choice) {
    view.source = choice === "measured" ? "measured" : "map";
    if (choice === "measured") {
      measured ||= asMeasured();
      view.kind = "space";
    } else if (choice === "map") view.kind = ofMap();
    else {
      view.kind = "plane";
      view.axes = choice.split(",").map(Number);
    }
    T.resetView();
  };

  // Fills T.screen.
  T.project = function () {
    const { x: sx, y: sy, depth } = T.screen;
    const { x, n, d } = T.report;
    const { width, height, scale, centre } = view;
    const [w2, h2] = [width / 2, height / 2];
    if (view.kind === "strip") {
      const [top, room] = strip();
      for (let i = 0; i < n; i++) {
        sx[i] = w2 + (x[i] - centre[0]) * scale;
        sy[i] = top + T.jitter[i] * room;
      }
    } else if (view.kind === "plane") {
      const [a, b] = view.axes;
      for (let i = 0; i < n; i++) {
        sx[i] = w2 + (x[i * d + a] - centre[0]) * scale;
        sy[i] = h2 - (x[i * d + b] - centre[1]) * scale;
      }
    } else {
      const [[a, b, c], [e, f, g], [p, q, r]] = view.turn;
      const [m0, m1, m2] = view.middle;
      const all = view.source === "measured" ? measured : x;
      for (let i = 0; i < n; i++) {
        const u = all[3 * i] - m0;
        const v = all[3 * i + 1] - m1;
        const w = all[3 * i + 2] - m2;
        sx[i] = w2 + (a * u + b * v + c * w - centre[0]) * scale;
        sy[i] = h2 - (e * u + f * v + g * w - centre[1]) * scale;
        depth[i] = p * u + q * v + r * w;
      }
    }
  };

  // Top and height of the band of points below the density curve.
  const strip = (T.strip = () => [view.height * 0.62, view.height * 0.24]);

  // The screen place of a latent position: among measurements, of what is expected there.
  T.toScreen = function (at) {
    const { scale, width, centre } = view;
    if (view.kind === "strip") return [width / 2 + (at[0] - centre[0]) * scale, strip()[0] + strip()[1] / 2];
    if (view.source === "measured") return T.report.model ? expectedPlace(at) : [NaN, NaN];
    if (view.kind === "space") return T.fromSpace(at);
    return flat(at[view.axes[0]], at[view.axes[1]]);
  };

  const expectedPlace = (at) => {
    const { values } = T.reconstruct(at);
    return T.fromSpace(inSpace((f) => values[f]));
  };

  const flat = (u, v) => [view.width / 2 + (u - view.centre[0]) * view.scale, view.height / 2 - (v - view.centre[1]) * view.scale];
  T.fromSpace = (place) => flat(...turned(place));

  const turned = (at) => view.turn.map((row) => row.reduce((sum, r, a) => sum + r * (at[a] - view.middle[a]), 0));

  // The latent position under a place on the screen. What the screen does not tell (depth, other axes) is that of the nearest fitted point.
  T.toLatent = function (px, py) {
    const { scale, centre, width, height } = view;
    if (view.source === "measured") {
      const near = Math.max(0, T.nearest(px, py, Infinity, T.report.fitted));
      return T.report.axisNames.map((_, a) => T.at(near, a));
    }
    const u = centre[0] + (px - width / 2) / scale;
    if (view.kind === "strip") return [u];
    const v = centre[1] - (py - height / 2) / scale;
    if (T.report.d === 2) return view.axes[0] === 0 ? [u, v] : [v, u];
    const near = T.nearest(px, py, Infinity, T.report.fitted);
    const at = Array.from({ length: T.report.d }, (_, a) => (near < 0 ? 0 : T.at(near, a)));
    if (view.kind === "plane") {
      at[view.axes[0]] = u;
      at[view.axes[1]] = v;
      return at;
    }
    const place = [u, v, turned(at)[2]];
    return [0, 1, 2].map((a) => view.middle[a] + view.turn.reduce((sum, row, r) => sum + row[a] * place[r], 0));
  };

  // The row nearest to a place on the screen, within `reach` pixels; -1 if there is none. Nearer to the eye wins in space.
  T.nearest = function (px, py, reach, end = T.shownRows()) {
    const { x: sx, y: sy, depth } = T.screen;
    const useDepth = view.kind === "space" && reach < Infinity;
    let [best, row] = [reach * reach, -1];
    for (let i = 0; i < end; i++) {
      const dx = sx[i] - px;
      const dy = sy[i] - py;
      let far = dx * dx + dy * dy;
      if (far > best + 16) continue;
      if (useDepth) far -= 4 * Math.tanh(depth[i] * view.scale * 0.01);
      if (far <= best) [best, row] = [far, i];
    }
    return row;
  };

  T.pan = function (dx, dy) {
    view.centre[0] -= dx / view.scale;
    if (view.kind !== "strip") view.centre[1] += dy / view.scale;
    T.announce("moved");
  };

  // The place (px, py) stays where it is.
  T.zoom = function (factor, px = view.width / 2, py = view.height / 2) {
    const before = view.scale;
    view.scale = Math.min(view.home.scale * 5000, Math.max(view.home.scale / 8, view.scale * factor));
    const shift = 1 / before - 1 / view.scale;
    view.centre[0] += (px - view.width / 2) * shift;
    if (view.kind !== "strip") view.centre[1] -= (py - view.height / 2) * shift;
    T.announce("zoomed");
    T.announce("moved");
  };

  // Turns space about the screen's own axes.
  T.rotate = function (dx, dy) {
    const [cy, sy, cx, sx] = [Math.cos(dx), Math.sin(dx), Math.cos(dy), Math.sin(dy)];
    const [u, v, w] = view.turn;
    const u2 = u.map((_, a) => cy * u[a] + sy * w[a]);
    const w2 = u.map((_, a) => -sy * u[a] + cy * w[a]);
    const v2 = v.map((_, a) => cx * v[a] - sx * w2[a]);
    const w3 = v.map((_, a) => sx * v[a] + cx * w2[a]);
    view.turn = orthonormal([u2, v2, w3]);
    T.announce("moved");
  };

  // Many small turns must not become a stretch.
  function orthonormal(rows) {
    const out = [];
    for (const row of rows) {
      let r = [...row];
      for (const o of out) {
        const along = o.reduce((sum, v, a) => sum + v * r[a], 0);
        r = r.map((v, a) => v - along * o[a]);
      }
      const length = Math.hypot(...r);
      out.push(r.map((v) => v / length));
    }
    return out;
  }

  // Brings a point to the middle, near enough to see its surroundings.
  T.goTo = function (i) {
    const at = Array.from({ length: T.report.d }, (_, a) => T.at(i, a));
    view.scale = Math.max(view.scale, view.home.scale * (view.kind === "space" ? 2 : 4));
    view.centre = view.kind === "space" ? turned(spot(i)).slice(0, 2) : view.kind === "strip" ? [at[0], 0] : view.axes.map((a) => at[a]);
    T.announce("moved");
  };

  // A point's covariance on the screen, in pixels: [xx, xy, yy], y downwards.
  T.screenCovariance = function (i) {
    const s2 = view.scale * view.scale;
    if (view.kind === "strip") return [T.cov(i, 0, 0) * s2, 0, 0];
    if (view.kind === "plane") {
      const [a, b] = view.axes;
      return [T.cov(i, a, a) * s2, -T.cov(i, a, b) * s2, T.cov(i, b, b) * s2];
    }
    const form = (r, t) => {
      let sum = 0;
      for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) sum += r[a] * t[b] * T.cov(i, a, b);
      return sum * s2;
    };
    const [u, v] = view.turn;
    return [form(u, u), -form(u, v), form(v, v)];
  };
})();
