"""A model that was pickled, copied or saved is the model that it was, and a damaged one is refused."""

from __future__ import annotations

import copy
import json
import pickle

import joblib
import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tangency
from tangency import LLLVM
from tangency._tangency import Model, Stop

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def through_pickle(model, folder):
    return pickle.loads(pickle.dumps(model))


def through_the_oldest_pickle(model, folder):
    return pickle.loads(pickle.dumps(model, protocol=2))


def through_joblib(model, folder):
    joblib.dump(model, folder / "model.joblib", compress=3)
    return joblib.load(folder / "model.joblib")


def through_deepcopy(model, folder):
    return copy.deepcopy(model)


def through_copy(model, folder):
    return copy.copy(model)


def through_a_file(model, folder):
    model.save(folder / "model.safetensors")
    return tangency.load(folder / "model.safetensors")


WAYS = [through_pickle, through_the_oldest_pickle, through_joblib, through_deepcopy, through_copy, through_a_file]
ARRAYS = (
    "embedding_",
    "embedding_std_",
    "embedding_covariances_",
    "maps_",
    "maps_std_",
    "lower_bounds_",
    "edges_",
    "bridges_",
    "removed_edges_",
    "rows_",
)
NUMBERS = ("lower_bound_", "alpha_", "gamma_", "lambda_", "nu_", "n_iter_", "stop_reason_", "n_features_in_")
NUMBERS += ("heaviness_", "feature_weight_", "feature_weights_", "trustworthiness_", "n_used_")
NUMBERS += ("engine_", "engine_reason_", "solver_", "deviation_kind_", "deviation_error_")


def assert_same(made, model, rows):
    for name in ARRAYS:
        assert np.array_equal(getattr(made, name), getattr(model, name)), name
    for name in NUMBERS:
        assert getattr(made, name) == getattr(model, name), name
    assert np.array_equal(made.sociability_, model.sociability_)
    assert np.array_equal(made.transform(rows), model.transform(rows))
    assert np.array_equal(made.transform(rows, return_std=True)[1], model.transform(rows, return_std=True)[1])
    assert np.array_equal(made.score_samples(rows), model.score_samples(rows))
    assert np.array_equal(made.novelty(rows), model.novelty(rows))
    assert np.array_equal(made.inverse_transform(made.embedding_), model.inverse_transform(model.embedding_))
    assert np.array_equal(made.sample(5, random_state=1), model.sample(5, random_state=1))
    assert made.score() == model.score()
    assert (made.graph_ != model.graph_).nnz == 0


@pytest.mark.parametrize("way", WAYS)
def test_a_model_comes_back_as_it_was(way, fitted, table, new_rows, tmp_path):
    made = way(fitted, tmp_path)
    assert type(made) is LLLVM and made is not fitted
    assert_same(made, fitted, new_rows)
    assert np.array_equal(made.transform(table), fitted.embedding_)
    assert made.score(table) == fitted.score(table)
    assert made.get_params() == fitted.get_params()
    assert list(made.get_feature_names_out()) == ["lllvm0", "lllvm1"]
    assert not hasattr(made, "feature_names_in_")


@pytest.mark.parametrize("way", WAYS)
def test_names_covariances_and_calibration_are_kept(way, table, new_rows, tmp_path):
    frame = pandas.DataFrame(table, columns=["länge", "b,c", ""])
    model = LLLVM(max_iter=20, n_components=1, full_covariance=True, n_neighbors=7).fit(frame).calibrate(3)
    made = way(model, tmp_path)
    assert list(made.feature_names_in_) == ["länge", "b,c", ""]
    assert np.array_equal(made.embedding_covariance_, model.embedding_covariance_)
    assert made.distance_interval(0, 9) == model.distance_interval(0, 9)
    assert made._native.calibration == model._native.calibration is not None
    new = pandas.DataFrame(new_rows, columns=frame.columns)
    assert np.array_equal(made.novelty(new), model.novelty(new))
    with pytest.raises(ValueError, match="feature names"):
        made.transform(new[["", "b,c", "länge"]])


@pytest.mark.parametrize("way", [way for way in WAYS if way is not through_a_file])
def test_an_estimator_that_is_not_fitted_stays_so(way, tmp_path):
    made = way(LLLVM(n_neighbors=4, init=np.zeros((3, 2))), tmp_path)
    assert made.n_neighbors == 4 and np.array_equal(made.init, np.zeros((3, 2)))
    with pytest.raises(NotFittedError):
        made.transform(np.zeros((2, 3)))


@pytest.mark.parametrize("way", [way for way in WAYS if way is not through_a_file])
def test_a_model_of_distances_can_be_pickled(way, distances, tmp_path):
    names = [f"p{i}" for i in range(150)]
    frame = pandas.DataFrame(distances, columns=names)
    model = LLLVM(metric="precomputed", max_iter=5).fit(frame)
    made = way(model, tmp_path)
    assert list(made.feature_names_in_) == names
    assert np.array_equal(made.transform(frame), model.embedding_)
    assert made.score(frame) == model.score()


def test_a_model_of_distances_has_no_file(distances, tmp_path):
    model = LLLVM(metric="precomputed", max_iter=5).fit(distances)
    with pytest.raises(ValueError, match="pickle") as error:
        model.save(tmp_path / "model.safetensors")
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match="distances"):
        model.transform_file(tmp_path / "a.csv", tmp_path / "b.csv")
    assert not list(tmp_path.iterdir())


