"""
New points: place them, doubt them, send them back
==================================================

A fitted model places rows that it has not seen, shows how strange they are, and says which measurements belong to a
place.
"""

import matplotlib.pyplot as plt
import numpy as np

from tangency import LLLVM, datasets, plotting

# %%
# We fit 200 points of a noisy S-curve. 60 other points of the same curve are new, and 20 strangers lie next to it.

X, truth = datasets.make_s_curve(260, noise=0.03, random_state=5)
X_new, truth_new = X[200:], truth[200:]
rng = np.random.default_rng(0)
up_or_down = rng.choice([-0.45, 0.45], 20)
strangers = X[rng.choice(200, 20, replace=False)]
strangers[:, 2] += up_or_down
model = LLLVM(n_neighbors=8).fit(X[:200])
print(f"{model.stop_reason_}, bound {model.lower_bound_:.1f} nats")

# %%
# Coordinates with their uncertainty
# ----------------------------------
#
# Each row is joined to its nearest training rows and placed by the model. Nothing else moves. It does not matter which
# other rows are in the table.

placed, placed_std = model.transform(X_new, return_std=True)
fitted = np.column_stack([model.embedding_, np.ones(200)])
to_truth = np.linalg.lstsq(fitted, truth[:200], rcond=None)[0]
rest = truth_new - np.column_stack([placed, np.ones(len(placed))]) @ to_truth
r2 = 1 - (rest**2).sum() / ((truth_new - truth_new.mean(axis=0)) ** 2).sum()
print(f"share of the truth explained for the new rows: {r2:.3f}")
print("median standard deviation:", np.median(placed_std, axis=0).round(3))

# %%
# Novelty
# -------
#
# ``novelty`` is the share of training rows that are less strange than the row. 1 is stranger than all of them.
# Training rows are held out of the density one by one for it, so ordinary new rows have about 0.5 on average.
# ``calibrate`` holds them out of whole fits: it fits again without one part of the rows in turn, and takes as long as
# that many fits.

print(f"ordinary new rows, not calibrated: {model.novelty(X_new).mean():.2f} on average")
model.calibrate(parts=5)
print(f"ordinary new rows, calibrated: {model.novelty(X_new).mean():.2f} (0.5 is fair)")
print(f"strangers, calibrated: {model.novelty(strangers).mean():.2f}")

plotting.novelty(model, np.vstack([X_new, strangers]))

# %%
# Every row gets coordinates, the strangers too. That is why one looks at novelty before one believes a place.
# ``score_samples`` is the log-density behind it, in nats:

figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
ordinary, strange = model.score_samples(X_new), model.score_samples(strangers)
bins = np.histogram_bin_edges(np.r_[ordinary, strange], 40)
axes.hist(ordinary, bins, label="new rows")
axes.hist(strange, bins, label="strangers", alpha=0.8)
axes.set_xlabel("log-density (nats)")
axes.set_ylabel("rows")
axes.legend()

# %%
# Most strangers are far to the left. All were moved up or down; where the sheet itself runs up and down, they have
# slid along it and are not strange.
#
# Back to measurements
# --------------------
#
# ``inverse_transform`` gives the measurements that are expected at coordinates, and the standard deviation of a
# measurement made there.

values, std = model.inverse_transform(placed, return_std=True)
error = X_new - values
print("root mean square error:", np.sqrt((error**2).mean(axis=0)).round(3))
print(f"{(np.abs(error) < 1.645 * std).mean():.0%} are inside the 90 % interval")

figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
order = np.argsort(truth_new[:, 0])
position = np.arange(len(order))
reach = 1.645 * std[order, 0]
axes.errorbar(position, values[order, 0], reach, fmt=".", capsize=2, label="expected, 90 %")
axes.plot(position, X_new[order, 0], "x", color="crimson", label="measured")
axes.set_xlabel("new rows along the curve")
axes.set_ylabel("first feature")
axes.legend()
plt.show()

# %%
# When not to trust it
# --------------------
#
# These rows were placed by the very numbers that we now predict, so their coordinates have followed their noise
# (0.03). They lie nearer than a second measurement of the same thing would. Intervals take the noise as equal
# everywhere and for all features. And a row outside of all that was fitted still gets coordinates: look at its novelty.
