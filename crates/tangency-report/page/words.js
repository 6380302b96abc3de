// What the words of the page mean, one sentence each: shown when a word is pointed at or touched, and all together in a list.
(function () {
  const terms = {
    bound: "How likely the model finds the table, at least, as a logarithm in nats: higher is better, and it compares only fits of the same table.",
    nats: "The unit of a log-probability: one nat is a factor of 2.7, ten nats are a factor of 22 000.",
    novelty: "The share of fitted rows that surprise the model less than this one: 0.5 is ordinary, near 1 is unlike all that was fitted.",
    uncertainty: "One standard deviation of a point's place, here as a share of the spread of all points: 5 % is well known, 100 % is anywhere.",
    spread: "The standard deviation of all points' places: how large the map is.",
    "log-density": "How likely the model finds what was measured of a row, as a logarithm: low is unusual.",
    density: "How crowded the map is around a point, as a logarithm; among the measures of quality, how much likelier rows that are left out are than by a kernel density.",
    "kernel density": "A plain estimate of how likely rows are, which knows no map: a model that has learned something beats it.",
    "variance explained": "How much of what differs between rows can be told from their places on the map: 1 is all of it, 0 is none.",
    trustworthiness: "Whether neighbours on the map are neighbours in the table too: 1 is best.",
    continuity: "Whether neighbours in the table are neighbours on the map too: 1 is best.",
    PCA: "Principal components: the best flat projection, which a map has to beat.",
    "weight of the features": "How much the measurements count beside the graph: 1 is in full, a small number lets the graph decide.",
    lengths: "Whether distances between neighbours on the map are in proportion to those in the table, so that the map can be measured like the sheet.",
    resistance: "How much the graph depends on an edge: 1 where nothing else holds its two ends together, near 0 where much else does.",
    residual: "How far the local maps miss the step along an edge: large where its ends do not lie on one smooth sheet.",
    score: "Resistance times residual: large where an edge alone joins what does not fit together.",
    "expected gain": "By how many nats the bound should rise if this edge alone were taken out.",
    "short-circuits": "Edges that jump between parts of the sheet that are near by accident, as between layers of a roll: they fold the map.",
    bridges: "Edges that were added only to join pieces of the graph: distances across them are a guess.",
    "nearest neighbours": "Each row is joined with the rows most like it: these edges are what the map is made from.",
    edges: "Pairs of rows that are alike: the map keeps them together.",
    loading: "How fast a feature changes along a coordinate of the map.",
    "local maps": "At each point a plane that says how measurements change with the place: together they make the sheet.",
    "standard deviations": "The typical distance from the mean; two of them hold about 95 % of what is likely.",
    sd: "Standard deviations of the feature over all rows: 1 sd is an ordinary difference, 2 a large one.",
    "typical step": "The usual distance on the map from a point to its neighbours.",
    dimension: "How many coordinates the map has.",
    engine: "How the fit was computed: exact, or factorised, which is quicker with many points.",
    seed: "The number that random draws begin with: the same seed gives the same result.",
    "held out": "Rows that a fit has not seen, by which it is judged.",
    gamma: "Precision of the noise: large where rows lie close to the sheet.",
    alpha: "Precision of the prior that keeps coordinates near zero: as good as nothing at 1e-8.",
    lambda: "Smoothness of the maps: large where the sheet bends little.",
    nu: "Magnitude of the maps: the larger, the flatter they are kept.",
    heaviness: "How readily the graph's model takes long edges for ordinary.",
  };
  // other forms of the same words
  const forms = { nat: "nats", "nearest neighbour": "nearest neighbours", bridge: "bridges", edge: "edges", loadings: "loading", "short-circuit": "short-circuits",
    dimensions: "dimension", "standard deviation": "standard deviations", "principal components": "PCA", "typical steps": "typical step" };
  const all = [...Object.keys(terms), ...Object.keys(forms)].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![\\w-])(${all.join("|")})(?![\\w-])`, "gi");
  const names = new Map(all.map((word) => [word.toLowerCase(), forms[word] || word]));
  let tip = null;

  const nameOf = (word) => names.get(word.toLowerCase());
  const mark = (word) => T.make("span", { class: "term", "data-term": nameOf(word), text: word });

  // A text with its known words marked, each at its first place; pieces of text stay text.
  T.termed = function (text) {
    const seen = new Set();
    const out = [];
    let from = 0;
    for (const { 0: word, index } of text.matchAll(pattern)) {
      const name = nameOf(word);
      if (seen.has(name)) continue;
      seen.add(name);
      out.push(document.createTextNode(text.slice(from, index)), mark(word));
      from = index + word.length;
    }
    out.push(document.createTextNode(text.slice(from)));
    return out;
  };

  T.setUpWords = function () {
    tip = T.byId("tip");
    T.byId("words").append(...Object.keys(terms).sort((a, b) => a.localeCompare(b)).flatMap((word) => [T.make("dt", { text: word }), T.make("dd", { text: terms[word] })]));
    for (const element of document.querySelectorAll("[data-words]")) element.replaceChildren(...T.termed(element.textContent));
    const under = (event) => event.target.closest?.("[data-term]");
    document.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") show(under(event)); });
    document.addEventListener("click", (event) => show(under(event)));
    document.addEventListener("scroll", () => show(null), true);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") show(null); });
  };

  // Below the word, or above it where there is no room.
  function show(word) {
    tip.hidden = !word;
    if (!word) return;
    tip.textContent = terms[word.dataset.term];
    const at = word.getBoundingClientRect();
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = Math.max(8, Math.min(at.left, room)) + "px";
    const below = at.bottom + 6 + tip.offsetHeight < window.innerHeight;
    tip.style.top = (below ? at.bottom + 6 : at.top - tip.offsetHeight - 6) + "px";
  }

  // ---- The line above the map: what the open part shows.
  const about = {
    map: () => `Each dot is one of ${T.plural(T.report.n, "row")}. Rows that were measured alike lie close together; directions mean nothing by themselves.` +
      (T.report.covariance ? ` Its ellipse (${T.plural(T.report.reach, "standard deviation")}) says how unsure its place is.` : ""),
    explore: () => "Point at any place of the map: on the right is what the model expects to be measured there, with its band. Click on a point to see what was measured beside it.",
    loadings: () => "Bars say which features change along each coordinate of the map at one place. On a bent sheet other places have others, so click on them; an average can cancel.",
    graph: () => "Lines join rows that are alike; the map is made from them. A wrong line can fold the map, so those that the model speaks against are marked.",
    evidence: () => "How sure the model is of itself: how likely it finds the table, and how graphs and numbers of dimensions compare.",
  };
  const measured = () => "This is the table itself: each dot stands at " + (!T.report.directions ? "its three measured values"
    : `its measurements along the three directions in which the table varies most (${T.percent(T.measuredShare())} of its variance)`) + ", drag to turn it.";

  T.tellAbout = () => T.byId("about").replaceChildren(...T.termed(T.view.source === "measured" && T.state.tab !== "evidence" ? measured() : about[T.state.tab]()));
})();
