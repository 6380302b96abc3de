"""Work has the threads that were asked for, runs beside other threads and processes, and Ctrl-C keeps what there is."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import joblib
import numpy as np
import pytest

from tangency import LLLVM, datasets, select
from tangency._progress import Bar

#: Seconds after which something hangs, on a machine that is busy with other things too.
HANGS = 120

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted in /proc")


@pytest.fixture(scope="module")
def rows():
    return datasets.make_s_curve(300)[0]


@pytest.fixture(scope="module")
def few():
    return datasets.make_s_curve(60)[0]


def threads_of_this_process():
    return set(os.listdir("/proc/self/task"))


def processor_time(thread):
    try:
        with open(f"/proc/self/task/{thread}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])
    except OSError:
        return 0


class Watched:
    """The threads that live and work while something runs."""

    def __enter__(self):
        self.times, self.most, self.over = {}, 0, threading.Event()
        self.watcher = threading.Thread(target=self.watch)
        self.before = threads_of_this_process()
        self.watcher.start()
        return self

    def watch(self):
        known = self.before | {str(threading.get_native_id())}
        while not self.over.wait(0.005):
            new = threads_of_this_process() - known
            self.most = max(self.most, len(new))
            for thread in new:
                self.times[thread] = max(self.times.get(thread, 0), processor_time(thread))

    def __exit__(self, *_):
        self.over.set()
        self.watcher.join()

    @property
    def busy(self):
        """How many had a share of the work."""
        return sum(time > 0.1 * sum(self.times.values()) for time in self.times.values())


# ---- threads


@needs_proc
def test_a_fit_has_the_threads_that_it_was_given(rows):
    most = min(2, joblib.cpu_count())
    seen = {}
    for n_jobs in (1, most):
        with Watched() as seen[n_jobs]:
            LLLVM(init="random", tol=0, max_iter=15, n_jobs=n_jobs, graph_likelihood=False).fit(rows)
    # one more waits for the others
    assert seen[1].most == 2 and seen[most].most == most + 1
    assert seen[1].busy == 1 and seen[most].busy <= most


@pytest.mark.parametrize("n_init", [1, 3])
def test_a_fit_on_one_thread_takes_one_processor(rows, n_init):
    wall, processors = time.perf_counter(), time.process_time()
    LLLVM(init="random", n_init=n_init, tol=0, max_iter=15, n_jobs=1, graph_likelihood=False).fit(rows)
    assert time.process_time() - processors <= 1.2 * (time.perf_counter() - wall)


@pytest.mark.parametrize("settings", [{}, {"n_init": 3}, {"init": "random", "n_init": 3}, {"init": "spectral"}])
def test_the_number_of_threads_changes_no_bit(few, settings):
    fits = [LLLVM(max_iter=20, n_jobs=n_jobs, **settings).fit(few) for n_jobs in (1, 2, 5)]
    for fit in fits[1:]:
        np.testing.assert_array_equal(fit.embedding_, fits[0].embedding_)
        np.testing.assert_array_equal(fit.lower_bounds_, fits[0].lower_bounds_)


def test_other_threads_run_during_a_fit(rows):
    moments, over = [], threading.Event()

    def count():
        while not over.is_set():
            sum(range(1000))
            moments.append(time.perf_counter())

    counter = threading.Thread(target=count)
    counter.start()
    begin = time.perf_counter()
    try:
        LLLVM(init="random", tol=0, max_iter=40, graph_likelihood=False).fit(rows)
    finally:
        end = time.perf_counter()
        over.set()
        counter.join()
    counts, _ = np.histogram(moments, bins=5, range=(begin, end))
    assert (counts > 10).all()


def test_ten_fits_at_once_give_what_one_after_the_other_gives(few):
    def fit(seed):
        return LLLVM(n_neighbors=5 + seed % 3, init="random", n_init=1 + seed % 2, max_iter=15, random_state=seed).fit(
            few
        )

    with ThreadPoolExecutor(10) as pool:
        at_once = [future.result(timeout=HANGS) for future in [pool.submit(fit, seed) for seed in range(10)]]
    for seed, model in enumerate(at_once):
        alone = fit(seed)
        np.testing.assert_array_equal(model.embedding_, alone.embedding_)
        assert model.lower_bound_ == alone.lower_bound_


def test_one_model_places_rows_for_many_threads(few):
    fitted = LLLVM(n_neighbors=6, max_iter=30).fit(few)
    blocks = [datasets.make_s_curve(40, noise=0.05, random_state=seed)[0] for seed in range(12)]
    alone = [fitted.transform(block) for block in blocks]
    # one that is not prepared yet
    fresh = LLLVM.__new__(LLLVM)
    fresh.__setstate__(fitted.__getstate__() | {"_native": type(fitted._native).from_bytes(fitted._native.to_bytes())})
    with ThreadPoolExecutor(6) as pool:
        placed = list(pool.map(fresh.transform, blocks, timeout=HANGS))
        scored = list(pool.map(fresh.score_samples, blocks, timeout=HANGS))
    for block, here, there, density in zip(blocks, alone, placed, scored, strict=True):
        np.testing.assert_array_equal(here, there)
        np.testing.assert_array_equal(density, fitted.score_samples(block))


# ---- processes


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Python, about forks beside threads
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_of_a_process_that_has_fitted_can_fit_too(few, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    model = LLLVM(n_neighbors=6, max_iter=20, n_jobs=2)
    here = model.fit_transform(few)
    new = datasets.make_s_curve(10, random_state=5)[0]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        fits = [pool.submit(model.fit_transform, few) for _ in range(3)]
        placed = pool.submit(model.transform, new)
        for fit in fits:
            np.testing.assert_array_equal(fit.result(timeout=HANGS), here)
        np.testing.assert_array_equal(placed.result(timeout=HANGS), model.transform(new))


def test_a_model_that_has_placed_rows_can_be_pickled(few):
    model = LLLVM(n_neighbors=6, max_iter=20).fit(few)
    placed = model.transform(few[:5] + 0.01)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(few[:5] + 0.01), placed)


# ---- Ctrl-C

CHILD = """
import json, os, signal, threading, time, warnings
from tangency import LLLVM, _progress, datasets, prune, select

