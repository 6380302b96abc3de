// Mouse, touch and keys on the map.
(function () {
  const pointers = new Map(); // id → [x, y]
  let drag = null; // {action, start, last, path, moved}
  let pinch = null; // {distance, x, y}
  let canvas = null;
  let lastClick = { time: -1e9, x: 0, y: 0 };

  T.setUpGestures = function () {
    canvas = T.byId("layer-front");
    canvas.addEventListener("pointerdown", down);
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", cancel);
    canvas.addEventListener("pointerleave", leave);
    canvas.addEventListener("wheel", wheel, { passive: false });
    canvas.addEventListener("contextmenu", (event) => { if (T.view.kind === "space") event.preventDefault(); });
    canvas.addEventListener("keydown", key);
    canvas.setAttribute("aria-label", `Map of ${T.plural(T.report.n, "point")} in ${T.plural(T.report.d, "dimension")}`);
    for (const button of document.querySelectorAll("[data-mode]")) button.addEventListener("click", () => setMode(button.dataset.mode));
    setMode("pan");
    T.byId("zoom-in").addEventListener("click", () => T.zoom(1.5));
    T.byId("zoom-out").addEventListener("click", () => T.zoom(1 / 1.5));
    T.byId("zoom-reset").addEventListener("click", T.resetView);
    T.byId("keys").textContent = "Wheel, pinch, + and − zoom; drag and arrows " + (T.report.d === 3 ? "turn (with Shift they move)" : "move") +
      "; 0 or a double click shows everything. Shift and drag selects a box, Alt and drag a region, with Ctrl it is added. " +
      "N and P go to the next and the previous point, Enter picks the point in the middle, Esc lets go.";
    T.before(drawBand);
  };

  function setMode(mode) {
    T.state.mode = mode;
    for (const button of document.querySelectorAll("[data-mode]")) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
    if (canvas) canvas.style.cursor = mode === "pan" ? "grab" : "crosshair";
  }

  function place(event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  // What a drag does: the keys go before the chosen mode.
  function actionOf(event) {
    if (event.shiftKey) return "box";
    if (event.altKey) return "lasso";
    if (T.state.mode !== "pan") return T.state.mode;
    const turns = T.view.kind === "space" && event.button === 0 && !event.ctrlKey && !event.metaKey;
    return turns ? "turn" : "pan";
  }

  function down(event) {
    const at = place(event);
    pointers.set(event.pointerId, at);
    try { canvas.setPointerCapture(event.pointerId); } catch { /* made by a script: there is no real pointer to hold */ }
    if (pointers.size === 2) {
      drag = null;
      pinch = spread();
      return;
    }
    if (event.button > 2) return;
    drag = { action: actionOf(event), start: at, last: at, path: [at], moved: false, adds: event.ctrlKey || event.metaKey, touch: event.pointerType === "touch" };
  }

  function spread() {
    const [[ax, ay], [bx, by]] = [...pointers.values()];
    return { distance: Math.hypot(ax - bx, ay - by), x: (ax + bx) / 2, y: (ay + by) / 2 };
  }

  function move(event) {
    const at = place(event);
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, at);
    if (pinch && pointers.size === 2) return movePinch();
    if (drag) return moveDrag(at);
    T.hover(T.nearest(at[0], at[1], T.pointRadius() + 6));
    T.announce("over", at[0], at[1]);
  }

  function movePinch() {
    const now = spread();
    T.pan(now.x - pinch.x, now.y - pinch.y);
    if (pinch.distance > 0 && now.distance > 0) T.zoom(now.distance / pinch.distance, now.x, now.y);
    pinch = now;
  }

  function moveDrag(at) {
    if (!drag.moved && Math.hypot(at[0] - drag.start[0], at[1] - drag.start[1]) < (drag.touch ? 8 : 4)) return;
    drag.moved = true;
    const [dx, dy] = [at[0] - drag.last[0], at[1] - drag.last[1]];
    drag.last = at;
    if (drag.action === "pan") T.pan(dx, dy);
    else if (drag.action === "turn") T.rotate(dx * 0.008, dy * 0.008);
    else {
      drag.path.push(at);
      T.redrawFront();
    }
    if (drag.action === "pan" || drag.action === "turn") canvas.style.cursor = "grabbing";
    T.hover(-1);
  }

  function up(event) {
    pointers.delete(event.pointerId);
    if (pinch) {
      if (pointers.size < 2) pinch = null;
      return;
    }
    const done = drag;
    drag = null;
    setMode(T.state.mode);
    if (!done) return;
    if (done.moved) finish(done);
    else click(done);
  }

  // The first click of a double click counts as a click too; that does no harm.
  function click({ start: [x, y], touch }) {
    const now = performance.now();
    const twice = now - lastClick.time < 350 && Math.hypot(x - lastClick.x, y - lastClick.y) < 12;
    lastClick = { time: twice ? -1e9 : now, x, y };
    if (twice) return T.resetView();
    const near = T.nearest(x, y, T.pointRadius() + (touch ? 16 : 6));
    T.announce("over", x, y);
    T.announce("clicked", x, y, near);
    T.pick(near);
  }

  function finish({ action, path, start, last, adds }) {
    if (action === "box") T.select(inBox(start, last), adds);
    else if (action === "lasso") T.select(inLoop(path), adds);
    T.redrawFront();
  }

  function inBox([x1, y1], [x2, y2]) {
    const { x, y } = T.screen;
    const [left, right, top, bottom] = [Math.min(x1, x2), Math.max(x1, x2), Math.min(y1, y2), Math.max(y1, y2)];
    return (i) => x[i] >= left && x[i] <= right && y[i] >= top && y[i] <= bottom;
  }

  // Inside if a ray to the right crosses the loop an odd number of times.
  function inLoop(path) {
    const { x, y } = T.screen;
    const box = inBox([Math.min(...path.map((p) => p[0])), Math.min(...path.map((p) => p[1]))],
      [Math.max(...path.map((p) => p[0])), Math.max(...path.map((p) => p[1]))]);
    return (i) => {
      if (!box(i)) return false;
      let odd = false;
      for (let k = 0, l = path.length - 1; k < path.length; l = k++) {
        const [ax, ay] = path[k];
        const [bx, by] = path[l];
        if (ay > y[i] !== by > y[i] && x[i] < ((bx - ax) * (y[i] - ay)) / (by - ay) + ax) odd = !odd;
      }
      return odd;
    };
  }

  function drawBand(context) {
    if (!drag || !drag.moved || (drag.action !== "box" && drag.action !== "lasso")) return;
    context.beginPath();
    if (drag.action === "box") context.rect(...drag.start, drag.last[0] - drag.start[0], drag.last[1] - drag.start[1]);
    else for (const at of drag.path) context.lineTo(...at);
    context.fillStyle = T.style("--band");
    context.fill();
    context.strokeStyle = T.style("--accent");
    context.lineWidth = 1.5;
    context.setLineDash([5, 4]);
    context.stroke();
    context.setLineDash([]);
  }

  function cancel(event) {
    pointers.delete(event.pointerId);
    drag = pinch = null;
    T.redrawFront();
  }

  function leave(event) {
    if (event.pointerType === "touch" || drag) return;
    T.hover(-1);
    T.announce("left");
  }

  function wheel(event) {
    event.preventDefault(); // the page must not scroll under the map
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const step = Math.max(-200, Math.min(200, event.deltaY * lines * (event.ctrlKey ? 6 : 1)));
    T.zoom(Math.exp(-step * 0.0018), ...place(event));
  }

  // ---- Keys.
  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys[event.key] || keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act(event.shiftKey);
  }

  function arrow(dx, dy) {
    return (shift) => (T.view.kind === "space" && !shift ? T.rotate(-dx * 0.1, -dy * 0.1) : T.pan(-dx * 60, -dy * 60));
  }

  function step(by) {
    const n = T.report.n;
    T.pick((T.state.picked + by + n + (T.state.picked < 0 && by < 0 ? 1 : 0)) % n);
    const [x, y] = [T.screen.x[T.state.picked], T.screen.y[T.state.picked]];
    if (!(x > 0 && y > 0 && x < T.view.width && y < T.view.height)) T.goTo(T.state.picked);
  }

  function pickMiddle() {
    const [x, y] = [T.view.width / 2, T.view.height / 2];
    const near = T.state.picked >= 0 ? T.state.picked : T.nearest(x, y, Infinity);
    if (near < 0) return;
    T.announce("clicked", T.screen.x[near], T.screen.y[near], near);
    T.pick(near);
  }

  const keys = {
    ArrowLeft: arrow(-1, 0), ArrowRight: arrow(1, 0), ArrowUp: arrow(0, -1), ArrowDown: arrow(0, 1),
    "+": () => T.zoom(1.3), "=": () => T.zoom(1.3), "-": () => T.zoom(1 / 1.3), "−": () => T.zoom(1 / 1.3), _: () => T.zoom(1 / 1.3),
    0: () => T.resetView(), n: () => step(1), p: () => step(-1), Enter: pickMiddle,
    Escape: () => {
      if (T.state.picked >= 0) T.pick(-1);
      else T.clearSelection();
      T.announce("let-go");
    },
  };
})();