def test_a_pipeline_can_be_pickled(table, new_rows):
    pipeline = make_pipeline(StandardScaler(), LLLVM(max_iter=5)).fit(table)
    made = pickle.loads(pickle.dumps(pipeline))
    assert np.array_equal(made.transform(new_rows), pipeline.transform(new_rows))


def test_pieces_and_pruned_edges_are_kept(table, tmp_path):
    sheets = np.vstack([table[:60], table[60:100] + [0.0, 40.0, 0.0]])
    joined = LLLVM(max_iter=3).fit(sheets)
    largest = LLLVM(max_iter=3, connect=False, largest=True).fit(sheets)
    assert len(joined.bridges_) == 1 and len(largest.rows_) == 60
    for model in (joined, largest):
        for way in (through_pickle, through_a_file):
            assert_same(way(model, tmp_path), model, sheets[:20])
            assert way(model, tmp_path).score(sheets) == model.score(sheets)


def test_settings_come_back_from_a_file(table, tmp_path):
    params = {
        "n_components": 1,
        "n_neighbors": 7,
        "init": "random",
        "n_init": 2,
        "max_iter": 4,
        "tol": 1e-3,
        "scaling": "per-feature",
        "symmetry": "mutual",
        "connect": True,
        "alpha": 0.01,
        "lam": 0.5,
        "nu": 0.25,
        "epsilon": 2e-3,
        "gamma0": 2.0,
        "alpha0": 0.1,
        "accelerate": False,
        "uncertainty": "absolute",
        "full_covariance": True,
        "random_state": 2**64 - 1,
    }
    model = LLLVM(**params).fit(table)
    made = through_a_file(model, tmp_path)
    assert {name: made.get_params()[name] for name in params} == params
    assert_same(clone(made).fit(table), model, table[:3])


def test_a_loaded_model_can_be_fitted_again(fitted, table, tmp_path):
    made = through_a_file(fitted, tmp_path)
    made.set_params(max_iter=2).fit(table[:, :2])
    assert made.n_features_in_ == 2 and made.embedding_.shape == (150, 2)
    assert fitted.n_features_in_ == 3


def test_a_start_that_was_given_is_not_asked_for_again(table, tmp_path):
    model = LLLVM(init=table[:, :2], max_iter=3).fit(table)
    made = through_a_file(model, tmp_path)
    assert made.init == "auto"
    assert_same(made, model, table[:3])


def test_a_file_is_replaced_whole_or_not_at_all(fitted, table, tmp_path):
    path = tmp_path / "model.safetensors"
    other = LLLVM(max_iter=2).fit(table)
    other.save(path)
    with pytest.raises(FileExistsError):
        fitted.save(path, overwrite=False)
    assert np.array_equal(tangency.load(path).embedding_, other.embedding_)
    fitted.save(path)
    assert np.array_equal(LLLVM.load(path).embedding_, fitted.embedding_)
    assert [file.name for file in tmp_path.iterdir()] == ["model.safetensors"]


def test_a_file_is_safetensors_with_arrays_that_others_can_read(fitted, tmp_path):
    path = tmp_path / "model.safetensors"
    fitted.save(path)
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    first, last = header["coordinates"]["data_offsets"]
    values = np.frombuffer(content[8 + size :][first:last], dtype="<f8").reshape(header["coordinates"]["shape"])
    assert np.array_equal(values, fitted.embedding_)
    assert b"pickle" not in content


@pytest.mark.parametrize("damage", ["cut", "turned", "emptied", "text"])
def test_a_damaged_pickle_is_refused(damage, fitted):
    state = fitted.__getstate__()
    whole = state["_native"]
    assert isinstance(whole, bytes)
    state["_native"] = {
        "cut": whole[: len(whole) // 2],
        "turned": whole[::-1],
        "emptied": b"",
        "text": b'{"a": 1}' * 20,
    }[damage]
    with pytest.raises(pickle.UnpicklingError) as error:
        LLLVM().__setstate__(state)
    assert "\n" not in str(error.value) and "model" in str(error.value)


def test_changed_bytes_of_a_model_never_panic(fitted, capfd):
    whole = bytes(fitted._native.to_bytes())
    size = 8 + int.from_bytes(whole[:8], "little")
    draw = np.random.default_rng(0)
    # mostly in the header, where everything is told
    places = [*draw.integers(0, size, 150), *draw.integers(size, len(whole), 50)]
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= int(draw.integers(1, 256))
        try:
            model = Model.from_bytes(bytes(changed))
            model.transform(model.observations, 1)
            model.to_bytes()
        except Exception as error:
            assert "Panic" not in type(error).__name__ and not isinstance(error, RuntimeError)
    assert "panicked" not in capfd.readouterr().err


def test_equal_pickles_share_one_model_in_memory(fitted):
    frozen = pickle.dumps(fitted)
    assert pickle.loads(frozen)._native is pickle.loads(frozen)._native


def test_what_the_workers_of_a_cluster_are_sent_can_be_pickled(fitted):
    native = pickle.loads(pickle.dumps(fitted._native))
    assert np.array_equal(native.coordinates, fitted.embedding_)
    flag = Stop()
    flag.set()
    assert isinstance(pickle.loads(pickle.dumps(flag)), Stop)
