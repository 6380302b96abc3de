// Explore: what the model expects to be measured at a place, and the way from one place to another.
(function () {
  let at = null; // the latent position that is shown
  let ends = []; // none, one or two places to morph between
  let playing = 0;
  let parts = null;
  T.reconstruction = null;

  T.setUpExplore = function () {
    const panel = T.byId("panel-explore");
    panel.append(T.make("h2", { text: "Expected measurement" }));
    if (!possible()) return panel.append(T.make("p", { class: "note", "data-test": "explore-none", text: whyNot() }));
    parts = {
      far: T.make("p", { class: "far", "data-test": "explore-far", hidden: true, role: "status" }),
      place: T.make("p", { class: "note", "data-test": "explore-place" }),
      profile: T.make("div", { "data-test": "explore-profile" }),
      hint: T.make("p", { class: "note", "data-test": "explore-hint" }),
      slider: T.make("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0, disabled: true, "aria-label": "Way from A to B", "data-test": "morph" }),
      play: T.make("button", { type: "button", text: "Play", disabled: true, "data-test": "morph-play", onclick: toggle }),
      again: T.make("button", { type: "button", text: "Start again", disabled: true, "data-test": "morph-clear", onclick: forget }),
      sliders: T.make("div", { class: "sliders" }),
    };
    parts.slider.addEventListener("input", () => { stop(); follow(); });
    panel.append(parts.profile, T.make("div", { class: "far-slot" }, parts.place, parts.far), T.make("h2", { text: "From A to B" }), parts.hint,
      T.make("div", { class: "morph" }, T.make("span", { text: "A" }), parts.slider, T.make("span", { text: "B" }), parts.play, parts.again),
      T.make("h2", { text: "Place" }), parts.sliders);
    addSliders();
    T.on("over", (x, y) => { if (open() && !playing) show(T.toLatent(x, y)); });
    T.on("left", () => { if (open() && ends.length === 2) follow(); });
    T.on("clicked", clicked);
    T.on("let-go", () => { if (open()) forget(); });
    T.on("tab", (tab) => {
      if (tab !== "explore") return stop();
      if (!at) show(T.state.picked >= 0 ? position(T.state.picked) : middle());
      else show(at);
    });
    for (const event of ["theme", "picked"]) T.on(event, () => { if (open() && at) show(at); });
    T.before(draw);
    words();
  };

  const open = () => T.state.tab === "explore";
  const possible = () => Boolean(T.report.model && T.report.values && T.report.model.maps);

  function whyNot() {
    if (!T.report.model) return "The report holds no local maps, so nothing can be reconstructed.";
    return "Reconstruction needs the measurements: " + (T.report.valuesLeftOut || "the report holds none") + ".";
  }

  const position = (i) => Array.from({ length: T.report.d }, (_, a) => T.at(i, a));
  const middle = () => position(T.nearest(T.view.width / 2, T.view.height / 2, Infinity, T.report.fitted));

  // ---- The model's answer.
  // The k fitted points nearest in latent space: [{j, far}], nearest first.
  function neighbours(x, k) {
    const { fitted, d, x: all } = T.report;
    const found = [];
    for (let j = 0; j < fitted; j++) {
      let far = 0;
      for (let a = 0; a < d; a++) far += (x[a] - all[j * d + a]) ** 2;
      if (!Number.isFinite(far) || (found.length === k && far >= found[k - 1].far)) continue;
      let at = found.length === k ? k - 1 : found.length;
      for (; at > 0 && found[at - 1].far > far; at--) found[at] = found[at - 1];
      found[at] = { j, far };
    }
    return found;
  }

  // ŷ = mean of y_j + C_j (x − x_j), and one standard deviation of a measurement there.
  T.reconstruct = function (x) {
    const { model, names, d } = T.report;
    const near = neighbours(x, Math.min(model.n_neighbors, T.report.fitted));
    const k = near.length;
    const size = names.length;
    const values = new Float64Array(size);
    const shift = new Float64Array(d);
    const variance = new Float64Array(d);
    for (const { j } of near) {
      for (let f = 0; f < size; f++) {
        let y = T.value(j, f);
        for (let a = 0; a < d; a++) y += model.maps[(j * size + f) * d + a] * (x[a] - T.at(j, a));
        values[f] += y / k;
      }
      for (let a = 0; a < d; a++) {
        shift[a] += (x[a] - T.at(j, a)) / k;
        variance[a] += model.variance[j * d + a] / k;
      }
    }
    let total = (0.5 / (model.gamma * k)) * (1 + (1 + d) / k);
    for (let a = 0; a < d; a++) total += shift[a] ** 2 * variance[a];
    const deviations = Float64Array.from(model.scale, (s) => Math.sqrt(total) * (model.spread ?? 1) * s);
    return { at: x, values, deviations, distance: Math.sqrt(near[0].far) };
  };

  function show(x) {
    at = x;
    const result = (T.reconstruction = T.reconstruct(x));
    const step = T.report.model.typical_step;
    result.far = step > 0 && result.distance > T.report.model.known_within[1] * step;
    parts.far.hidden = !result.far;
    parts.place.hidden = result.far;
    parts.far.replaceChildren(...T.termed(result.far ? `Nothing was fitted within ${T.number(result.distance / step, 2)} typical steps: this is a guess.` : ""));
    parts.place.textContent = "at " + T.report.axisNames.map((name, a) => `${name} = ${T.number(x[a], 3)}`).join(", ");
    T.drawExpected(parts.profile, result);
    moveSliders();
    T.redrawFront();
  }

  // ---- A slider for each coordinate: the plane by keyboard, and axes that the screen does not show.
  function addSliders() {
    T.report.axisNames.forEach((name, a) => {
      const [low, high] = T.range(Float32Array.from({ length: T.report.fitted }, (_, i) => T.at(i, a)));
      const room = 0.15 * (high - low);
      const slider = T.make("input", { type: "range", min: low - room, max: high + room, step: "any", "data-axis": a, "aria-label": name, "data-test": "place-" + name });
      slider.addEventListener("input", () => {
        const x = [...at];
        x[a] = Number(slider.value);
        show(x);
      });
      parts.sliders.append(T.make("label", { class: "line" }, T.make("span", { text: name }), slider));
    });
  }

  function moveSliders() {
    for (const slider of parts.sliders.querySelectorAll("input")) if (slider !== document.activeElement) slider.value = at[slider.dataset.axis];
  }

  // ---- Morphing.
  function clicked(x, y, near) {
    if (!open() || !parts) return;
    stop();
    if (ends.length === 2) ends = [];
    ends.push(near >= 0 ? position(near) : T.toLatent(x, y));
    parts.slider.value = 0;
    if (ends.length === 2) follow();
    else show(ends[0]);
    words();
  }

  function words() {
    const ready = ends.length === 2;
    parts.hint.textContent = ["Click on two points to go from one to the other.", "Now click on the second point.",
      "Move the slider, or play."][ends.length];
    parts.slider.disabled = parts.play.disabled = !ready;
    parts.again.disabled = !ends.length;
    T.redrawFront();
  }

  function follow() {
    const t = Number(parts.slider.value);
    show(ends[0].map((v, a) => v + t * (ends[1][a] - v)));
  }

  function forget() {
    stop();
    ends = [];
    parts.slider.value = 0;
    words();
  }

  function toggle() {
    if (playing) return stop();
    parts.play.textContent = "Stop";
    const begin = performance.now() - (Number(parts.slider.value) % 1) * 3000;
    const tick = (now) => {
      const t = Math.min(1, Math.max(0, (now - begin) / 3000));
      parts.slider.value = t;
      follow();
      if (t < 1) playing = requestAnimationFrame(tick);
      else stop();
    };
    playing = requestAnimationFrame(tick);
  }

  function stop() {
    if (playing) cancelAnimationFrame(playing);
    playing = 0;
    if (parts) parts.play.textContent = "Play";
  }

  T.explored = () => (T.reconstruction ? { at: [...T.reconstruction.at], values: [...T.reconstruction.values], deviations: [...T.reconstruction.deviations],
    far: T.reconstruction.far, distance: T.reconstruction.distance, ends: ends.length, morph: parts ? Number(parts.slider.value) : 0 } : null);

  // ---- On the map: the place, and the way.
  function draw(context) {
    if (!open() || !at) return;
    const marks = ends.map((end, k) => [T.toScreen(end), "AB"[k]]);
    context.strokeStyle = context.fillStyle = T.ink();
    if (marks.length === 2) {
      context.setLineDash([5, 4]);
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(...marks[0][0]);
      context.lineTo(...marks[1][0]);
      context.stroke();
      context.setLineDash([]);
    }
    for (const [[x, y], letter] of marks) badge(context, x, y, letter);
    cross(context, ...T.toScreen(at));
  }

  function badge(context, x, y, letter) {
    context.fillStyle = T.ink();
    context.beginPath();
    context.arc(x, y, 9, 0, 7);
    context.fill();
    context.fillStyle = T.css(T.pageColour());
    context.font = T.font(11, "700");
    context.textAlign = "center";
    context.fillText(letter, x, y + 4);
  }

  function cross(context, x, y) {
    for (const [colour, width] of [[T.css(T.pageColour()), 5], [T.style("--accent"), 2]]) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.beginPath();
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        context.moveTo(x + 4 * dx, y + 4 * dy);
        context.lineTo(x + 12 * dx, y + 12 * dy);
      }
      context.stroke();
    }
  }
})();
