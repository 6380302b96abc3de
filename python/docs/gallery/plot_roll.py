"""
Unroll a Swiss roll
===================

A sheet is rolled up in three dimensions. We look for the two coordinates of the sheet. Some neighbours in space are not
neighbours on the sheet: they lie on two layers of the roll. Edges between them are *short-circuits*, and one is enough
to fold the picture. The bound on the evidence finds them.
"""

import matplotlib.pyplot as plt
import numpy as np

import tangency
from tangency import LLLVM, datasets, plotting

# %%
# The data
# --------
#
# 250 points. ``truth`` has the coordinates that made them: length along the sheet and height. The model never sees
# them.

X, truth = datasets.make_swiss_roll(250, random_state=1)
good, short_circuits = datasets.true_edges(X, truth, n_neighbors=9)
print(f"{len(good)} edges lie on the sheet, {len(short_circuits)} jump between layers")

figure, axes = plt.subplots(figsize=(5.4, 4.4), layout="constrained")
drawn = axes.scatter(X[:, 0], X[:, 2], c=truth[:, 0], s=16)
for i, j in short_circuits:
    axes.plot(X[[i, j], 0], X[[i, j], 2], color="crimson", zorder=0)
axes.set_aspect("equal")
axes.set_title("the roll from its end, and in red the edges that jump", fontsize="small")
figure.colorbar(drawn, label="length along the sheet")

# %%
# A fit with the edges that jump
# ------------------------------

folded = LLLVM(n_neighbors=9).fit(X)
print(f"{folded.stop_reason_}, bound {folded.lower_bound_:.1f} nats")

# %%
# The run converged. That is no proof that the picture is right: the graph is wrong, and the model believes its graph.
#
# Pruning
# -------
#
# :func:`tangency.prune` takes out the edges that the bound speaks against and fits again. The first model stays as
# it is.

pruned = tangency.prune(folded)
removed = {frozenset(edge) for edge in pruned.removed[["i", "j"]].tolist()}
jumps = {frozenset(edge) for edge in short_circuits.tolist()}
print(f"{len(removed)} edges removed, {len(removed & jumps)} of them jump between layers")
print(f"the bound is higher by {pruned.gain:.1f} nats")
print(f"weakest removed edge: {pruned.removed['gain'].min():.1f} nats")
print(f"a random good edge: {pruned.baseline_mean:.1f} ± {pruned.baseline_std:.1f} nats")

# %%
# Every removed edge gains tens of nats, and a random good edge gains nothing. So the evidence is strong. A gain near 10
# would be weak.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
plotting.embedding(folded, truth[:, 0], ax=left)
left.set_title(f"before: {folded.lower_bound_:.0f} nats")
plotting.embedding(pruned.model, truth[:, 0], ax=right)
right.set_title(f"after: {pruned.model.lower_bound_:.0f} nats")

# %%
# Colour is the length along the sheet. Before, the colours are mixed: far parts of the sheet lie on top of each
# other. The ellipses are large here, which is a hint. Do not count on it: they show how sure a place is *if the
# graph is right*. After, the colours run from one end to the other, and the ellipses are small.
#
# We know the truth here, so we can measure. An affine map from the coordinates to the truth explains this share of it:


def affine_r2(coordinates, truth):
    """Share of the variance of `truth` that an affine map of the coordinates explains."""
    inputs = np.column_stack([coordinates, np.ones(len(coordinates))])
    rest = truth - inputs @ np.linalg.lstsq(inputs, truth, rcond=None)[0]
    return 1 - (rest**2).sum() / ((truth - truth.mean(axis=0)) ** 2).sum()


print(f"before {affine_r2(folded.embedding_, truth):.3f}")
print(f"after  {affine_r2(pruned.model.embedding_, truth):.3f}")

# %%
# The run
# -------
#
# This is the first fit. The bound never falls from one iteration to the next. The run ends when it gains less than
# ``tol`` nats per point. The first steps, far below, are cut off.

plotting.bound(folded)
plt.show()

# %%
# ``LLLVM(prune=True)`` does fit and pruning in one call.
#
# When not to trust it: with so much noise that the layers touch, the folded layout can have the higher bound. Then
# nothing is removed.
