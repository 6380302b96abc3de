"""
Beside other methods
====================

Nobody should take our word for it. Here the model stands beside the well-known methods, on a roll whose neighbour graph
jumps from layer to layer. All get the same table and the same graph.
"""

import tangency
from tangency import datasets

# %%
# A roll with short-circuits
# --------------------------
#
# 250 points with so many neighbours that some edges leave the sheet. ``truth`` is what the methods should find: length
# along the sheet and height.

X, truth = datasets.make_swiss_roll(250, random_state=1)
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
# believes a wrong graph**: do not choose by it when the graph is in doubt.

ranked = sorted(found.records, key=lambda record: record["procrustes"])
for record in ranked[:3]:
    print(f"{record['method']:<15} Procrustes {record['procrustes']:.3f}, {record['note']}")

# %%
# The pictures
# ------------
#
# All are turned onto the truth, which is the first panel, and coloured by the length along the sheet.

found.plot(truth[:, 0])

# %%
# What a graph leads astray, it leads astray in every method that believes it. Pruning is what helps, and it is the
# bound that tells which edges to prune.
#
# With a graph that is right
# --------------------------
#
# The comparison would be unfair if it ended here. With fewer neighbours no edge jumps, and the classical methods do
# well.

clean = tangency.compare(X, truth=truth, n_neighbors=5, methods=["ll-lvm", "isomap", "lle", "ltsa"])
for record in clean.records:
    print(f"{record['method']:<7} Procrustes {record['procrustes']:.3f}, R² {record['affine_r2']:.3f}")

# %%
# ``found.figure("methods.pdf")`` writes the figure for a paper, ``found.report("page.html")`` a page to look at, and
# ``found.to_pandas()`` gives the numbers. A single method is :func:`tangency.embed`.
#
# When not to trust it: one table is one table. ``seconds`` and ``MiB`` are those of the implementations in this
# package, on this machine, in this run. Measures against a truth need a truth, and real tables have none.
