// The selection: which rows, a list of the first of them, and a file.
(function () {
  const rowsListed = 40;

  T.setUpSelection = function () {
    T.byId("export").addEventListener("click", save);
    T.byId("clear").addEventListener("click", T.clearSelection);
    T.on("selected", show);
    show();
  };

  // Selects the rows for which `member` is true; `adds` keeps what was selected before.
  T.select = function (member, adds = false) {
    const { n } = T.report;
    const chosen = adds && T.state.chosen ? T.state.chosen.slice() : new Uint8Array(n);
    let count = 0;
    for (let i = 0; i < n; i++) {
      if (member(i)) chosen[i] = 1;
      count += chosen[i];
    }
    keep(count ? chosen : null, count);
  };

  T.clearSelection = () => keep(null, 0);

  function keep(chosen, count) {
    T.state.chosen = chosen;
    T.state.chosenCount = count;
    T.state.chosenBy = null;
    T.forgetOrder();
    T.redraw();
    T.announce("selected");
  }

  T.chosenRows = function (most = Infinity) {
    const rows = [];
    const chosen = T.state.chosen;
    if (chosen) for (let i = 0; i < chosen.length && rows.length < most; i++) if (chosen[i]) rows.push(i);
    return rows;
  };

  function show() {
    const { chosenCount: count } = T.state;
    T.byId("selection-count").textContent = count
      ? T.plural(count, "point") + " of " + T.count(T.report.n) + " selected"
      : "Nothing selected. Drag with Box or Lasso, or click on a label in the legend.";
    T.byId("export").disabled = T.byId("clear").disabled = !count;
    const box = T.empty(T.byId("selection-rows"));
    box.hidden = !count;
    if (!count) return;
    const rows = T.chosenRows(rowsListed);
    const labelled = Boolean(T.report.raw.labels);
    const axes = T.report.axisNames.slice(0, 3);
    const head = T.make("tr", {}, ["id", ...(labelled ? [T.visible(T.labelName())] : []), ...axes].map((text) => T.make("th", { text, scope: "col" })));
    box.append(T.make("table", { class: "list" }, T.make("thead", {}, head), T.make("tbody", {}, rows.map((i) => line(i, labelled, axes)))));
    if (count > rows.length) box.append(T.make("p", { class: "note", text: "and " + T.count(count - rows.length) + " more, in the file" }));
  }

  function line(i, labelled, axes) {
    const go = T.make("button", { type: "button", class: "link", text: T.visible(T.id(i)), onclick: () => { T.goTo(i); T.pick(i); } });
    return T.make("tr", {}, T.make("td", {}, go), labelled ? T.make("td", { text: T.label(i) }) : null,
      axes.map((_, a) => T.make("td", { class: "figure", text: T.withError(T.at(i, a), T.deviation(i, a)) })));
  }

  // ---- The file: id, label, coordinates, deviations, features, other columns.
  T.selectionCsv = function () {
    const { raw, axisNames, covariance, values, names, d, carried } = T.report;
    const head = ["id"];
    if (raw.labels) head.push("label");
    head.push(...axisNames);
    if (covariance) head.push(...axisNames.map((_, a) => "sd" + (a + 1)));
    if (values) head.push(...names);
    head.push(...carried.map(({ name }) => name));
    const lines = [head.map(T.csvCell).join(",")];
    for (const i of T.chosenRows()) {
      const cells = [T.csvCell(T.id(i))];
      if (raw.labels) cells.push(T.csvCell(T.label(i)));
      for (let a = 0; a < d; a++) cells.push(T.exact(T.at(i, a)));
      if (covariance) for (let a = 0; a < d; a++) cells.push(T.exact(Math.fround(T.deviation(i, a))));
      if (values) for (let f = 0; f < names.length; f++) cells.push(T.exact(T.value(i, f)));
      for (const { cells: texts } of carried) cells.push(T.csvCell(texts[i]));
      lines.push(cells.join(","));
    }
    return lines.join("\n") + "\n";
  };

  function save() {
    T.download("selection.csv", T.selectionCsv());
  }
})();
