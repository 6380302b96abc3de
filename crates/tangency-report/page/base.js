// The one namespace, and what every part uses: elements, events, numbers, files.
"use strict";
const T = {};

(function () {
  T.byId = (id) => document.getElementById(id);

  // An element. Text goes through textContent only, so that data can never become markup.
  T.make = function (tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
  };

  T.svg = function (tag, attributes, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  };

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "text") element.textContent = value;
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat()) if (child !== null && child !== undefined && child !== false && child !== "") element.append(child);
    return element;
  }

  T.empty = function (element) {
    element.replaceChildren();
    return element;
  };

  // ---- Events between the parts.
  const listeners = new Map();

  T.on = function (name, listener) {
    if (!listeners.has(name)) listeners.set(name, []);
    listeners.get(name).push(listener);
  };

  T.announce = function (name, ...details) {
    for (const listener of listeners.get(name) || []) listener(...details);
  };

  // ---- Numbers.
  const minus = (text) => text.replace("-", "−");
  const superscript = (text) => text.replace(/[-0-9]/g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]));

  // A number with about `digits` significant digits.
  T.percent = (share) => Math.round(100 * share) + " %";

  T.number = function (value, digits = 4) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e7 || size < 1e-4)) {
      const [mantissa, exponent] = value.toExponential(Math.max(0, Math.min(2, digits - 1))).split("e");
      const power = "10" + superscript(String(Number(exponent)));
      return Number(mantissa) === 1 ? power : minus(String(Number(mantissa))) + "×" + power;
    }
    if (size >= 10 ** digits) return minus(String(Math.round(value)));
    return minus(String(Number(value.toPrecision(digits))));
  };

  // A number and its deviation, both to the second digit of the deviation.
  T.withError = function (value, deviation) {
    if (!Number.isFinite(deviation) || deviation <= 0) return T.number(value);
    const decimals = 1 - Math.floor(Math.log10(deviation));
    if (decimals > 8 || Math.abs(value) >= 1e7) return T.number(value) + " ± " + T.number(deviation, 2);
    const round = (x) => minus(x.toFixed(Math.max(0, decimals)));
    return round(value) + " ± " + round(deviation);
  };

  T.count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  T.plural = (n, one, many) => T.count(n) + " " + (n === 1 ? one : many || one + "s");

  // Round numbers that cover a range: [{value, text}].
  T.ticks = function (low, high, most) {
    if (!(high > low)) return [];
    const rough = (high - low) / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const ticks = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high + 1e-9 * step; at++) {
      const value = at * step;
      const plain = Math.abs(value) < 1e6 && decimals <= 6;
      ticks.push({ value, text: plain ? minus((at === 0 ? 0 : value).toFixed(decimals)) : T.number(value, 3) });
      if (ticks.length > 200) break;
    }
    return ticks;
  };

  // The shortest text that gives the same 32-bit number back.
  T.exact = function (value) {
    if (!Number.isFinite(value)) return "";
    for (let digits = 6; digits < 9; digits++) {
      const text = String(Number(value.toPrecision(digits)));
      if (Math.fround(Number(text)) === value) return text;
    }
    return String(Number(value.toPrecision(9)));
  };

  // The value below which this share of the finite values lies; long arrays are sampled.
  T.quantiles = function (values, shares) {
    const step = Math.max(1, Math.floor(values.length / 20000));
    const sorted = [];
    for (let i = 0; i < values.length; i += step) if (Number.isFinite(values[i])) sorted.push(values[i]);
    sorted.sort((a, b) => a - b);
    return shares.map((share) => (sorted.length ? sorted[Math.round(share * (sorted.length - 1))] : NaN));
  };

  T.range = function (values) {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) {
      if (value < low && Number.isFinite(value)) low = value;
      if (value > high && Number.isFinite(value)) high = value;
    }
    return [low, high];
  };

  // ---- Files and the clipboard.
  T.csvCell = (text) => (/[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);

  T.download = (name, text) => T.saveBlob(name, new Blob([text], { type: "text/csv;charset=utf-8" }));

  T.saveBlob = function (name, blob) {
    const address = URL.createObjectURL(blob);
    const link = T.make("a", { href: address, download: name, hidden: true });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };

  T.copy = async function (text, button) {
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch {
      done = copyBySelecting(text); // some browsers give a local file no clipboard
    }
    const before = button.dataset.words || button.textContent;
    button.dataset.words = before;
    button.textContent = done ? "Copied" : "Select the text and copy it";
    setTimeout(() => (button.textContent = before), 1600);
  };

  function copyBySelecting(text) {
    const area = T.make("textarea", { class: "unseen", readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }

  // Text of blanks only would leave nothing to see or to click on.
  T.visible = (text) => (/\S/.test(text) ? text : "(blank)");

  T.say = (text) => (T.byId("live").textContent = text);
})();

// What is shown now. Parts change it and tell the others by an event.
T.state = {
  tab: "map", theme: null, colourBy: "none", mode: "pan", ellipses: "auto",
  hovered: -1, picked: -1, // rows, -1 for none
  chosen: null, chosenCount: 0, // 1 for each selected row, or null for no selection
  chosenBy: null, // the legend's class that was selected
};
