"""
Next to other methods
=====================

Nobody should take our word for it. Here the model stands next to the well-known methods, on a roll whose neighbour
graph jumps from layer to layer. All get the same table and the same graph.
"""

import tangency
from tangency import datasets

# %%
# A roll with short-circuits
# --------------------------
#
# 200 points are few for a roll: some edges leave the sheet. ``truth`` is what the methods should find: length along the
# sheet and height.

X, truth = datasets.make_swiss_roll(200, random_state=1)
good, jumps = datasets.true_edges(X, truth, n_neighbors=9)
print(f"{len(good)} edges lie on the sheet, {len(jumps)} jump between layers")

# %%
# All methods at once
# -------------------
#
# :func:`tangency.compare` runs every method and measures what it finds. ``ll-lvm`` is the model on the graph as it is,
# ``ll-lvm-pruned`` the model without the edges that the bound speaks against.

found = tangency.compare(X, truth=truth, n_neighbors=9)
print(found)

# %%
# ``Procrustes`` is the distance to the truth after the best rotation and scale: 0 is perfect. ``R²`` forgives axes of
# other lengths too. ``trust`` and ``continuity`` ask whether neighbours stay neighbours, here in the table, and with
# ``(truth)`` on the sheet. ``geodesic`` compares with distances along the graph, and so it **rewards a method that
# believes a wrong graph**: Isomap has the highest, and its picture is no sheet.
#
# The pictures
# ------------
#
# All are turned onto the truth, which is the first panel, and coloured by the length along the sheet.

found.plot(truth[:, 0])

# %%
# A graph that jumps leads every method astray that believes it, ours too. Pruning helps, and it is the bound that shows
# which edges to prune.
#
# With a graph that is right
# --------------------------
#
# The comparison would be unfair if it ended here. We give all of them the edges that lie on the sheet.

methods = ["ll-lvm", "isomap", "lle", "ltsa", "laplacian-eigenmaps"]
clean = tangency.compare(X, truth=truth, graph=good, methods=methods)
for record in clean.records:
    print(f"{record['method']:<19}  Procrustes {record['procrustes']:.3f}, R² {record['affine_r2']:.3f}")

# %%
# Now Isomap is nearer to the truth than the model, in a hundredth of the time, and LTSA has the sheet up to the lengths
# of its axes. If you know that your graph is right and need no uncertainty, a classical method may be all you need.
#
# ``found.figure("methods.pdf")`` writes the figure for a paper, ``found.report("page.html")`` a page to look at, and
# ``found.to_pandas()`` gives the numbers. A single method is :func:`tangency.embed`.
#
# When not to trust it: one table is one table. On other rolls as thin as this one (try ``random_state=2``) pruning
# finds nothing to remove, and then the model is no better than the rest. ``seconds`` and ``MiB`` are those of the
# implementations in this package, on this machine, in this run. Measures against a truth need a truth, and real tables
# have none.
