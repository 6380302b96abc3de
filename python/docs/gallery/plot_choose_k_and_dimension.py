"""
Choose k and the dimension
==========================

How many neighbours? How many coordinates? :func:`tangency.select` fits every choice and ranks them: by rows that were
held out, or, as on this page, by the bound on the evidence.
"""

import matplotlib.pyplot as plt
import numpy as np

import tangency
from tangency import LLLVM, datasets, plotting

# %%
# A sheet bent to an S, with a little noise. Two coordinates are right.

X, truth = datasets.make_s_curve(180, noise=0.02, random_state=1)
found = tangency.select(X, n_neighbors=[5, 7, 9], n_components=[1, 2, 3], seeds=2, by="bound")
print(found)

# %%
# Each candidate is fitted from several seeds. One that is far behind after its first seed gets no more (``raced``); say
# ``race=False`` to fit all. ``found.summary`` has one entry a candidate, the best first:

for entry in found.summary[:6]:
    name = f"{entry['graph']}, d = {entry['n_components']}"
    print(f"{name}: {entry['mean']:.1f} nats, {entry['behind'] or 0:5.1f} behind")

# %%
# The picture shows the bound against the number of neighbours, one line a dimension. ``found.to_pandas()`` has all
# fits.

found.plot()

# %%
# How to read it
# --------------
#
# **The dimension is a real choice.** Compare the lines at one number of neighbours: two dimensions are ahead
# everywhere. One dimension with 5 neighbours is missing, because its fits collapsed and do not count. Distances are
# in nats: 3 nats are a factor of 20 in evidence.
#
# **The number of neighbours is less so.** Within a wider neighbourhood the sheet is less flat, so fewer edges have the
# higher bound, and the best k is often the smallest that keeps the graph in one piece. It is the graph that the model
# explains best. It is not a promise of the best picture. Without ``by="bound"`` rows that were held out rank, which do
# not favour few neighbours. Look at more than one:


def affine_r2(coordinates, truth):
    """Share of the variance of `truth` that an affine map of the coordinates explains."""
    inputs = np.column_stack([coordinates, np.ones(len(coordinates))])
    rest = truth - inputs @ np.linalg.lstsq(inputs, truth, rcond=None)[0]
    return 1 - (rest**2).sum() / ((truth - truth.mean(axis=0)) ** 2).sum()


best = found.best_model(X)
wider = LLLVM(n_neighbors=9).fit(X)
figure, panels = plt.subplots(2, 1, figsize=(7.5, 6.5), layout="constrained")
for axes, model in zip(panels, (best, wider), strict=True):
    plotting.embedding(model, truth[:, 0], ax=axes)
    r2 = affine_r2(model.embedding_, truth)
    bound = model.lower_bound_
    axes.set_title(f"k = {model.n_neighbors}: {bound:.0f} nats, R² to the truth {r2:.3f}")
plt.show()

# %%
# The graph with the best bound is not the one with the straightest picture: at 5 neighbours the sheet is bent and its
# ellipses are large. Colour is the true length along the sheet. Its order is right in both; that one picture is the
# mirror of the other means nothing.

# %%
# When not to trust it
# --------------------
#
# * A graph in pieces is no candidate here: it is listed in ``found.cells`` with a message. ``connect=True`` joins them.
# * If many fits collapsed or did not converge (``found.summary`` counts them), the table is too small or too noisy.
# * Small tables mislead. We made four more S-curves of only 120 or 140 points: in two of them one dimension was
#   ahead of two.
# * Seeds that agree show that the start does not matter. They do not show that the model is right.
# * Short-circuits first: prune, then compare.