X = datasets.make_s_curve({n})[0]
threads = lambda: len(os.listdir("/proc/self/task"))
idle = threads()

def begins():
    # a fit has threads of its own
    while threads() < idle + 3:
        time.sleep(0.01)
    time.sleep(0.3)
    print("began", flush=True)

def told(bar, *news):
    if bar.title == {title!r}:
        print("began", flush=True)

if {title!r}:
    _progress.Bar._tell = told
else:
    threading.Thread(target=begins, daemon=True).start()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    {work}
found["warnings"] = [str(warning.message) for warning in caught]
found["handler"] = signal.getsignal(signal.SIGINT) is signal.default_int_handler
print(json.dumps(found))
"""


def interrupted(work, *, title=None, n=300):
    """What work in another process has to show when Ctrl-C comes after its beginning, told by the bar of this title."""
    script = CHILD.format(n=n, title=title, work=work.replace("\n", "\n    "))
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        killer = threading.Timer(HANGS, child.kill)
        killer.start()
        try:
            assert child.stdout.readline() == "began\n", child.stderr.read()
            child.send_signal(signal.SIGINT)
            out, errors = child.communicate()
        finally:
            killer.cancel()
    assert child.returncode == 0, errors
    found = json.loads(out.splitlines()[-1])
    assert found["handler"]
    return found


FIT = """
model = LLLVM({settings}, tol=0, max_iter=10**9).fit(X)
found = dict(stop=model.stop_reason_, shape=model.embedding_.shape, n_iter=model.n_iter_)
found["placed"] = model.transform(X[:3] + 0.01).shape
"""


@needs_proc
@pytest.mark.parametrize(
    ("settings", "title"),
    [
        ("init='spectral'", None),
        ("init='auto'", None),
        ("init='random', n_init=3, n_jobs=1", None),
        ("init='random', n_init=3, n_jobs=2", None),
        ("init='auto', n_init=2, verbose=True", "fit"),
    ],
)
def test_ctrl_c_ends_a_fit_and_keeps_it(settings, title):
    found = interrupted(FIT.format(settings=settings), title=title, n=200)
    assert found["stop"] == "interrupted" and found["n_iter"] >= 1
    assert found["shape"] == [200, 2] and found["placed"] == [3, 2]
    assert any("interrupted" in text for text in found["warnings"])


@needs_proc
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_a_selection_of_which_nothing_is_done(n_jobs):
    work = f"""
selection = select(X, [6, 8], [1, 2], seeds=2, by="bound", tol=0, max_iter=10**9, n_jobs={n_jobs})
found = dict(complete=selection.complete, cells=selection.cells)
"""
    found = interrupted(work)
    assert found["complete"] is False and found["cells"] == []
    assert found["warnings"] == ["interrupted: 0 of at most 8 fits are done; give this selection as resume= to go on"]


def test_a_selection_that_ctrl_c_ended_half_way_goes_on_to_the_same_end():
    grid = "X, [5, 6, 7], [1, 2], seeds=2, max_iter=15"
    work = f"""
part = select({grid}, verbose=True)
whole = select({grid}, resume=part)
found = dict(part=part.cells, whole=whole.cells, complete=(part.complete, whole.complete))
"""
    found = interrupted(work, title="select", n=150)
    assert found["complete"] == [False, True]
    through = select(datasets.make_s_curve(150)[0], [5, 6, 7], [1, 2], seeds=2, max_iter=15)
    assert found["whole"] == through.cells
    assert 0 < len(found["part"]) < len(through.cells) and all(cell in through.cells for cell in found["part"])


def test_ctrl_c_ends_pruning_with_the_best_so_far():
    work = """
pruned = prune(LLLVM(n_neighbors=8, max_iter=20).fit(X), verbose=True)
found = dict(interrupted=pruned.interrupted, shape=pruned.model.embedding_.shape)
"""
    found = interrupted(work, title="prune", n=200)
    assert found["interrupted"] and found["shape"] == [200, 2]
    assert "pruning was interrupted; nothing was removed, and the model is the one given" in found["warnings"]


# ---- errors in what a user gave


class Enough(Exception):
    pass


@pytest.mark.parametrize(
    "work",
    [
        lambda X: LLLVM(tol=0, max_iter=10**9, verbose=True).fit(X),
        lambda X: LLLVM(init="random", n_init=4, max_iter=10, verbose=True).fit(X),
        lambda X: select(X, [5, 6, 7, 8], max_iter=10, verbose=True),
    ],
    ids=["fit", "starts", "select"],
)
def test_an_exception_in_progress_comes_out_and_nothing_goes_on(rows, monkeypatch, work):
    def raising(*_):
        raise Enough("enough")

    monkeypatch.setattr(Bar, "_tell", raising)
    with pytest.raises(Enough, match="^enough$"):
        work(rows)
    processors = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - processors < 0.2


def test_an_exception_in_one_of_several_fits_comes_out(few):
    with pytest.raises(ValueError, match="the table has only"):
        LLLVM(n_components=5, init="random", n_init=3).fit(few)
