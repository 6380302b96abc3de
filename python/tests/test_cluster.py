"""On a cluster of two processes fits and blocks of rows give what they give here, also when a worker dies half-way."""

from __future__ import annotations

import os
import signal
import threading
import time

import joblib
import numpy as np
import pytest

from tangency import LLLVM, _parallel, datasets, select

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
import dask.array as da  # noqa: E402

#: Seconds after which something hangs, on a machine that is busy with other things too.
HANGS = 120

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:.* tasks which were still being processed"
)


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster, timeout=HANGS) as client:
        client.wait_for_workers(2, timeout=HANGS)
        yield client


@pytest.fixture(scope="module")
def rows():
    return datasets.make_s_curve(80, random_state=1)[0]


@pytest.fixture(scope="module")
def model(rows):
    return LLLVM(n_neighbors=6, max_iter=40).fit(rows)


@pytest.fixture(scope="module")
def new():
    return datasets.make_s_curve(500, noise=0.05, random_state=7)[0]


def processes(client):
    return set(client.run(os.getpid).values())


# ---- fits


def test_a_selection_on_the_cluster_finds_the_same(client, rows):
    grid = {"n_neighbors": [2, 5, 7], "n_components": [1, 2], "seeds": 3, "max_iter": 30}
    here = select(rows, **grid)
    seen = []
    with joblib.parallel_config(backend="dask"):
        there = select(rows, **grid, verbose=False)
        for number, process in _parallel.finished(_where, [(n,) for n in range(6)], -1):
            seen.append((number, process))
    assert there.cells == here.cells and there.summary == here.summary and there.complete
    assert sorted(number for number, _ in seen) == list(range(6))
    assert {process for _, process in seen} <= processes(client)


def _where(number, stop):
    time.sleep(0.05)
    return os.getpid()


@pytest.mark.parametrize("settings", [{}, {"init": "random"}], ids=["auto", "random"])
def test_starts_on_the_cluster_give_the_same_fit(client, rows, settings):
    estimator = LLLVM(n_neighbors=6, n_init=3, max_iter=20, **settings)
    here = estimator.fit(rows)
    embedding, bound = here.embedding_, here.lower_bound_
    with joblib.parallel_config(backend="dask"):
        there = LLLVM(**estimator.get_params()).fit(rows)
    np.testing.assert_array_equal(there.embedding_, embedding)
    assert there.lower_bound_ == bound


def test_a_sweep_outlives_a_worker_and_loses_no_cell(client, monkeypatch):
    table = datasets.make_s_curve(250)[0]
    grid = {"n_neighbors": [6, 8], "n_components": 2, "seeds": 4, "max_iter": 20}
    grid |= {"init": "random", "race": False, "by": "bound"}
    before, done, killed = client.run(os.getpid), [], []
    finished = _parallel.finished

    def watched(*arguments):
        for result in finished(*arguments):
            done.append(result)
            yield result

    def kill():
        until = time.monotonic() + HANGS
        while time.monotonic() < until:
            at_work = [worker for worker, tasks in client.processing().items() if tasks]
            if len(done) >= 2 and at_work:
                os.kill(before[at_work[0]], signal.SIGKILL)
                killed.append(len(done))
                return
            time.sleep(0.01)

    monkeypatch.setattr(_parallel, "finished", watched)
    killer = threading.Thread(target=kill)
    killer.start()
    with joblib.parallel_config(backend="dask"):
        there = select(table, **grid)
    killer.join()
    monkeypatch.undo()
    assert killed and 2 <= killed[0] < 8, "the worker died when some cells were done and others were not"
    assert len(done) == 8 and there.complete
    assert there.cells == select(table, **grid).cells
    client.wait_for_workers(2, timeout=HANGS)
    assert processes(client) != set(before.values())


def test_ctrl_c_ends_a_sweep_on_the_cluster_and_it_goes_on_here(client, rows, monkeypatch):
    grid = {"n_neighbors": [5, 6, 7], "n_components": [1, 2], "seeds": 2, "max_iter": 30, "by": "bound"}
    finished = _parallel.finished

    def watched(*arguments):
        for result in finished(*arguments):
            yield result
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch, pytest.warns(UserWarning, match="interrupted: 1 of at most 12 fits are done"):
        patch.setattr(_parallel, "finished", watched)
        with joblib.parallel_config(backend="dask"):
            part = select(rows, **grid)
    assert not part.complete
    assert select(rows, **grid, resume=part).cells == select(rows, **grid).cells


