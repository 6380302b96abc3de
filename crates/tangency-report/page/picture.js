// The map as a picture file: the layers as they are, with the title above and the legend below.
(function () {
  const margin = 14;

  T.setUpPicture = () => T.byId("save-picture").addEventListener("click", () => T.drawPicture().toBlob((blob) => T.saveBlob("map.png", blob)));

  T.drawPicture = function () {
    const layers = ["back", "points", "front"].map((name) => T.byId("layer-" + name));
    const ratio = layers[0].width / T.view.width;
    const canvas = T.make("canvas");
    const { width, height } = T.view;
    const legend = rowsOf(legendItems(), width - 2 * margin);
    const top = 34;
    const whole = top + height + 12 + 20 * legend.length + 8;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(whole * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.fillStyle = T.css(T.pageColour());
    context.fillRect(0, 0, width, whole);
    context.fillStyle = T.ink();
    context.font = T.font(15, "600");
    context.fillText(T.report.raw.title || "", margin, 22, width - 2 * margin);
    for (const layer of layers) context.drawImage(layer, 0, top, width, height);
    legend.forEach((row, k) => row.forEach((item) => item.draw(context, margin + item.x, top + height + 24 + 20 * k)));
    return canvas;
  };

  // {width, draw(context, x, y)}: what the legend has, one after the other.
  function legendItems() {
    const { kind, classes, title } = T.colouring;
    if (kind === "classes") return classes.names.map((name, k) => sign(T.classColour(k), T.classShape(k), T.visible(name)));
    if (kind === "number") return [bar(T.colouring, title)];
    if (kind === "kind") return [sign(T.classColour(0), 0, "fitted"), sign(T.classColour(1), 0, "new")];
    return [];
  }

  const lengthOf = (text) => 7 * text.length;

  function sign(rgb, shape, name) {
    const text = name.length > 40 ? name.slice(0, 39) + "…" : name;
    return { width: 26 + lengthOf(text), draw(context, x, y) {
      context.fillStyle = T.css(rgb);
      context.beginPath();
      if (shape === 0) context.arc(x + 5, y - 4, 5, 0, 7);
      else if (shape === 1) context.rect(x, y - 9, 10, 10);
      else [[5, -10], [11, 1], [-1, 1]].forEach(([px, py]) => context.lineTo(x + px, y + py));
      context.fill();
      write(context, text, x + 15, y);
    } };
  }

  function bar({ from, to }, title) {
    const words = [title, T.number(from, 3), T.number(to, 3)];
    return { width: lengthOf(words.join("")) + 220, draw(context, x, y) {
      write(context, words[0], x, y);
      let at = x + context.measureText(words[0]).width + 14;
      write(context, words[1], at, y);
      at += context.measureText(words[1]).width + 6;
      for (let s = 0; s < 160; s++) {
        context.fillStyle = T.css(T.continuous(s / 159));
        context.fillRect(at + s, y - 10, 1.2, 11);
      }
      write(context, words[2], at + 166, y);
    } };
  }

  function write(context, text, x, y) {
    context.font = T.font(12);
    context.textAlign = "left";
    context.fillStyle = T.style("--soft");
    context.fillText(text, x, y);
  }

  function rowsOf(items, room) {
    const rows = [];
    let x = Infinity;
    for (const item of items) {
      if (x + item.width > room) {
        rows.push([]);
        x = 0;
      }
      rows.at(-1).push({ ...item, x });
      x += item.width;
    }
    return rows;
  }
})();
