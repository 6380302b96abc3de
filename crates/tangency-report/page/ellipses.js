// Uncertainty on the map: an ellipse for each point, at once where there are few points, else where few are in view.
(function () {
  const atOnce = 500; // points
  const most = 4000; // where they are asked for

  T.drawEllipses = function (context) {
    T.facts.ellipses = 0;
    const wish = T.state.ellipses;
    const among = T.state.tab === "graph" && wish === "auto"; // edges are seen better without
    if (!T.report.covariance || T.view.source === "measured" || wish === "never" || among) return note();
    const rows = inView(wish === "always" ? most : atOnce);
    if (!rows) return note("Zoom in: fewer points must be in view.");
    const shapes = rows.map((i) => [i, ellipse(T.screenCovariance(i))]).filter(([, e]) => e);
    const [median] = T.quantiles(shapes.map(([, e]) => e.major), [0.5]);
    const chosen = T.state.chosen;
    // many overlapping fills are slow, and hide more than they show
    const area = shapes.reduce((sum, [, e]) => sum + 16 * e.major * e.minor, 0) / (T.view.width * T.view.height);
    const alpha = shapes.length > 600 ? 0.4 : area > 1.5 ? 0.45 : 0.7;
    for (const [i, e] of shapes) {
      const rgb = chosen && !chosen[i] ? T.faded() : T.unpack(T.colouring.rgba[i]);
      if (T.view.kind === "strip") drawBar(context, i, e, rgb);
      else drawEllipse(context, i, e, rgb, alpha, area < 1.5);
    }
    T.facts.ellipses = shapes.length;
    const hidden = T.report.reach * median < T.pointRadius();
    note(`Ellipses are ${T.plural(T.report.reach, "standard deviation")}.` + (hidden ? " Most are smaller than their dots: zoom in to see them." : ""));
  };

  function note(words) {
    T.byId("ellipse-note").replaceChildren(...T.termed(T.report.covariance ? words || "" : "The report holds no uncertainty."));
  }

  function inView(limit) {
    const { x, y } = T.screen;
    const { width, height } = T.view;
    const rows = [];
    for (let i = 0; i < x.length; i++) {
      if (x[i] > -40 && y[i] > -40 && x[i] < width + 40 && y[i] < height + 40 && rows.push(i) > limit) return null;
    }
    return rows;
  }

  function ellipse([xx, xy, yy]) {
    const half = (xx - yy) / 2;
    const root = Math.hypot(half, xy);
    const mean = (xx + yy) / 2;
    if (!Number.isFinite(root)) return null;
    return { major: Math.sqrt(Math.max(0, mean + root)), minor: Math.sqrt(Math.max(0, mean - root)), angle: 0.5 * Math.atan2(xy, half) };
  }

  function drawEllipse(context, i, { major, minor, angle }, rgb, alpha, filled) {
    const { reach } = T.report;
    context.beginPath();
    context.ellipse(T.screen.x[i], T.screen.y[i], reach * major, reach * minor, angle, 0, 2 * Math.PI);
    if (filled) {
      context.fillStyle = T.css(rgb, 0.1);
      context.fill();
    }
    context.strokeStyle = T.css(rgb, alpha);
    context.lineWidth = 1.1;
    context.stroke();
  }

  function drawBar(context, i, { major }, rgb) {
    const [x, y] = [T.screen.x[i], T.screen.y[i]];
    context.strokeStyle = T.css(rgb, 0.6);
    context.lineWidth = 1.6;
    context.beginPath();
    context.moveTo(x - T.report.reach * major, y);
    context.lineTo(x + T.report.reach * major, y);
    context.stroke();
  }
})();
