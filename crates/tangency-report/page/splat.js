// Draws the points by writing pixels. Canvas calls for each point would be too slow for 10⁵ of them; a stamp of a few pixels is not.
(function () {
  const pad = 16; // pixels around the picture, so that no stamp needs clipping
  let buffer = null; // ImageData with its margin
  let pixels = null; // the same memory as one number a pixel
  let order = null;

  T.sizePixels = function (width, height) {
    buffer = new ImageData(width + 2 * pad, height + 2 * pad);
    pixels = new Int32Array(buffer.data.buffer);
    stamps.clear(); // they hold offsets of the old width
  };

  // ---- Stamps: which pixels a mark covers, and how much of each.
  const stamps = new Map();
  const inside = [
    (x, y, r, grow) => x * x + y * y <= (r + grow) ** 2, // disc
    (x, y, r, grow) => Math.max(Math.abs(x), Math.abs(y)) <= 0.87 * r + grow, // square
    (x, y, r, grow) => Math.max(y, 0.866 * Math.abs(x) - 0.5 * y) <= 0.68 * r + grow, // triangle
  ];

  // Fitted points are filled and, where there is room, have a thin edge in the colour of the page; new rows are hollow.
  // Crisp stamps have whole pixels only: half covered ones must be mixed with what is below, which is ten times slower.
  function stamp(shape, radius, hollow, edge, crisp, quarter, row) {
    const key = [shape, radius, hollow, edge, crisp, quarter].join();
    if (!stamps.has(key)) stamps.set(key, makeStamp(inside[shape], radius, hollow, edge, crisp, quarter & 1, quarter >> 1, row));
    return stamps.get(key);
  }

  function makeStamp(within, radius, hollow, edge, crisp, right, down, row) {
    const reach = Math.min(pad - 2, Math.ceil(radius * 1.5 + edge + 1));
    const cells = [];
    for (let y = -reach; y <= reach; y++) {
      for (let x = -reach; x <= reach; x++) {
        let [mark, rim] = [0, 0];
        for (let s = 0; s < 16; s++) {
          const px = x + (s % 4) / 4 + 0.125 - (right ? 0.75 : 0.25);
          const py = y + (s >> 2) / 4 + 0.125 - (down ? 0.75 : 0.25);
          if (within(px, py, radius, 0)) mark += hollow && within(px, py, radius, -hollow) ? 0 : 1;
          else if (edge && within(px, py, radius, edge)) rim++;
        }
        if (mark || rim) cells.push([y * row + x, mark * 16, rim * 11]);
      }
    }
    const whole = cells.filter((c) => c[1] === 256 || (crisp && c[1] >= 128));
    const part = crisp ? [] : cells.filter((c) => c[1] < 256);
    return {
      whole: Int32Array.from(whole, (c) => c[0]), part: Int32Array.from(part, (c) => c[0]),
      mark: Uint16Array.from(part, (c) => c[1]), rim: Uint16Array.from(part, (c) => c[2]),
    };
  }

  // Puts `colour` over a pixel; cover from 0 to 256.
  function blend(at, colour, cover) {
    const under = pixels[at];
    const alpha = under >>> 24;
    if (alpha === 0) {
      pixels[at] = (((cover * 255) >> 8) << 24) | (colour & 0xffffff);
      return;
    }
    // where the pixel below is itself half covered, the new colour weighs more
    const total = cover + ((alpha * (256 - cover)) >> 8);
    const share = alpha === 255 ? cover : Math.min(256, (256 * cover) / total) | 0;
    const rb = under & 0xff00ff;
    const g = under & 0xff00;
    const newRb = ((Math.imul(rb, 256 - share) + Math.imul(colour & 0xff00ff, share)) >>> 8) & 0xff00ff;
    const newG = ((g * (256 - share) + (colour & 0xff00) * share) >>> 8) & 0xff00;
    pixels[at] = (Math.min(255, total) << 24) | newRb | newG;
  }

  function mix({ part, mark, rim }, at, colour, edgeColour) {
    for (let k = 0; k < part.length; k++) {
      if (rim[k]) blend(at + part[k], edgeColour, rim[k]);
      if (mark[k]) blend(at + part[k], colour, mark[k]);
    }
  }

  // ---- The order of drawing: new rows below fitted ones, selected ones above all; in space the farther ones first.
  T.forgetOrder = () => (order = null);

  function drawingOrder() {
    const { n, fitted } = T.report;
    const chosen = T.state.chosen;
    const inSpace = T.view.kind === "space";
    if (order && !inSpace) return order;
    const rows = inSpace ? byDepth(n) : Uint32Array.from({ length: n }, (_, k) => (k < n - fitted ? fitted + k : k - (n - fitted)));
    if (!chosen) return (order = rows);
    order = new Uint32Array(n);
    let [back, front] = [0, n - T.state.chosenCount];
    for (const i of rows) order[chosen[i] ? front++ : back++] = i;
    return order;
  }

  function byDepth(n) {
    const depth = T.screen.depth;
    const [low, high] = T.range(depth);
    const bins = 512;
    const factor = high > low ? (bins - 1) / (high - low) : 0;
    const starts = new Uint32Array(bins + 1);
    const bin = new Uint16Array(n);
    for (let i = 0; i < n; i++) {
      bin[i] = (depth[i] - low) * factor; // cut to a whole number by the array
      starts[bin[i] + 1]++;
    }
    for (let b = 0; b < bins; b++) starts[b + 1] += starts[b];
    const rows = new Uint32Array(n);
    for (let i = 0; i < n; i++) rows[starts[bin[i]]++] = i;
    return rows;
  }

  // New rows are no part of the graph, and would cover its edges.
  T.shownRows = () => (T.colouring.kind === "edges" ? T.report.fitted : T.report.n);

  const baseRadius = (n) => (n <= 500 ? 4.6 : n <= 2000 ? 3.8 : n <= 5000 ? 3 : n <= 20000 ? 2.4 : 1.7);

  // Points grow a little on zoom. Fitted ones stand out from many new rows.
  T.pointRadius = function () {
    const { n, fitted } = T.report;
    const room = Math.min(1, Math.max(0.62, T.view.width / 700)); // a small map has small points
    const base = room * Math.max(baseRadius(n), Math.min(2.5, baseRadius(fitted)));
    return Math.min(6, Math.max(base * 0.6, base * (T.view.scale / T.view.home.scale) ** 0.25));
  };

  // Draws all points and returns how many were inside the picture.
  T.splat = function (context, ratio) {
    const width = buffer.width;
    const [right, bottom] = [width - 2 * pad, buffer.height - 2 * pad];
    const { x: sx, y: sy, depth } = T.screen;
    const { shapes } = T.colouring;
    const rgba = new Int32Array(T.colouring.rgba.buffer); // signed ones are faster to copy
    const { fitted, n } = T.report;
    const chosen = T.state.chosen;
    const radius = Math.round(T.pointRadius() * ratio * 4) / 4;
    const share = n > 20000 ? 0.62 : 0.8;
    const small = Math.max(0.75 * ratio, Math.round(radius * share * 4) / 4);
    const edge = fitted <= 20000 && radius > 2 ? 0.8 * ratio : 0;
    const hollow = small > 2.4 * ratio ? 1.3 * ratio : 0;
    const page = T.pack(T.pageColour()) | 0;
    const grey = T.pack(T.faded()) | 0;
    const fog = depth && T.view.kind === "space" ? fogTable() : null;
    const masks = [];
    for (let shape = 0; shape < 3; shape++) {
      for (let q = 0; q < 4; q++) {
        masks.push(stamp(shape, radius, 0, edge, fitted > 20000, q, width), stamp(shape, small, hollow, 0, n > 20000, q, width));
      }
    }
    const out = pixels;
    out.fill(0);
    let drawn = 0;
    const rows = drawingOrder();
    const end = T.shownRows();
    for (let k = 0; k < n; k++) {
      const i = rows[k];
      if (i >= end) continue;
      const px = sx[i] * ratio;
      const py = sy[i] * ratio;
      if (!(px > -pad / 2 && py > -pad / 2 && px < right + pad / 2 && py < bottom + pad / 2)) continue;
      const cx = Math.floor(px);
      const cy = Math.floor(py);
      const quarter = (px - cx >= 0.5 ? 1 : 0) + (py - cy >= 0.5 ? 2 : 0);
      const shape = shapes ? shapes[i] : 0;
      let colour = chosen && !chosen[i] ? grey : rgba[i];
      if (fog) colour = fog(colour, depth[i]);
      const mask = masks[shape * 8 + quarter * 2 + (i >= fitted ? 1 : 0)];
      const at = (cy + pad) * width + cx + pad;
      const whole = mask.whole;
      for (let w = 0; w < whole.length; w++) out[at + whole[w]] = colour;
      if (mask.part.length) mix(mask, at, colour, page);
      if (px >= 0 && py >= 0 && px < right && py < bottom) drawn++;
    }
    context.putImageData(buffer, -pad, -pad);
    return drawn;
  };

  // In space, what is farther away fades into the page.
  function fogTable() {
    const [low, high] = T.range(T.screen.depth);
    const [r, g, b] = T.pageColour();
    return (colour, depth) => {
      const fade = high > low ? 0.6 * (1 - (depth - low) / (high - low)) : 0;
      const cr = colour & 255;
      const cg = (colour >> 8) & 255;
      const cb = (colour >> 16) & 255;
      return (255 << 24) | ((cb + fade * (b - cb)) << 16) | ((cg + fade * (g - cg)) << 8) | (cr + fade * (r - cr));
    };
  }
})();
