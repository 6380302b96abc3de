// Small charts in SVG: lines with error bars, and bars with error bars.
(function () {
  const margin = { left: 56, right: 14, top: 8, bottom: 31 };

  // on a dark page thin lines need more light than points do
  T.seriesColour = (k) => T.css(T.classColour(k).map((v) => (T.dark() ? Math.round(v + 0.3 * (255 - v)) : v)));
  const dashes = ["", "7 3", "2 3", "9 3 2 3"];

  // A place on an axis; on a logarithmic one, of what is positive.
  function scale(low, high, from, to, log) {
    const t = log ? Math.log10 : (v) => v;
    let [a, b] = [t(low), t(high)];
    if (!(b > a)) [a, b] = [a - 0.5, a + 0.5];
    return { of: (v) => from + ((t(v) - a) / (b - a)) * (to - from), ticks: (most) => (log ? logTicks(a, b, most) : T.ticks(a, b, most)) };
  }

  function logTicks(a, b, most) {
    if (b - a < 2.2) return oneTwoFive(a, b, b - a < 1 ? [1, 2, 3, 5, 7] : b - a < 1.6 ? [1, 2, 5] : [1, 3]);
    const step = Math.max(1, Math.ceil((b - a) / most));
    const ticks = [];
    for (let p = Math.ceil(a - 1e-9); p <= b + 1e-9; p += step) ticks.push({ value: 10 ** p, text: T.number(10 ** p, 2) });
    return ticks;
  }

  function oneTwoFive(a, b, steps) {
    const ticks = [];
    for (let p = Math.floor(a); p <= b; p++) {
      for (const step of steps) {
        const value = Number(`${step}e${p}`);
        if (value >= 10 ** a * 0.999 && value <= 10 ** b * 1.001) ticks.push({ value, text: T.number(value, 2) });
      }
    }
    return ticks.length > 1 ? ticks : T.ticks(10 ** a, 10 ** b, 5);
  }

  // options: {title, test, width, height, series: [{name, x, y, error}], log, xTitle, xWord, xTicks, yRange, link, note}.
  // Charts with the same `link` show the same place when one is pointed at.
  T.lineChart = function (options) {
    const { width, height, series, log } = options;
    const shown = series.map((s, k) => ({ ...s, k, colour: s.colour || T.seriesColour(k) }));
    const [xLow, xHigh] = T.range(shown.flatMap((s) => s.x));
    const [yLow, yHigh] = options.yRange || spanOf(shown, log);
    const slack = log ? 0 : (yHigh - yLow) * 0.05 || Math.abs(yHigh) * 0.05 || 1;
    const side = options.points ? 10 : 0; // room for marks at both ends
    const y = scale(yLow - slack, yHigh + slack, height - margin.bottom, margin.top, log);
    const rungs = y.ticks(Math.max(2, Math.floor(height / 45)));
    const left = Math.max(margin.left, ...rungs.map(({ text }) => 12 + 6.8 * text.length)); // long numbers must not be cut
    const x = scale(xLow, xHigh, left + side, width - margin.right - side, false);
    const inner = T.svg("g", {});
    drawAxes(inner, options, x, y, rungs, left);
    const clip = "clip-" + options.test;
    const plot = T.svg("g", { "clip-path": `url(#${clip})` });
    for (const s of shown) drawSeries(plot, s, x, y, options.points);
    const cursor = T.svg("line", { class: "cursor", y1: margin.top, y2: height - margin.bottom, visibility: "hidden" });
    const svg = T.svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "chart", tabindex: "0", role: "img",
      "aria-label": describe(options, shown), "data-test": options.test },
    T.svg("clipPath", { id: clip }, T.svg("rect", { x: left, y: 0, width: width - left - margin.right, height: height - margin.bottom })),
    inner, plot, cursor);
    const readout = T.make("span", { class: "readout", "data-test": options.test + "-readout" });
    const figure = T.make("figure", { class: "chart-box" }, T.make("figcaption", {}, T.make("span", { class: "chart-title", text: options.title }), readout),
      shown.length > 1 ? key(shown) : null, svg, options.note ? T.make("p", { class: "note", text: options.note }) : null);
    point(svg, shown, x, cursor, readout, options);
    return figure;
  };

  function spanOf(shown, log) {
    const values = shown.flatMap((s) => Array.from(s.y).flatMap((v, i) => (s.error && Number.isFinite(s.error[i]) ? [v - s.error[i], v + s.error[i]] : [v])));
    return T.range(log ? values.filter((v) => v > 0) : values);
  }

  const last = (values) => values[values.length - 1];
  const describe = (options, shown) => options.title + ": " + shown.map((s) => `${s.name} from ${T.number(s.y[0])} to ${T.number(last(s.y))}`).join("; ");

  function drawAxes(group, options, x, y, rungs, left) {
    const { width, height } = options;
    for (const { value, text } of rungs) {
      const at = y.of(value);
      group.append(T.svg("line", { class: "grid", x1: left, x2: width - margin.right, y1: at, y2: at }),
        T.svg("text", { class: "tick", x: left - 6, y: at + 4, "text-anchor": "end", text }));
    }
    const ticks = options.xTicks || across(x.ticks(Math.max(2, Math.floor(width / 90))), options.whole);
    for (const { value, text } of ticks) {
      group.append(T.svg("text", { class: "tick", x: x.of(value), y: height - margin.bottom + 15, "text-anchor": "middle", text }));
    }
    if (options.xTitle) group.append(T.svg("text", { class: "tick axis", x: width - margin.right, y: height - 3, "text-anchor": "end", text: options.xTitle }));
  }

  // Where only whole numbers have a meaning, no others are written, and these without decimals.
  function across(ticks, whole) {
    if (!whole) return ticks;
    return ticks.filter(({ value }) => Number.isInteger(value)).map(({ value }) => ({ value, text: T.number(value, 7) }));
  }

  function drawSeries(group, s, x, y, points) {
    let path = "";
    for (let i = 0; i < s.x.length; i++) {
      const at = y.of(s.y[i]);
      if (!Number.isFinite(at)) continue;
      path += (path ? "L" : "M") + x.of(s.x[i]).toFixed(1) + " " + at.toFixed(1);
      if (s.error && s.error[i] > 0) {
        const px = x.of(s.x[i]);
        group.append(T.svg("line", { x1: px, x2: px, y1: y.of(s.y[i] - s.error[i]), y2: y.of(s.y[i] + s.error[i]), stroke: s.colour, "stroke-width": 1.4 }));
      }
      if (points) group.append(T.svg("circle", { cx: x.of(s.x[i]), cy: at, r: 3, fill: s.colour }));
    }
    group.append(T.svg("path", { d: path, fill: "none", stroke: s.colour, "stroke-width": 1.8, "stroke-dasharray": dashes[s.k % 4], "stroke-linejoin": "round" }));
  }

  function key(shown) {
    return T.make("div", { class: "chart-key" }, shown.map((s) => T.make("span", { class: "key" },
      T.svg("svg", { width: 22, height: 8, "aria-hidden": "true" },
        T.svg("line", { x1: 0, x2: 22, y1: 4, y2: 4, stroke: s.colour, "stroke-width": 2, "stroke-dasharray": dashes[s.k % 4] })), s.name)));
  }

  // Pointing at a chart, or arrow keys on it, tells the values there.
  function point(svg, shown, x, cursor, readout, options) {
    const places = [...new Set(shown.flatMap((s) => Array.from(s.x)))].sort((a, b) => a - b);
    const link = options.link || { listeners: [], show(at) { this.listeners.forEach((f) => f(at)); } };
    let current = null;
    link.listeners.push((at) => {
      current = at;
      cursor.setAttribute("visibility", at === null ? "hidden" : "visible");
      readout.textContent = "";
      if (at === null) return;
      cursor.setAttribute("x1", x.of(at));
      cursor.setAttribute("x2", x.of(at));
      const values = shown.map((s) => [s.name, s.y[Array.from(s.x).indexOf(at)]]).filter(([, v]) => v !== undefined && v !== null);
      const place = options.xTicks ? options.xTicks.find((t) => t.value === at)?.text : T.number(at);
      readout.textContent = `${options.xWord} ${place}: ` + values.map(([name, v]) => (shown.length > 1 ? name + " " : "") + T.number(v, 5)).join(", ");
    });
    const nearest = (px) => places.reduce((best, at) => (Math.abs(x.of(at) - px) < Math.abs(x.of(best) - px) ? at : best), places[0]);
    svg.addEventListener("pointermove", (event) => places.length && link.show(nearest(event.clientX - svg.getBoundingClientRect().left)));
    svg.addEventListener("pointerleave", () => link.show(null));
    svg.addEventListener("blur", () => link.show(null));
    svg.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by || !places.length) return;
      event.preventDefault();
      const index = current === null ? (by > 0 ? 0 : places.length - 1) : places.indexOf(current) + by;
      link.show(places[Math.min(places.length - 1, Math.max(0, index))]);
    });
  }

  T.link = () => ({ listeners: [], show(at) { for (const listener of this.listeners) listener(at); } });

  // Horizontal bars from zero with error bars: rows [{name, value, error}].
  T.barChart = function ({ title, rows, width, rowHeight, test, colour }) {
    const longest = Math.max(...rows.map((r) => r.name.length));
    const nameWidth = Math.min(width * 0.4, Math.max(24, longest * 6.6));
    const height = rows.length * rowHeight + 22;
    const room = (r) => T.report.reach * (r.error || 0);
    const reach = Math.max(...rows.map((r) => Math.abs(r.value) + room(r)), 1e-300);
    const signed = rows.some((r) => r.value - room(r) < 0);
    const x = scale(signed ? -reach : 0, reach, nameWidth + 8, width - 12, false);
    const svg = T.svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "data-test": test,
      "aria-label": title + ": " + rows.map((r) => `${r.name} ${T.withError(r.value, r.error)}`).join(", ") });
    for (const { value, text } of x.ticks(5)) {
      svg.append(T.svg("line", { class: value === 0 ? "zero" : "grid", x1: x.of(value), x2: x.of(value), y1: 0, y2: rows.length * rowHeight + 2 }),
        T.svg("text", { class: "tick", x: x.of(value), y: height - 6, "text-anchor": "middle", text }));
    }
    rows.forEach((r, k) => svg.append(bar(r, k * rowHeight, x, rowHeight, nameWidth, colour)));
    return T.make("figure", { class: "chart-box" }, T.make("figcaption", {}, T.make("span", { class: "chart-title", text: title })), svg);
  };

  function bar({ name, value, error }, top, x, rowHeight, nameWidth, colour) {
    const middle = top + rowHeight / 2 + 1;
    const most = Math.floor(nameWidth / 6.6);
    const short = name.length > most ? name.slice(0, most - 1) + "…" : name;
    const [zero, end] = [x.of(0), x.of(value)];
    const [left, right] = [-1, 1].map((side) => x.of(value + side * T.report.reach * error));
    const whisker = T.svg("path", { class: "whisker", d: `M${left} ${middle}H${right}M${left} ${middle - 3}v6M${right} ${middle - 3}v6` });
    return T.svg("g", {}, T.svg("title", { text: `${name}: ${T.withError(value, error)}` }),
      T.svg("text", { class: "tick name", x: nameWidth, y: middle + 4, "text-anchor": "end", text: short }),
      T.svg("rect", { x: Math.min(zero, end), y: top + 3, width: Math.max(1, Math.abs(end - zero)), height: rowHeight - 4, fill: colour }),
      error > 0 ? whisker : null);
  }
})();
