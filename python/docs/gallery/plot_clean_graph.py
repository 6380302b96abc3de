"""
Clean a graph
=============

You may bring your own neighbour graph: from a database, from another tool, from experts. Some of its edges may be
wrong. Here we add wrong edges on purpose and see who finds them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import kneighbors_graph

import tangency
from tangency import LLLVM, datasets, plotting

# %%
# A graph with three wrong edges
# ------------------------------
#
# Any sparse adjacency will do. We take the seven nearest neighbours on an S-curve and join three pairs that are far
# apart on the sheet.

X, truth = datasets.make_s_curve(200, noise=0.01, random_state=3)
graph = kneighbors_graph(X, 7).tolil()
order = np.argsort(truth[:, 0])
pairs = order[[[20, 120], [60, 150], [40, 185]]]
for i, j in pairs:
    graph[i, j] = 1
wrong = [tuple(sorted(pair)) for pair in pairs.tolist()]
print("wrong edges:", wrong)

model = LLLVM().fit(X, graph=graph.tocsr())
print(f"{model.stop_reason_}, {len(model.edges_)} edges, bound {model.lower_bound_:.1f} nats")

# %%
# Scores: a quick look
# --------------------
#
# :func:`tangency.edge_scores` needs no new fit. ``resistance`` is 1 for an edge that alone holds two parts together and
# small where many paths run next to it. ``residual`` is what the local maps cannot explain of it. ``score`` is the
# product.

scores = tangency.edge_scores(model)
for edge in scores[:6]:
    i, j = int(edge["i"]), int(edge["j"])
    mark = "wrong" if (i, j) in wrong else ""
    print(f"{i:>3}–{j:<3} score {edge['score']:.3f}, resistance {edge['resistance']:.2f} {mark}")

plotting.edge_scores(model, top=10)

# %%
# The wrong edges stand at the top. Scores are an order, not a proof: in a badly folded layout they can mislead.
#
# A test of single edges
# ----------------------
#
# :func:`tangency.test_edges` fits the graph without an edge and gives the change of the bound. We test one wrong
# edge and one that looks good. With several edges, the first answer is about all of them at once.

doubtful, harmless = wrong[0], (int(scores["i"][-1]), int(scores["j"][-1]))
together, *single = tangency.test_edges(model, [doubtful, harmless], seeds=1)
for test in sorted(single, key=lambda test: -test.change):
    print(f"without {test.removed[0]}: {test.change:+.1f} nats, converged: {test.converged}")

# %%
# Above zero speaks for the changed graph. ``change`` is in nats: e to this power is the factor in evidence. A good edge
# changes the bound by about nothing.
#
# Prune
# -----
#
# :func:`tangency.prune` does the search by itself.

pruned = tangency.prune(model)
for edge in pruned.removed:
    print(f"removed {edge['i']}–{edge['j']}: gain {edge['gain']:.1f} nats")
print(f"a random good edge gains {pruned.baseline_mean:.1f} ± {pruned.baseline_std:.1f} nats")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
plotting.embedding(model, truth[:, 0], ax=left)
left.set_title(f"with the wrong edges: {model.lower_bound_:.0f} nats")
plotting.embedding(pruned.model, truth[:, 0], ax=right)
right.set_title(f"without them: {pruned.model.lower_bound_:.0f} nats")
plt.show()

# %%
# Colour is the length along the sheet. On the left, yellow lies on top of green: the sheet is folded, and **the
# ellipses do not show it**. They believe the graph. On the right it is flat. Bounds compare here because the table
# is the same; only the graph has changed.
#
# When not to trust it: an edge is judged by the layout without it. If the right layout is never found, neither is the
# edge. At most a tenth of the edges go (``max_removed``), and the graph is never taken apart.
