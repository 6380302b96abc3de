"""What the tests share: scikit-learn's checks of array libraries turned on, a small table and a model of it."""

from __future__ import annotations

import os

# before anything imports scipy; without it scikit-learn skips checks
os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import pytest

from tangency import LLLVM, datasets

pytest.register_assert_rewrite("sentences", "small_models")


@pytest.fixture(scope="session")
def curve():
    """150 points near a sheet bent to an S, and where they are on it; nothing may write to them."""
    points, truth = datasets.make_s_curve(150, noise=0.02, random_state=1)
    points.setflags(write=False)
    truth.setflags(write=False)
    return points, truth


@pytest.fixture(scope="session")
def table(curve):
    return curve[0]


@pytest.fixture(scope="session")
def fitted(table):
    """A good fit of the table. It is shared: what changes a model belongs on a copy."""
    return LLLVM().fit(table)


@pytest.fixture(scope="session")
def new_rows():
    return datasets.make_s_curve(40, noise=0.02, random_state=2)[0]


@pytest.fixture(scope="session")
def distances(table):
    differences = table[:, None, :] - table[None, :, :]
    return np.sqrt((differences**2).sum(axis=2))


@pytest.fixture(scope="session")
def broken():
    """Two sheets far from each other, of 90 and 60 points."""
    X, truth = datasets.make_s_curve(150, random_state=7)
    X = X + np.where(np.arange(150) < 90, 0.0, 50.0)[:, None]
    return X, truth


@pytest.fixture
def no_figure_is_left():
    yield
    from matplotlib import pyplot

    pyplot.close("all")
