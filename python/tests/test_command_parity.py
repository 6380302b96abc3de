"""The command and the package give the same bits for the same table, settings and seed, and share model files."""

from __future__ import annotations

import csv
import json
import os
import pathlib
import subprocess

import numpy as np
import pandas
import pytest

import tangency
from tangency import LLLVM, datasets

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

FOUND = os.environ.get("TANGENCY_COMMAND") or pathlib.Path(__file__).parents[2] / "target" / "release" / "tangency"


@pytest.fixture(scope="module")
def command():
    """Runs the command with words and returns what it prints as JSON."""
    if not pathlib.Path(FOUND).is_file():
        pytest.skip(f"there is no command at {FOUND}: cargo build --release -p tangency-cli, or set TANGENCY_COMMAND")

    def run(*words):
        done = subprocess.run([FOUND, *map(str, words), "--json"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout else None

    return run


def write(path, table, names=None):
    """A table as CSV, with as many digits as a number has."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if names is not None:
            writer.writerow(names)
        writer.writerows([repr(float(value)) for value in row] for row in table)
    return path


def read(path):
    """The columns of a CSV, numbers to the last bit."""
    frame = pandas.read_csv(path, float_precision="round_trip")
    return {name: frame[name].to_numpy() for name in frame.columns}


def columns(found, word, count=2):
    return np.column_stack([found[f"{word}{a + 1}"] for a in range(count)])


def notes(path):
    """What stands in a model file beside its arrays."""
    content = pathlib.Path(path).read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return json.loads(header["__metadata__"]["tangency"])


@pytest.fixture(scope="module")
def rows(table):
    """A part of the table, for quick fits; its graph is in one piece with nine neighbours."""
    return np.ascontiguousarray(table[:110])


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    made = tmp_path_factory.mktemp("parity")
    write(made / "rows.csv", rows)
    return made


#: Words of the command, and the settings that are the same.
SETTINGS = {
    "defaults": ([], {}),
    "one coordinate": (["-d", 1], {"n_components": 1}),
    "other neighbours": (["-k", 12], {"n_neighbors": 12}),
    "mutual neighbours": (["--symmetry", "mutual", "-k", 14], {"symmetry": "mutual", "n_neighbors": 14}),
    "a radius": (["--radius", 1.3], {"radius": 1.3}),
    "several random starts": (["--init", "random", "--n-init", 3], {"init": "random", "n_init": 3}),
    "several starts": (["--init", "auto", "--n-init", 2], {"init": "auto", "n_init": 2}),
    "principal axes": (["--init", "pca"], {"init": "pca"}),
    "the paper's prior": (["--lambda", 1, "--nu", 0], {"lam": 1.0, "nu": 0.0}),
    "alpha held": (["--alpha", 0.01], {"alpha": 0.01}),
    "the paper's model": (["--no-graph-likelihood"], {"graph_likelihood": False}),
    "the paper's model in the end": (["--feature-weight", "polish"], {"feature_weight": "polish"}),
    "the graph above all": (["--feature-weight", 0.05], {"feature_weight": 0.05}),
    "plain edges of a Gaussian": (
        ["--edge-weights", "plain", "--heaviness", 0, "--feature-weight", 1],
        {"edge_weights": "plain", "heaviness": 0.0, "feature_weight": 1.0},
    ),
    "heaviness learned": (
        ["--heaviness", "learned", "--feature-weight", 0.3],
        {"heaviness": None, "feature_weight": 0.3},
    ),
    "scaled features": (["--scaling", "per-feature"], {"scaling": "per-feature"}),
    "features as they are": (["--scaling", "none"], {"scaling": "none"}),
    "another seed": (["--seed", 12345, "--init", "random"], {"random_state": 12345, "init": "random"}),
    "the largest seed": (["--seed", 2**64 - 1, "--init", "random"], {"random_state": 2**64 - 1, "init": "random"}),
    "constants": (
        ["--epsilon", 0.002, "--gamma0", 3, "--alpha0", 0.01, "--tol", 0.001, "--no-acceleration"],
        {"epsilon": 0.002, "gamma0": 3.0, "alpha0": 0.01, "tol": 0.001, "accelerate": False},
    ),
    "the number of neighbours": (["-k", "auto", "--init", "isomap"], {"n_neighbors": "auto", "init": "isomap"}),
    "the number of coordinates": (["-d", "auto"], {"n_components": "auto"}),
    "all covariances": (["--full-covariance", "--init", "pca"], {"full_covariance": True, "init": "pca"}),
}


def assert_same(found, model):
    """Whether a model of the command is this model, to the last bit."""
    for name in ("embedding_", "embedding_std_", "lower_bounds_", "maps_", "maps_std_", "edges_", "removed_edges_"):
        assert np.array_equal(getattr(found, name), getattr(model, name)), name
    for name in ("lower_bound_", "alpha_", "gamma_", "lambda_", "nu_", "heaviness_", "stop_reason_", "n_iter_"):
        assert getattr(found, name) == getattr(model, name), name
    assert np.array_equal(found.sociability_, model.sociability_)
    found_out = ("feature_weight_", "feature_weights_", "n_used_", "dimension_", "neighbors_")
    for name in (*found_out, "trustworthiness_", "quality_"):
        assert getattr(found, name) == getattr(model, name), name


@pytest.mark.parametrize("case", SETTINGS)
def test_a_fit_of_the_command_is_a_fit_of_the_package(case, command, folder, rows):
    words, params = SETTINGS[case]
    limit = {"max_iter": 40, "connect": False}
    out = folder / "model.safetensors"
    told = command("fit", folder / "rows.csv", "--out", out, "--force", "--max-iter", 40, *words)
    model = LLLVM(**(limit | params)).fit(rows)
    found = tangency.load(out)
    assert_same(found, model)
    assert told["bound"] == model.lower_bound_
    assert told["hyperparameters"]["gamma"] == model.gamma_
    # a model has the numbers that were found
    asked = model.get_params() | {"n_jobs": found.n_jobs, "n_components": model.embedding_.shape[1]}
    asked["n_neighbors"] = model.neighbors_["taken"] if model.neighbors_ else asked["n_neighbors"]
    assert found.get_params() == asked
    if "full_covariance" in params:
        assert np.array_equal(found.embedding_covariance_, model.embedding_covariance_)
        assert command("info", out, "--distance", "3,50", "--level", 0.8)["distances"][0] == {
            "pair": "3,50",
            "level": 0.8,
            **model.distance_interval(3, 50, level=0.8),
        }


def test_the_authors_settings_are_the_same(command, folder, rows):
    out = folder / "authors.safetensors"
    command("fit", folder / "rows.csv", "--out", out, "--preset", "authors", "--max-iter", 60)
    model = LLLVM.authors(max_iter=60, connect=False).fit(rows)
    assert_same(tangency.load(out), model)


def test_threads_and_jobs_change_no_bit(command, folder, rows):
    out = folder / "threads.safetensors"
    for threads, n_jobs in ((1, 2), (2, 1)):
        words = ["--threads", threads, "--n-init", 2, "--max-iter", 25]
        command("fit", folder / "rows.csv", "--out", out, "--force", *words)
        model = LLLVM(n_jobs=n_jobs, n_init=2, max_iter=25, connect=False).fit(rows)
        assert_same(tangency.load(out), model)


def test_what_the_command_writes_as_text_has_every_bit(command, folder, rows):
    paths = {word: folder / f"{word}.csv" for word in ("embedding", "trace")}
    words = [word for name, path in paths.items() for word in (f"--{name}", path)]
    command("fit", folder / "rows.csv", "--out", folder / "text.safetensors", *words)
    model = LLLVM(connect=False).fit(rows)
    embedding, trace = read(paths["embedding"]), read(paths["trace"])
    assert np.array_equal(columns(embedding, "x"), model.embedding_)
    assert np.array_equal(columns(embedding, "sd"), model.embedding_std_)
    assert np.array_equal(trace["bound"], model.lower_bounds_)


def test_pruning_removes_the_same_edges(command, folder, rows, curve):
    arc = curve[1][:110, 0]
    graph = np.vstack([LLLVM(max_iter=1).fit(rows).edges_, [[arc.argmin(), arc.argmax()]]])
    with open(folder / "edges.csv", "w", encoding="utf-8") as file:
        file.writelines(f"{i},{j}\n" for i, j in graph)
    out = folder / "pruned.safetensors"
    shared = ["--edges", folder / "edges.csv", "--init", "isomap", "--max-iter", 12]
    told = command("fit", folder / "rows.csv", "--out", out, "--prune", *shared)
    model = LLLVM(prune=True, init="isomap", max_iter=12, connect=False).fit(rows, graph=graph)
    assert_same(tangency.load(out), model)
    assert told["n_removed"] == len(model.removed_edges_) > 0


def test_a_start_of_coordinates_or_maps_is_the_same(command, folder, rows):
    start = rows[:, :2] ** 3
    write(folder / "start.csv", start)
    out = folder / "start.safetensors"
    command("fit", folder / "rows.csv", "--out", out, "--init-coordinates", folder / "start.csv", "--max-iter", 10)
    assert_same(tangency.load(out), LLLVM(init=start, max_iter=10, connect=False).fit(rows))
    maps = np.random.default_rng(0).normal(size=(110, 3, 2))
    # the command has features in rows and points one after the other in columns
    np.save(folder / "maps.npy", maps.transpose(1, 0, 2).reshape(3, 220))
    command("fit", folder / "rows.csv", "--out", out, "--force", "--init-maps", folder / "maps.npy", "--max-iter", 10)
    assert_same(tangency.load(out), LLLVM(init=maps, max_iter=10, connect=False).fit(rows))


def test_pieces_are_treated_alike(command, folder, rows):
    sheets = np.vstack([rows[:60], rows[60:] + [0.0, 40.0, 0.0]])
    write(folder / "sheets.csv", sheets)
    out = folder / "sheets.safetensors"
    for word, params in (("--connect", {}), ("--largest", {"connect": False, "largest": True})):
        command("fit", folder / "sheets.csv", "--out", out, "--force", word, "--max-iter", 5)
        found, model = tangency.load(out), LLLVM(max_iter=5, **params).fit(sheets)
        assert_same(found, model)
        assert np.array_equal(found.bridges_, model.bridges_) and np.array_equal(found.rows_, model.rows_)
        assert found.score(sheets) == model.score(sheets) and found.score() == model.score()


def test_calibration_is_the_same(command, folder, rows, new_rows):
    out = folder / "calibrated.safetensors"
    command("fit", folder / "rows.csv", "--out", out, "--init", "isomap", "--max-iter", 15, "--calibrate", 4)
    model = LLLVM(init="isomap", max_iter=15, connect=False).fit(rows).calibrate(4)
    found = tangency.load(out)
    assert found._native.calibration == model._native.calibration is not None
    assert np.array_equal(found.novelty(new_rows), model.novelty(new_rows))


@pytest.mark.parametrize("names", [None, ["länge", "b", "c d"]], ids=["unnamed", "named"])
def test_the_command_reads_a_model_of_the_package_and_places_rows_alike(names, command, folder, rows, new_rows):
    frame = rows if names is None else pandas.DataFrame(rows, columns=names)
    model = LLLVM(max_iter=30).fit(frame)
    path = folder / "python.safetensors"
    model.save(path)
    told = command("info", path)
    assert (told["n"], told["n_components"], told["n_features"]) == (110, 2, 3)
    assert told["bound"] == model.lower_bound_ and told["n_iter"] == model.n_iter_
    assert told["feature_names"] == (names or ["c1", "c2", "c3"])
    assert told["config"]["connect"] is True and told["stop"] == model.stop_reason_
    # new rows, and two that were fitted
    given = np.vstack([new_rows, rows[[7, 3]]])
    write(folder / "new.csv", given, names)
    command("transform", path, folder / "new.csv", "--out", folder / "placed.csv", "--force")
    placed = read(folder / "placed.csv")
    asked = given if names is None else pandas.DataFrame(given, columns=names)
    coordinates, deviations = model.transform(asked, return_std=True)
    assert np.array_equal(columns(placed, "x"), coordinates)
    assert np.array_equal(columns(placed, "sd"), deviations)
    assert np.array_equal(placed["log_density"], model.score_samples(asked))
    assert np.array_equal(placed["novelty"], model.novelty(asked))
    assert np.array_equal(coordinates[-2:], model.embedding_[[7, 3]])
    # the package's own way from file to file
    assert model.transform_file(folder / "new.csv", folder / "own.csv", overwrite=True) == len(given)
    assert (folder / "own.csv").read_bytes() == (folder / "placed.csv").read_bytes()


def test_the_package_reads_a_model_of_the_command_and_places_rows_alike(command, folder, rows, new_rows):
    names = ["length", "width", "height"]
    with open(folder / "labelled.csv", "w", encoding="utf-8") as file:
        file.write(",".join(["name", *names, "kind"]) + "\n")
        for number, row in enumerate(rows):
            file.write(",".join([f"row {number}", *map(repr, map(float, row)), "even" if number % 2 else "odd"]) + "\n")
    path = folder / "command.safetensors"
    ids = ["--id-column", "name", "--label-column", "kind"]
    command("fit", folder / "labelled.csv", "--out", path, "--max-iter", 30, *ids)
    model = tangency.load(path)
    assert list(model.feature_names_in_) == names and model.n_features_in_ == 3
    assert_same(model, LLLVM(max_iter=30, connect=False).fit(rows))
    write(folder / "named.csv", new_rows, names)
    command("transform", path, folder / "named.csv", "--out", folder / "placed.csv", "--force")
    placed = read(folder / "placed.csv")
    frame = pandas.DataFrame(new_rows, columns=names)
    coordinates, deviations = model.transform(frame, return_std=True)
    assert np.array_equal(columns(placed, "x"), coordinates)
    assert np.array_equal(columns(placed, "sd"), deviations)
    # what the package does not use it does not lose
    model.save(folder / "again.safetensors")
    one, other = notes(path), notes(folder / "again.safetensors")
    for name in ("ids", "labels", "feature_names", "config", "start", "start_seed", "n_rows"):
        assert one[name] == other[name], name
    assert (one["ids"][7], one["labels"][7]) == ("row 7", "even")


def test_samples_and_reconstructions_are_the_same(command, folder, rows):
    model = LLLVM(max_iter=20, connect=False).fit(rows)
    path = folder / "drawn.safetensors"
    model.save(path)
    command("sample", path, "--n", 12, "--seed", 3, "--out", folder / "sample.csv")
    drawn = read(folder / "sample.csv")
    X, Z = model.sample(12, random_state=3, return_coordinates=True)
    assert np.array_equal(columns(drawn, "x"), Z) and np.array_equal(columns(drawn, "c", 3), X)
    write(folder / "coordinates.csv", Z, ["x1", "x2"])
    command("reconstruct", path, folder / "coordinates.csv", "--out", folder / "back.csv")
    back = read(folder / "back.csv")
    assert np.array_equal(columns(back, "c", 3), model.inverse_transform(Z))


@pytest.mark.parametrize("shape", ["swiss-roll", "s-curve", "punctured-sphere", "twin-peaks", "helix"])
def test_points_of_known_manifolds_are_the_same(shape, command, folder):
    make = getattr(datasets, "make_" + shape.replace("-", "_"))
    for n, noise, seed in ((50, 0.0, 0), (31, 0.125, 2**40)):
        path = folder / f"{shape}.csv"
        command("generate", shape, "--n", n, "--noise", noise, "--seed", seed, "--out", path, "--force")
        found = read(path)
        X, truth = make(n, noise=noise, random_state=seed)
        assert np.array_equal(columns(found, "y", 3), X)
        assert np.array_equal(columns(found, "true", truth.shape[1]), truth)


def test_results_are_told_in_the_same_words(command, folder, rows):
    model = LLLVM(max_iter=400, connect=False).fit(rows)
    path = folder / "told.safetensors"
    model.save(path)
    told = model.summary()
    assert command("info", path) == told
    assert told["hyperparameters"] == {name: getattr(model, f"{name}_") for name in told["hyperparameters"]}
    assert [row["name"] for row in told["coordinates"]] == ["x1", "x2"]
    history = model.history()
    assert np.array_equal(history["bound"], model.lower_bounds_) and history["final"] == told["bound"]
    assert {part["name"] for part in history["parts"]} == set(told["bound_parts_scaled"])
    np.testing.assert_allclose(np.sum([part["values"] for part in history["parts"]], axis=0), history["bound"])
    assert [hyper["last"] for hyper in history["hyperparameters"]] == [
        told["hyperparameters"][hyper["name"]] for hyper in history["hyperparameters"]
    ]

    found = command("edges", path, "--test", "3,4", "--seeds", 1)
    scores = tangency.edge_scores(model)
    for name in scores.dtype.names:
        # what an edge has not, the command leaves out
        left_out = {"expected_gain": np.nan, "suspect": False}.get(name)
        assert np.array_equal(scores[name], [edge.get(name, left_out) for edge in found["edges"]], equal_nan=True), name
    (tried,) = tangency.test_edges(model, [(3, 4)], seeds=1)
    for name in ("seeds", "change", "spread", "parts", "converged"):
        assert found["tests"][0][name] == getattr(tried, name), name

    mean, std = model.loadings()
    names = told["feature_names"]
    for a, direction in enumerate(command("loadings", path)["directions"]):
        for row in direction:
            feature = names.index(row["feature"])
            assert (row["mean"], row["sd"]) == (mean[feature, a], std[feature, a])


def test_a_selection_is_told_in_the_same_words(command, folder, rows):
    grid = ["--n-neighbors", "7,9", "--n-components", "1,2", "--seeds", 2, "--max-iter", 20]
    found = command("select", folder / "rows.csv", "--out", folder / "select.csv", *grid)
    made = tangency.select(rows, n_neighbors=(7, 9), n_components=(1, 2), seeds=2, max_iter=20)
    assert {name: found[name] for name in made.evidence} == made.evidence
    assert [row["equal_to_best"] for row in made.summary] == [row["equal_to_best"] for row in found["candidates"]]