def test_an_error_of_a_fit_on_the_cluster_comes_out(client, rows):
    with joblib.parallel_config(backend="dask"), pytest.raises(ValueError, match="the table has only"):
        LLLVM(n_components=7, init="random", n_init=3).fit(rows)


# ---- blocks of rows


@pytest.mark.parametrize("scheduler", ["threads", "synchronous", "cluster"])
@pytest.mark.parametrize("chunks", [(60, 3), (60, 2), (500, 1)])
def test_a_dask_array_is_placed_as_its_rows_are(client, model, new, scheduler, chunks):
    there = model.transform(da.from_array(new, chunks=chunks))
    assert isinstance(there, da.Array) and there.shape == (500, 2) and there.dtype == np.float64
    placed = there.compute(scheduler=client if scheduler == "cluster" else scheduler)
    np.testing.assert_array_equal(placed, model.transform(new))
    assert model.n_jobs == -1


def test_standard_deviations_come_too(client, model, new):
    both = model.transform(da.from_array(new, chunks=(200, 3)), return_std=True)
    for there, here in zip(dask.compute(*both), model.transform(new, return_std=True), strict=True):
        np.testing.assert_array_equal(there, here)


def test_nothing_is_computed_before_it_is_asked_for(client, model):
    made = []

    def block(block_info=None):
        made.append(block_info)
        raise AssertionError("nobody asked")

    lazy = da.map_blocks(block, chunks=((10, 10), (3,)), dtype=float, meta=np.empty((0, 3)))
    placed, deviations = model.transform(lazy, return_std=True)
    assert placed.chunks == deviations.chunks == ((10, 10), (2,)) and not made
    with pytest.raises(AssertionError, match="nobody asked"):
        placed.compute(scheduler="synchronous")


def test_a_number_of_rows_that_is_not_known_yet_is_no_obstacle(client, model, new):
    array = da.from_array(new, chunks=(100, 3))
    chosen = array[array[:, 0] > 0.9]
    assert np.isnan(chosen.shape[0])
    expected = model.transform(new[new[:, 0] > 0.9])
    np.testing.assert_array_equal(model.transform(chosen).compute(), expected)
    # and there may be none in some blocks
    first = array[da.arange(500, chunks=100) < 150]
    np.testing.assert_array_equal(model.transform(first).compute(), model.transform(new[:150]))


def test_names_and_other_types_of_numbers_do_not_matter(client, rows, new):
    pandas = pytest.importorskip("pandas")
    named = LLLVM(n_neighbors=6, max_iter=20).fit(pandas.DataFrame(rows, columns=list("abc")))
    single = da.from_array(new.astype(np.float32), chunks=(250, 3))
    expected = named.transform(pandas.DataFrame(new.astype(np.float32), columns=list("abc")))
    np.testing.assert_array_equal(named.transform(single).compute(), expected)


def test_a_worker_prepares_the_model_once(client, model, new):
    def begin():
        from tangency import _persistence

        class Counting:
            native, calls = _persistence.Model, 0

            @classmethod
            def from_bytes(cls, frozen):
                cls.calls += 1
                return cls.native.from_bytes(frozen)

        _persistence._RECENT.clear()
        _persistence.Model = Counting

    def end():
        from tangency import _persistence

        counting, _persistence.Model = _persistence.Model, _persistence.Model.native
        return counting.calls

    client.run(begin)
    try:
        array = da.from_array(new, chunks=(10, 3))
        first = model.transform(array).compute()
        again = model.transform(array[:250]).compute()
    finally:
        calls = client.run(end)
    np.testing.assert_array_equal(again, first[:250])
    assert max(calls.values()) == 1


def test_the_wrong_number_of_features_is_refused_at_once(client, model):
    with pytest.raises(ValueError, match="X has 4 features, but LLLVM is expecting 3 features as input"):
        model.transform(da.zeros((10, 4), chunks=5))
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
        model.transform(da.zeros(10, chunks=5))


def test_a_missing_number_in_a_block_is_placed_and_an_infinite_one_is_an_error_of_the_computation(client, model, new):
    broken = new.copy()
    broken[77, 1] = np.nan
    there = model.transform(da.from_array(broken, chunks=(50, 3)))
    assert np.array_equal(there.compute(), model.transform(broken))
    broken[77, 1] = np.inf
    there = model.transform(da.from_array(broken, chunks=(50, 3)))
    with pytest.raises(ValueError, match="Input X contains infinity"):
        there.compute()
