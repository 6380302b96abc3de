"""What a model, a file or a dataset cannot do raises what scikit-learn users expect, with one sentence."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from sentences import is_a_sentence
from sklearn.exceptions import NotFittedError

import tangency
from tangency import LLLVM, datasets

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def quick(**params):
    return LLLVM(**({"max_iter": 3, "init": "spectral"} | params))


# ---- methods

METHODS = {
    "transform": lambda model, folder: model.transform(np.zeros((2, 3))),
    "inverse_transform": lambda model, folder: model.inverse_transform(np.zeros((2, 2))),
    "score": lambda model, folder: model.score(),
    "score of rows": lambda model, folder: model.score(np.zeros((2, 3))),
    "score_samples": lambda model, folder: model.score_samples(np.zeros((2, 3))),
    "novelty": lambda model, folder: model.novelty(np.zeros((2, 3))),
    "sample": lambda model, folder: model.sample(),
    "loadings": lambda model, folder: model.loadings(),
    "leave_one_out": lambda model, folder: model.leave_one_out(),
    "calibrate": lambda model, folder: model.calibrate(),
    "distance_interval": lambda model, folder: model.distance_interval(0, 1),
    "sample_embedding": lambda model, folder: model.sample_embedding(),
    "save": lambda model, folder: model.save(folder / "model.safetensors"),
    "transform_file": lambda model, folder: model.transform_file(folder / "a.csv", folder / "b.csv"),
    "iter_transform": lambda model, folder: list(model.iter_transform([np.zeros((2, 3))])),
    "plot": lambda model, folder: model.plot(),
    "get_feature_names_out": lambda model, folder: model.get_feature_names_out(),
}


@pytest.mark.parametrize("method", METHODS)
def test_a_model_that_is_not_fitted_says_so(method, tmp_path):
    with pytest.raises(NotFittedError) as error:
        METHODS[method](LLLVM(), tmp_path)
    is_a_sentence(error.value, "LLLVM", "not fitted yet", "fit")
    assert not list(tmp_path.iterdir())


CALLS = {
    "no samples": (lambda m: m.sample(0), ["n_samples is ", "; use a whole number, at least 1"]),
    "fewer than no samples": (lambda m: m.sample(-3), ["n_samples is ", "; use a whole number, at least 1"]),
    "half a sample": (lambda m: m.sample(0.5), ["n_samples is ", "; use a whole number"]),
    "a word of samples": (lambda m: m.sample("many"), ["n_samples is ", "; use a whole number"]),
    "a seed that is none": (lambda m: m.sample(1, random_state="x"), ["random_state is "]),
    "one part": (lambda m: m.calibrate(1), ["parts is ", "; use a whole number, at least 2"]),
    "more parts than rows": (lambda m: m.calibrate(151), ["parts", "150", "151"]),
    "a part of a part": (lambda m: m.calibrate(2.5), ["parts is ", "; use a whole number"]),
    "a point beyond the last": (lambda m: m.loadings([150]), ["point 150", "from 0 to 149"]),
    "a negative point": (lambda m: m.loadings(-1), ["points", "from 0 to 149"]),
    "no points": (lambda m: m.loadings([]), ["points is empty", "from 0 to 149"]),
    "points that are no numbers": (lambda m: m.loadings(["a"]), ["points"]),
    "a mask": (lambda m: m.loadings([True] * 150), ["points"]),
    "a table of points": (lambda m: m.loadings([[0, 1]]), ["points"]),
    "a point that is too large a number": (lambda m: m.loadings([2**70]), ["points"]),
    "a distance without covariances": (lambda m: m.distance_interval(0, 1), ["full_covariance"]),
    "draws without covariances": (lambda m: m.sample_embedding(), ["full_covariance"]),
    "a distance to no point": (lambda m: m.distance_interval(0, 150), ["j is 150; use", "at most 149"]),
    "a distance from a negative point": (lambda m: m.distance_interval(-1, 0), ["i is -1; use", "at least 0"]),
    "a distance from half a point": (lambda m: m.distance_interval(0.5, 0), ["i is ", "; use a whole number"]),
    "a level in per cent": (lambda m: m.distance_interval(0, 1, level=90), ["level is 90", "between 0 and 1"]),
    "a level of one": (lambda m: m.distance_interval(0, 1, level=1), ["level is 1", "between 0 and 1"]),
    "a level that is no number": (lambda m: m.distance_interval(0, 1, level="high"), ["level is ", "; use a number"]),
    "no draws": (lambda m: m.sample_embedding(0), ["n_draws is ", "; use a whole number, at least 1"]),
}


@pytest.mark.parametrize("case", CALLS)
def test_a_method_refuses_what_it_cannot_do(case, fitted):
    call, words = CALLS[case]
    with pytest.raises(ValueError) as error:
        call(fitted)
    is_a_sentence(error.value, *words)


@pytest.mark.parametrize(
    "call",
    [
        lambda model: model.sample(10**15),
        lambda model: model.sample(2**63 - 1),
        lambda model: model.sample_embedding(10**13),
        lambda model: datasets.make_s_curve(10**15),
        lambda model: datasets.make_helix(2**63 - 1),
    ],
)
def test_more_than_there_is_room_for_is_refused(call, fitted):
    with pytest.raises(MemoryError) as error:
        call(fitted)
    is_a_sentence(error.value, "no room for so many; use a smaller")


def test_a_fit_that_does_not_fit_in_memory_is_refused():
    with pytest.raises(MemoryError) as error:
        LLLVM(engine="exact").fit(np.random.default_rng(0).normal(size=(600_000, 2)))
    is_a_sentence(error.value, "600000 points", "GiB", "n_components")


def test_a_failed_fit_does_not_disturb_what_can_be_asked_of_the_model(table):
    model = quick().fit(table)
    with pytest.raises(ValueError):
        model.fit(table[:, :0])
    assert np.array_equal(model.transform(table), model.embedding_)
    with pytest.raises(ValueError):
        model.fit(np.ones((20, 5)))
    with pytest.raises(ValueError) as error:
        model.transform(np.ones((2, 5)))
    is_a_sentence(error.value, "5", "3 features")


# ---- files

FILES = {
    "save into a folder that is not there": (
        lambda m, folder: m.save(folder / "no" / "m.safetensors"),
        FileNotFoundError,
        ["folder does not exist", "make it first"],
    ),
    "save in place of a folder": (lambda m, folder: m.save(folder), ValueError, ["is a folder"]),
    "save over a file that is to stay": (
        lambda m, folder: m.save(folder / "text.csv", overwrite=False),
        FileExistsError,
        ["exists already", "overwrite=True"],
    ),
    "save to no name": (lambda m, folder: m.save(None), TypeError, ["PathLike", "None"]),
    "load what is not there": (lambda m, folder: tangency.load(folder / "no"), FileNotFoundError, ["cannot be read"]),
    "load a folder": (lambda m, folder: tangency.load(folder), ValueError, ["cannot be read"]),
    "load a text": (lambda m, folder: tangency.load(folder / "text.csv"), ValueError, ["not a tangency model"]),
    "load an empty file": (lambda m, folder: tangency.load(folder / "empty"), ValueError, ["not a tangency model"]),
    "load a file of another program": (
        lambda m, folder: tangency.load(folder / "other.safetensors"),
        ValueError,
        ["not a tangency model", "saved as a model"],
    ),
    "load half a file": (
        lambda m, folder: tangency.load(folder / "half"),
        ValueError,
        ["cut short", "fit the model again"],
    ),
    "load a file with other settings": (
        lambda m, folder: tangency.load(folder / "changed"),
        ValueError,
        ["settings", "fit the model again"],
    ),
    "load nothing": (lambda m, folder: tangency.load(None), TypeError, ["PathLike", "None"]),
    "transform a file that is not there": (
        lambda m, folder: m.transform_file(folder / "no.csv", folder / "out.csv"),
        FileNotFoundError,
        ["no.csv", "cannot be read"],
    ),
    "transform to a file that exists": (
        lambda m, folder: m.transform_file(folder / "text.csv", folder / "half.csv"),
        FileExistsError,
        ["exists already", "overwrite=True"],
    ),
    "transform a file without the features": (
        lambda m, folder: m.transform_file(folder / "text.csv", folder / "out.csv"),
        ValueError,
        ["text.csv"],
    ),
}


@pytest.fixture(scope="module")
def folder(fitted, tmp_path_factory):
    """Files that are no models."""
    made = tmp_path_factory.mktemp("files")
    fitted.save(made / "whole")
    whole = (made / "whole").read_bytes()
    (made / "half").write_bytes(whole[: len(whole) // 2])
    (made / "changed").write_bytes(whole.replace(b'\\"n_neighbors\\":9', b'\\"n_neighbors\\":0', 1))
    (made / "empty").write_bytes(b"")
    (made / "text.csv").write_text("a,b\n1,2\n3,4\n")
    (made / "half.csv").write_text("a,b\n")
    header = b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    (made / "other.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0\0\0")
    return made


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_does_not_serve_is_refused_by_name(case, folder, fitted):
    call, kind, words = FILES[case]
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(kind) as error:
        call(fitted, folder)
    is_a_sentence(error.value, *words)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_the_path_of_a_file_may_have_any_type(fitted, tmp_path):
    fitted.save(str(tmp_path / "one"))
    fitted.save(pathlib.Path(tmp_path / "two"))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_name_of_a_file_stands_in_the_message_as_it_is(fitted, tmp_path):
    with pytest.raises(FileNotFoundError, match="run--2024: cannot be read, because there is no such file"):
        tangency.load(tmp_path / "run--2024")
    (tmp_path / "run--2024").write_text("a,b\n")
    with pytest.raises(ValueError, match="run--2024: is not a tangency model"):
        tangency.load(tmp_path / "run--2024")


# ---- datasets


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: datasets.make_swiss_roll(0), ["n_samples is ", "; use a whole number, at least 1"]),
        (lambda: datasets.make_swiss_roll(-5), ["n_samples is ", "; use a whole number, at least 1"]),
        (lambda: datasets.make_s_curve(1.5), ["n_samples is ", "; use a whole number"]),
        (lambda: datasets.make_s_curve("a"), ["n_samples is ", "; use a whole number"]),
        (lambda: datasets.make_helix(5, noise=-1), ["noise is -1", "zero or a positive number"]),
        (lambda: datasets.make_helix(5, noise=np.nan), ["noise is ", "; use a number"]),
        (lambda: datasets.make_helix(5, noise="loud"), ["noise is ", "; use a number"]),
        (lambda: datasets.make_twin_peaks(5, random_state="a"), ["random_state is "]),
        (lambda: datasets.make_punctured_sphere(5, random_state=-1), ["random_state is "]),
        (lambda: datasets.true_edges(np.eye(5), np.eye(5), 0), ["n_neighbors is ", "; use a whole number, at least 1"]),
        (lambda: datasets.true_edges(np.eye(5), np.eye(5), 5), ["n_neighbors is 5", "only 5 points"]),
        (lambda: datasets.true_edges(np.eye(5), np.eye(4), 2), ["as many rows"]),
        (lambda: datasets.true_edges(np.ones(5), np.eye(5), 2), ["as many rows"]),
        (lambda: datasets.true_edges(np.eye(5) * np.nan, np.eye(5), 2), ["finite"]),
        (lambda: datasets.true_edges(np.zeros((0, 0)), np.zeros((0, 0)), 2), ["at least one"]),
    ],
)
def test_a_dataset_that_cannot_be_made_is_refused(call, words):
    with pytest.raises(ValueError) as error:
        call()
    is_a_sentence(error.value, *words)
