"""
Climate: do the months know the map?
====================================

Each station is a row of twelve monthly values. Stations that are near each other on the map have similar years. So two
coordinates may explain the twelve numbers, and they may look like a map. The model never learns where a station is.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from tangency import LLLVM, plotting

# %%
# The table
# ---------
#
# If the environment variable ``TANGENCY_CLIMATE`` names a CSV file with the columns ``latitude``, ``longitude`` and
# ``jan`` to ``dec``, it is read. Otherwise the stations are **synthetic**: made here by a formula, with noise. What the
# output says about synthetic stations says nothing about real weather.

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def synthetic_climate(n_stations=300, random_state=0):
    """Stations whose monthly values depend smoothly on their place, with noise."""
    rng = np.random.default_rng(random_state)
    latitude, longitude = rng.uniform(28, 48, n_stations), rng.uniform(-120, -75, n_stations)
    north, east = (latitude - 38) / 10, (longitude + 97.5) / 22.5
    month = 2 * np.pi * np.arange(12) / 12
    # wetter in the east, where the wet season comes later; more even in the north
    level = 60 + 25 * east[:, None] - 12 * north[:, None]
    swing = 22 - 9 * north[:, None]
    values = level + swing * np.cos(month - np.pi * (0.5 + 0.45 * east[:, None]))
    table = pd.DataFrame(values + rng.normal(0, 2, values.shape), columns=MONTHS)
    return table.assign(latitude=latitude, longitude=longitude)


path = os.environ.get("TANGENCY_CLIMATE")
table = pd.read_csv(path) if path else synthetic_climate()
source = os.path.basename(path) if path else "synthetic stations"
places = table[["latitude", "longitude"]].to_numpy()
values = table[MONTHS]
print(f"{source}: {values.shape[0]} rows, {values.shape[1]} months")

# %%
# The fit
# -------

model = LLLVM(n_neighbors=12).fit(values)
print(f"{model.stop_reason_}, bound {model.lower_bound_:.0f} nats")

# %%
# Next to the real map
# --------------------
#
# The coordinates have no north. We look for the affine map (turn, stretch, shift) that brings them nearest to latitude
# and longitude. R² is the share of latitude and longitude that is explained: 1 is a perfect map, 0 is none.

inputs = np.column_stack([model.embedding_, np.ones(len(values))])
moved = inputs @ np.linalg.lstsq(inputs, places, rcond=None)[0]
r2 = 1 - ((places - moved) ** 2).mean(axis=0) / places.var(axis=0)
print(f"R²: latitude {r2[0]:.2f}, longitude {r2[1]:.2f}")

figure, panels = plt.subplots(1, 2, figsize=(10, 4), sharex=True, sharey=True)
figure.set_layout_engine("constrained")
titles = "where the stations are", "where their months put them"
for axes, at, title in zip(panels, (places, moved), titles, strict=True):
    drawn = axes.scatter(at[:, 1], at[:, 0], c=places[:, 1], s=14)
    axes.set_title(f"{title} ({source})", fontsize="small")
    axes.set_xlabel("longitude")
panels[0].set_ylabel("latitude")
figure.colorbar(drawn, ax=panels, label="true longitude")

# %%
# The order of the colours is the same on both sides. The sheet may be bent: the model keeps what is near, near. It does
# not know distances on the ground.
#
# On the 400 real stations of the US Historical Climatology Network (precipitation, not shipped with this package)
# the same script gives R² 0.08 for latitude and 0.73 for longitude: their year separates east from west, and says
# little about north and south.
#
# What moves along a coordinate
# -----------------------------
#
# The local maps show how much each month changes per unit of each coordinate. Averages over everything can cancel on a
# bent sheet, so we ask for one region: the tenth of the stations with the lowest first coordinate.

region = np.argsort(model.embedding_[:, 0])[: len(values) // 10]
plotting.loadings(model, points=region)
plt.show()

# %%
# The bars are in the units of the table for one unit of the coordinate; the black lines are standard deviations.
#
# When not to trust it
# --------------------
#
# The model has one level of noise and one smooth sheet. Real stations in mountains differ from their neighbours by
# more than those on plains. And an R² near 0, as for the latitude of the real stations, does not mean that the fit
# is bad: the months may just not know.
