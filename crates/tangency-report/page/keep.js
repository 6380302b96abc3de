// Selections with a name: kept in a list, in the address of the page, and on the map beside the names of labels.
(function () {
  let kept = []; // {name, rows: Uint32Array, centre: row}
  const longest = 40; // letters of a name

  T.setUpKeep = function () {
    const field = T.byId("keep-name");
    T.byId("keep").addEventListener("click", keep);
    field.addEventListener("keydown", (event) => { if (event.key === "Enter") keep(); });
    T.byId("copy-link").addEventListener("click", () => T.copy(location.href.split("#")[0] + T.fragment(), T.byId("copy-link")));
    T.byId("show-names").addEventListener("change", T.redrawFront);
    T.on("selected", () => { T.byId("keep-line").hidden = !T.state.chosenCount; });
    T.on("recoloured", () => { centres = null; });
    T.on("tab", tell);
    window.addEventListener("hashchange", () => T.follow(location.hash));
    T.before(drawNames);
    T.byId("keep-line").hidden = true;
    list();
  };

  function keep() {
    const field = T.byId("keep-name");
    if (!T.state.chosenCount) return;
    const name = field.value.trim().slice(0, longest) || `selection ${kept.length + 1}`;
    field.value = "";
    put(name, Uint32Array.from(T.chosenRows()));
    list();
    tell();
    T.redrawFront();
  }

  function put(name, rows) {
    kept = [...kept.filter((one) => one.name !== name), { name, rows, centre: middleOf(rows) }];
  }

  function list() {
    T.byId("kept").hidden = !kept.length;
    T.empty(T.byId("kept-list")).append(...kept.map((one) => T.make("li", {},
      T.make("button", { type: "button", class: "link", text: one.name, "data-test": "kept", onclick: () => select(one) }),
      T.make("span", { class: "note", text: T.plural(one.rows.length, "point") }),
      T.make("button", { type: "button", class: "small", text: "Forget", "aria-label": "Forget " + one.name, onclick: () => {
        kept = kept.filter((other) => other !== one);
        list();
        tell();
        T.redrawFront();
      } }))));
  }

  function select({ rows }) {
    const member = new Uint8Array(T.report.n);
    for (const i of rows) member[i] = 1;
    T.select((i) => member[i]);
  }

  // ---- The address: the part that is open, the colouring, and for each kept selection its name and rows.
  T.fragment = function () {
    const words = [T.state.tab];
    if (T.state.colourBy !== T.defaultColour()) words.push("colour=" + encodeURIComponent(T.state.colourBy));
    for (const { name, rows } of kept) words.push(`keep=${encodeURIComponent(name)}:${T.report.n}:${coded(rows)}`);
    return "#" + words.join("&");
  };

  function tell() {
    if (kept.length || location.hash) history.replaceState(null, "", T.fragment());
  }

  // Whatever an address holds, what cannot be read of it is left out.
  T.follow = function (fragment) {
    const [tab, ...words] = fragment.replace(/^#/, "").split("&");
    let strange = false;
    for (const word of words) {
      const [kind, text = ""] = word.split("=");
      try {
        if (kind === "colour") T.setColour(decodeURIComponent(text));
        if (kind !== "keep") continue;
        const [name, count, code = ""] = text.split(":");
        const rows = Number(count) === T.report.n ? decoded(code) : [];
        strange ||= !rows.length;
        if (rows.length) put(decodeURIComponent(name).slice(0, longest), rows);
      } catch {
        strange = true;
      }
    }
    list();
    T.byId("kept-strange").hidden = !strange;
    if (words.length && kept.length === 1) select(kept[0]);
    T.openTab(tab);
  };

  // Rows as steps from one to the next, or as one bit a row where that is shorter; seven bits a byte, the eighth says that more follow.
  function coded(rows) {
    const steps = [];
    let before = -1;
    for (const row of rows) {
      for (let step = row - before - 1; ; step >>>= 7) {
        steps.push((step & 127) | (step > 127 ? 128 : 0));
        if (step <= 127) break;
      }
      before = row;
    }
    const size = Math.ceil(T.report.n / 8);
    if (steps.length <= size) return "s" + letters(steps);
    const bits = new Uint8Array(size);
    for (const row of rows) bits[row >> 3] |= 1 << (row & 7);
    return "b" + letters(bits);
  }

  function decoded(code) {
    const bytes = Uint8Array.from(atob(code.slice(1).replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
    const rows = [];
    if (code[0] === "b") bytes.forEach((byte, at) => { for (let k = 0; k < 8; k++) if ((byte >> k) & 1) rows.push(8 * at + k); });
    else {
      let [row, step, shift] = [-1, 0, 0];
      for (const byte of bytes) {
        step += (byte & 127) * 2 ** shift;
        shift += 7;
        if (byte > 127) continue;
        rows.push((row += step + 1));
        step = shift = 0;
      }
    }
    return Uint32Array.from(rows.filter((row) => row < T.report.n));
  }

  function letters(bytes) {
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  // ---- Names on the map, each at the row nearest to the middle of its rows.
  let centres = null; // of the labels that are the colours

  function middleOf(rows) {
    const { d } = T.report;
    const step = Math.max(1, Math.floor(rows.length / 2000));
    const some = rows.filter((_, k) => k % step === 0);
    const middle = Array.from({ length: d }, (_, a) => T.quantiles(Float32Array.from(some, (i) => T.at(i, a)), [0.5])[0]);
    let [best, row] = [Infinity, rows[0]];
    for (const i of some) {
      const far = middle.reduce((sum, v, a) => sum + (v - T.at(i, a)) ** 2, 0);
      if (far < best) [best, row] = [far, i];
    }
    return row;
  }

  function ofLabels() {
    const { kind, classes } = T.colouring;
    if (kind !== "classes") return [];
    const rows = classes.names.map(() => []);
    classes.of.forEach((k, i) => { if (k !== 255) rows[k].push(i); });
    return classes.names.map((name, k) => ({ name, rows: rows[k] })).filter((one) => one.rows.length && !(classes.shared && one.name === classes.names.at(-1)))
      .sort((a, b) => b.rows.length - a.rows.length).map(({ name, rows: own }) => ({ name, centre: middleOf(own) }));
  }

  // Those that would cover others are left out.
  function drawNames(context) {
    T.facts.names = [];
    if (!T.byId("show-names").checked || T.state.tab !== "map") return;
    centres ||= ofLabels();
    const taken = [];
    context.font = T.font(13, "700");
    context.textAlign = "center";
    for (const { name, centre } of [...kept, ...centres]) {
      const text = name.length > 22 ? name.slice(0, 21) + "…" : T.visible(name);
      const [x, y] = [T.screen.x[centre], T.screen.y[centre] + 4];
      const half = context.measureText(text).width / 2 + 3;
      const inside = x > 0 && y > 0 && x < T.view.width && y < T.view.height;
      if (!inside || taken.some(([l, r, b]) => x - half < r && x + half > l && Math.abs(b - y) < 15)) continue;
      taken.push([x - half, x + half, y]);
      context.fillStyle = T.css(T.pageColour(), 0.82);
      context.fillRect(x - half - 1, y - 12, 2 * half + 2, 17);
      context.fillStyle = T.ink();
      context.fillText(text, x, y);
      T.facts.names.push(name);
    }
  }
})();
