"""
Digits with their pictures
==========================

Each row is an image of 8 × 8 pixels, so there are 64 features. Two coordinates are few for that. We look at what they
catch, and use the pictures to see where they fail.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.manifold import Isomap
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from tangency import LLLVM, plotting

# %%
# The first 250 images of the digits 0 to 4. The labels are not used in the fit.

images, digits = load_digits(n_class=5, return_X_y=True)
images, digits = images[:250], digits[:250].astype(str)

# %%
# The prior for many features
# ---------------------------
#
# With many features, such as pixels, the learned prior can let the local maps of neighbours differ as they like. The
# layout then says little. ``lam=1.0, nu=0.0`` is the prior of the paper, and safer here.

model = LLLVM(n_neighbors=9, lam=1.0, nu=0.0).fit(images)
print(f"{model.stop_reason_}, bound {model.lower_bound_:.0f} nats")

plotting.embedding(model, digits)

# %%
# One colour per digit. An ellipse reaches two standard deviations. Where ellipses of two digits overlap, the model
# does not claim to separate them.
#
# Hover pictures
# --------------
#
# Move the pointer over a point to see its image, its label, and its coordinates with their standard deviations. The
# arrow keys go from point to point. ``hover(...).save("digits.html")`` writes the same as one file.

plotting.hover(model, images, digits, shape=(8, 8))

# %%
# What the coordinates mean
# -------------------------
#
# ``inverse_transform`` gives the image that is expected at a place. Pale cells have no training image in them: there
# the image is a guess.

plotting.reconstruction(model, grid=(6, 8), shape=(8, 8))
plt.show()

# %%
# How good is it?
# ---------------
#
# Do neighbours in the plane have the same label? Five neighbours guess the label of each image; PCA and Isomap get two
# coordinates too.


def accuracy(coordinates):
    """Share of images whose label is guessed right by five neighbours in the plane."""
    return cross_val_score(KNeighborsClassifier(5), coordinates, digits, cv=5).mean()


print(f"LLLVM  {accuracy(model.embedding_):.2f}")
print(f"PCA    {accuracy(PCA(2).fit_transform(images)):.2f}")
print(f"Isomap {accuracy(Isomap(n_neighbors=9).fit_transform(images)):.2f}")

# %%
# When not to trust it
# --------------------
#
# Digits are several clusters and not one smooth sheet with two coordinates, which is what the model assumes. If
# clusters are what you look for, other methods do better. What you get here is the uncertainty, the pictures at any
# place, and a bound that compares settings.
