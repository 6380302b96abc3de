"""Arrays of any type, order and stride mean what their numbers mean; what cannot be fitted is one clear error."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sentences import is_a_sentence

from tangency import LLLVM, datasets, quality

pytestmark = pytest.mark.filterwarnings("ignore")


def quick():
    return LLLVM(max_iter=3, init="pca", n_neighbors=6)


@pytest.fixture(scope="module")
def whole():
    """Whole numbers, so that every type holds them."""
    return np.round(40 * datasets.make_s_curve(60, noise=0.02, random_state=3)[0])


@pytest.fixture(scope="module")
def expected(whole):
    return quick().fit(whole).embedding_


def shifted(X):
    """On an odd address."""
    buffer = np.zeros(X.nbytes + 1, dtype=np.uint8)
    view = buffer[1:].view(X.dtype).reshape(X.shape)
    view[:] = X
    return view


def frozen(X):
    X = X.copy()
    X.setflags(write=False)
    return X


LAYOUTS = {
    "as it is": lambda X: X,
    "by columns": np.asfortranarray,
    "backwards": lambda X: X[::-1].copy()[::-1],
    "features backwards": lambda X: X[:, ::-1].copy()[:, ::-1],
    "every second": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "transposed": lambda X: np.ascontiguousarray(X.T).T,
    "on an odd address": shifted,
    "not to be written to": frozen,
    "of bytes in the other order": lambda X: X.astype(X.dtype.newbyteorder()),
    "a subclass": lambda X: np.ma.masked_array(X),
    "lists": lambda X: X.tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, whole, expected):
    np.testing.assert_array_equal(quick().fit(LAYOUTS[layout](whole)).embedding_, expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", "i1", "i2", "i4", "i8", "O"])
def test_types(dtype, whole, expected):
    model = quick().fit(whole.astype(dtype))
    np.testing.assert_array_equal(model.embedding_, expected)
    np.testing.assert_array_equal(model.transform(whole[:5].astype(dtype)), model.transform(whole[:5]))


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
def test_types_without_a_sign(dtype, whole):
    X = whole - whole.min()
    np.testing.assert_array_equal(quick().fit(X.astype(dtype)).embedding_, quick().fit(X).embedding_)


WRONG = {
    "infinite": lambda X: np.where(np.arange(60)[:, None] == 7, np.inf, X),
    "complex": lambda X: X + 1j,
    "text": lambda X: X.astype(str).astype(object) + "x",
    "records": lambda X: np.zeros(60, dtype=[("a", "f8"), ("b", "f8")]),
    "no row": lambda X: X[:0],
    "no feature": lambda X: X[:, :0],
    "one row": lambda X: X[:1],
    "all rows equal": lambda X: np.ones((60, 3)),
    "all missing": lambda X: np.full((60, 3), np.nan),
    "a feature missing": lambda X: np.where(np.arange(3) == 1, np.nan, X),
    "numbers whose differences overflow": lambda X: np.where(X > 0, 1.7e308, -1.7e308),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_fitted(what, whole):
    with pytest.raises((ValueError, TypeError, MemoryError)) as raised:
        quick().fit(WRONG[what](whole))
    assert str(raised.value)


def test_new_rows_of_any_size(whole):
    model = quick().fit(whole)
    for number in [0.0, 1e-310, 1e6, 1e19, 1e39, 1e100, 1e155, 1.7e308, -1.7e308]:
        row = np.array([[number, whole[0, 1], whole[0, 2]]])
        for use in (model.transform, model.score_samples, model.novelty):
            try:
                found = use(row)
            except ValueError as error:
                is_a_sentence(str(error))
            else:
                assert np.isfinite(found).all(), (use.__name__, number, found)
        try:
            found = model.inverse_transform(np.array([[number, 0.0]]))
        except ValueError as error:
            is_a_sentence(str(error))
        else:
            assert np.isfinite(found).all(), (number, found)


def test_damaged_models_are_errors(whole, tmp_path):
    """Bytes changed at random give a model of numbers, or an error that says so."""
    path = tmp_path / "m.safetensors"
    quick().fit(whole).save(path)
    good = path.read_bytes()
    rng = np.random.default_rng(22)
    for _ in range(60):
        changed = bytearray(good)
        for at in rng.integers(0, len(good), 3):
            changed[at] = rng.integers(0, 256)
        path.write_bytes(bytes(changed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = LLLVM.load(path)
            except ValueError as error:
                is_a_sentence(str(error))
                continue
            assert np.isfinite(model.embedding_).all()
            try:
                assert np.isfinite(model.transform(whole[:3])).all()
            except ValueError as error:
                is_a_sentence(str(error))


def test_measures_of_odd_embeddings(whole):
    flat = np.zeros((60, 2))
    for embedding in (flat, flat + 1e300, np.full((60, 2), 1e-310), flat.astype("f4")[:, ::-1]):
        for measure in (quality.trustworthiness, quality.continuity):
            try:
                assert np.isfinite(measure(whole, embedding))
            except ValueError as error:
                is_a_sentence(str(error))
