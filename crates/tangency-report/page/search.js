// Search by id: a list of matches under the field, with keys as in other search fields.
(function () {
  const most = 8;
  let found = [];
  let active = -1;

  T.setUpSearch = function () {
    const field = T.byId("search");
    field.addEventListener("input", look);
    field.addEventListener("keydown", key);
    field.addEventListener("focus", look);
    field.addEventListener("blur", () => setTimeout(close, 150)); // a click on the list comes first
  };

  // Equal ids first, then those that begin with the text, then those that hold it.
  function matches(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    const ranks = [[], [], []];
    for (let i = 0; i < T.report.n && ranks[0].length < most; i++) {
      const id = T.id(i).toLowerCase();
      const rank = id === wanted ? 0 : id.startsWith(wanted) ? 1 : id.includes(wanted) ? 2 : -1;
      if (rank >= 0 && ranks[rank].length < most) ranks[rank].push(i);
    }
    return ranks.flat().slice(0, most);
  }

  function look() {
    const text = T.byId("search").value;
    found = matches(text);
    active = found.length ? 0 : -1;
    list(Boolean(text.trim()));
  }

  function list(open) {
    const box = T.empty(T.byId("search-list"));
    box.hidden = !open;
    T.byId("search").setAttribute("aria-expanded", String(open));
    if (!open) return T.byId("search").removeAttribute("aria-activedescendant");
    if (!found.length) box.append(T.make("li", { class: "note", text: "no such id", role: "option", "aria-disabled": "true" }));
    found.forEach((i, k) => {
      box.append(T.make("li", { role: "option", id: "found-" + k, "aria-selected": String(k === active), onpointerdown: () => go(i) },
        T.make("span", { text: T.visible(T.id(i)) }), T.label(i) ? T.make("span", { class: "quiet", text: T.label(i) }) : null));
    });
    if (active >= 0) T.byId("search").setAttribute("aria-activedescendant", "found-" + active);
  }

  const close = () => list(false);

  function go(i) {
    T.byId("search").value = T.id(i);
    close();
    T.goTo(i);
    T.project();
    T.announce("clicked", T.screen.x[i], T.screen.y[i], i);
    T.pick(i);
  }

  function key(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && found.length) {
      event.preventDefault();
      active = (active + by + found.length) % found.length;
      list(true);
    } else if (event.key === "Enter" && active >= 0) {
      event.preventDefault();
      go(found[active]);
    } else if (event.key === "Escape") {
      close();
    }
  }
})();
