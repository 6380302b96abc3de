// Several colourings at once: the map as it stands, small, in the colours of the label, of other columns and of features.
(function () {
  const most = 12;
  const dots = 6000;
  let waiting = 0;
  const box = () => T.byId("colourings");

  T.setUpColourings = function () {
    const choices = [...document.querySelectorAll("#colour-by option")].map(({ value }) => value).filter((value) => value !== "none").slice(0, most);
    box().hidden = choices.length < 2;
    const grid = T.byId("colourings-grid");
    grid.append(...choices.map((choice) => T.make("button", { type: "button", class: "small-colouring", "data-choice": choice, onclick: () => T.setColour(choice) },
      T.make("canvas", { width: 300, height: 200 }), T.make("span", { text: T.colourTitle(choice) }))));
    box().addEventListener("toggle", draw);
    for (const event of ["moved", "recoloured", "theme", "tab"]) T.on(event, later);
  };

  // Not while the map moves.
  function later() {
    clearTimeout(waiting);
    if (box().open) waiting = setTimeout(draw, 200);
  }

  function draw() {
    if (!box().open || T.state.tab !== "map") return;
    const step = Math.max(1, Math.floor(T.report.n / dots));
    for (const button of box().querySelectorAll("[data-choice]")) {
      const canvas = button.querySelector("canvas");
      const context = canvas.getContext("2d");
      const scale = Math.min(canvas.width / T.view.width, canvas.height / T.view.height);
      const [dx, dy] = [(canvas.width - scale * T.view.width) / 2, (canvas.height - scale * T.view.height) / 2];
      const { rgba } = T.colouringOf(button.dataset.choice);
      context.clearRect(0, 0, canvas.width, canvas.height);
      for (let i = 0; i < T.report.n; i += step) {
        context.fillStyle = T.css(T.unpack(rgba[i]));
        context.fillRect(dx + T.screen.x[i] * scale - 2, dy + T.screen.y[i] * scale - 2, 4, 4);
      }
      button.setAttribute("aria-pressed", String(button.dataset.choice === T.state.colourBy));
    }
  }
})();
