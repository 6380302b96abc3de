"""Rows in files and batches are placed as they are all at once, in memory that does not grow with their number."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tangency import LLLVM, datasets

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
import pyarrow.dataset as dataset  # noqa: E402
import pyarrow.parquet as parquet  # noqa: E402

NAMES = ["left", "up", "far"]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def model():
    """A model whose features have names."""
    return LLLVM(n_neighbors=6, max_iter=40).fit(
        pandas.DataFrame(datasets.make_s_curve(80, random_state=1)[0], columns=NAMES)
    )


@pytest.fixture(scope="module")
def nameless():
    return LLLVM(n_neighbors=6, max_iter=40).fit(datasets.make_s_curve(80, random_state=1)[0])


@pytest.fixture(scope="module")
def new():
    """New rows, with a name and a label each, and the features in another order among other columns."""
    rows = datasets.make_s_curve(50, noise=0.05, random_state=7)[0]
    frame = pandas.DataFrame(rows, columns=NAMES)
    frame = frame[["far", "left", "up"]]
    frame.insert(1, "who", [f"row {number}" for number in range(50)])
    return frame.assign(kind=["odd", "even"] * 25)


@pytest.fixture
def files(tmp_path, new):
    new.to_csv(tmp_path / "new.csv", index=False)
    parquet.write_table(
        pyarrow.Table.from_pandas(new, preserve_index=False), tmp_path / "new.parquet", row_group_size=7
    )
    new.astype({"kind": "category"}).to_feather(tmp_path / "new.feather", compression="zstd", chunksize=7)
    return tmp_path


def read(path):
    if path.suffix == ".csv":
        return pandas.read_csv(path, float_precision="round_trip")
    return parquet.read_table(path).to_pandas()


def expected(model, new):
    coordinates, deviations = model.transform(new[NAMES], return_std=True)
    return np.hstack([coordinates, deviations])


# ---- files


@pytest.mark.parametrize("source", ["csv", "parquet", "feather"])
@pytest.mark.parametrize("destination", ["csv", "parquet"])
def test_a_file_is_placed_as_its_rows_are(model, new, files, source, destination):
    out = files / f"placed.{destination}"
    assert model.transform_file(files / f"new.{source}", out, id_column="who", label_column="kind") == 50
    placed = read(out)
    assert list(placed.columns) == ["id", "label", "x1", "x2", "sd1", "sd2", "log_density", "novelty"]
    np.testing.assert_array_equal(placed[["x1", "x2", "sd1", "sd2"]], expected(model, new))
    np.testing.assert_array_equal(placed["log_density"], model.score_samples(new[NAMES]))
    np.testing.assert_array_equal(placed["novelty"], model.novelty(new[NAMES]))
    assert placed["id"].tolist() == new["who"].tolist() and placed["label"].tolist() == new["kind"].tolist()


def test_a_sheet_is_placed_as_its_rows_are(model, new, tmp_path):
    pytest.importorskip("openpyxl")
    with pandas.ExcelWriter(tmp_path / "new.xlsx") as book:
        new.iloc[:3].to_excel(book, sheet_name="first", index=False)
        new.to_excel(book, sheet_name="second", index=False)
    out = tmp_path / "placed.csv"
    assert model.transform_file(tmp_path / "new.xlsx", out, id_column="who") == 3
    assert model.transform_file(tmp_path / "new.xlsx", out, id_column="who", sheet="second", overwrite=True) == 50
    placed = read(out)
    # openpyxl writes sixteen digits
    np.testing.assert_allclose(placed[["x1", "x2", "sd1", "sd2"]], expected(model, new), rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match='no sheet "third"'):
        model.transform_file(tmp_path / "new.xlsx", tmp_path / "other.csv", sheet="third")


def test_without_names_rows_are_numbered(model, new, files):
    assert model.transform_file(str(files / "new.parquet"), str(files / "placed.parquet")) == 50
    placed = read(files / "placed.parquet")
    assert "label" not in placed and placed["id"].astype(int).tolist() == list(range(50))


def test_details_come_on_request(model, files):
    model.transform_file(files / "new.csv", files / "placed.csv", details=True)
    placed = read(files / "placed.csv")
    assert {"neighbors", "cov1_1", "cov1_2", "cov2_2", "d1_left", "d2_far"} <= set(placed.columns)
    np.testing.assert_allclose(placed["cov1_1"] > 0, True)


def test_an_array_in_a_file_needs_no_names(nameless, new, files):
    np.save(files / "new.npy", new[NAMES].to_numpy())
    assert nameless.transform_file(files / "new.npy", files / "placed.parquet") == 50
    placed = read(files / "placed.parquet")
    np.testing.assert_array_equal(placed[["x1", "x2"]], nameless.transform(new[NAMES].to_numpy()))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_that_exists_is_kept_unless_it_may_be_overwritten(model, files, kind):
    out = files / f"placed.{kind}"
    out.write_text("precious", encoding="utf-8")
    with pytest.raises(FileExistsError, match="exists already; give another name, or use overwrite=True"):
        model.transform_file(files / "new.csv", out)
    assert out.read_text(encoding="utf-8") == "precious"
    assert model.transform_file(files / "new.csv", out, overwrite=True) == 50
    assert len(read(out)) == 50


def test_a_file_does_not_overwrite_itself(model, files):
    with pytest.raises(ValueError, match="is an input or another output too"):
        model.transform_file(files / "new.csv", files / "new.csv", overwrite=True)
    assert len(read(files / "new.csv")) == 50


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_row_with_a_gap_is_placed_and_has_no_novelty(model, new, files, kind):
    gap = new.astype({"up": float})
    gap.loc[42, "up"] = np.nan
    if kind == "csv":
        gap.to_csv(files / "gap.csv", index=False)
    else:
        parquet.write_table(pyarrow.Table.from_pandas(gap, preserve_index=False), files / "gap.parquet")
    model.transform_file(files / f"gap.{kind}", files / "gap_placed.csv")
    placed = read(files / "gap_placed.csv")
    assert np.isfinite(placed["x1"]).all() and list(np.flatnonzero(placed["novelty"].isna())) == [42]


@pytest.mark.parametrize(
    ("kind", "value", "sentence"),
    [
        ("parquet", np.inf, "row 42, column up is inf, not a finite number"),
        ("csv", np.inf, "row 42 \\(line 44\\), column up is inf, not a finite number"),
        ("csv", "many", 'row 42 \(line 44\), column up holds "many", which is not a number'),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_written(model, new, files, kind, value, sentence):
    broken = new.astype({"up": object if isinstance(value, str) else float})
    broken.loc[42, "up"] = value
    if kind == "csv":
        broken.to_csv(files / "broken.csv", index=False)
    else:
        table = pyarrow.Table.from_pandas(broken, preserve_index=False)
        parquet.write_table(table, files / "broken.parquet", row_group_size=7)
    before = sorted(files.iterdir())
    with pytest.raises(ValueError, match=sentence):
        model.transform_file(files / f"broken.{kind}", files / "placed.parquet")
    assert sorted(files.iterdir()) == before
    # nor is what was there before
    (files / "placed.parquet").write_text("precious", encoding="utf-8")
    with pytest.raises(ValueError, match=sentence):
        model.transform_file(files / f"broken.{kind}", files / "placed.parquet", overwrite=True)
    assert (files / "placed.parquet").read_text(encoding="utf-8") == "precious"


def test_a_file_that_is_not_there_or_lacks_a_column_is_refused(model, new, files):
    with pytest.raises(FileNotFoundError, match="none.csv: cannot be read"):
        model.transform_file(files / "none.csv", files / "placed.csv")
    new.drop(columns="up").to_csv(files / "narrow.csv", index=False)
    with pytest.raises(
        ValueError, match="no column named up, which the model needs, among far, who, left, kind; rename them"
    ):
        model.transform_file(files / "narrow.csv", files / "placed.csv")
    with pytest.raises(ValueError, match='no column "whom" in '):
        model.transform_file(files / "new.csv", files / "placed.csv", id_column="whom")
    with pytest.raises(FileNotFoundError, match="its folder does not exist"):
        model.transform_file(files / "new.csv", files / "nowhere" / "placed.csv")
    assert not (files / "placed.csv").exists()


def test_a_model_of_distances_has_no_use_for_files(files):
    rows = datasets.make_s_curve(40)[0]
    distances = np.linalg.norm(rows[:, None] - rows[None], axis=-1)
    model = LLLVM(n_neighbors=6, max_iter=5, metric="precomputed").fit(distances)
    with pytest.raises(ValueError, match="transform_file needs measurements"):
        model.transform_file(files / "new.csv", files / "placed.csv")


MEMORY = """
import resource, sys
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
from tangency import LLLVM, datasets

source, destination, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
draw = np.random.default_rng(0)
schema = pa.schema([(name, pa.float64()) for name in ("c1", "c2", "c3")])
with pq.ParquetWriter(source, schema) as writer:
    for _ in range(rows // 5000):
        writer.write_table(pa.table({name: draw.normal(size=5000) / 2 for name in schema.names}))
model = LLLVM(1, n_neighbors=3, max_iter=5, graph_likelihood=False).fit(datasets.make_s_curve(40)[0])
model.transform(draw.normal(size=(5000, 3)))
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
assert model.transform_file(source, destination) == rows
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux tells it")
def test_memory_does_not_grow_with_the_file(tmp_path):
    source, destination = tmp_path / "many.parquet", tmp_path / "placed.parquet"
    run = [sys.executable, "-W", "ignore", "-c", MEMORY, source, destination, "200000"]
    kilobytes = int(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
    assert parquet.ParquetFile(destination).metadata.num_rows == 200_000
    assert kilobytes < 60_000


# ---- batches


def test_batches_come_one_by_one(nameless):
    asked = []

    def blocks():
        for number in range(100):
            asked.append(number)
            yield np.full((2, 3), number / 100)

    placed = nameless.iter_transform(blocks())
    assert asked == []
    np.testing.assert_array_equal(next(placed), nameless.transform(np.zeros((2, 3))))
    np.testing.assert_array_equal(next(placed), nameless.transform(np.full((2, 3), 0.01)))
    assert asked == [0, 1]


def test_blocks_of_arrays_and_frames_are_placed_as_all_at_once(model, nameless, new):
    polars = pytest.importorskip("polars")
    whole = expected(model, new)[:, :2]
    arrays = [new[NAMES].to_numpy()[begin : begin + 20] for begin in range(0, 50, 20)]
    np.testing.assert_array_equal(
        np.vstack(list(nameless.iter_transform(arrays))), nameless.transform(new[NAMES].to_numpy())
    )
    frames = [new[NAMES].iloc[begin : begin + 20] for begin in range(0, 50, 20)]
    np.testing.assert_array_equal(np.vstack(list(model.iter_transform(frames))), whole)
    slices = polars.DataFrame(new[NAMES].to_numpy(), schema=NAMES).iter_slices(20)
    np.testing.assert_array_equal(np.vstack(list(model.iter_transform(slices))), whole)


def sources_of(files, new):
    table = pyarrow.Table.from_pandas(new, preserve_index=False)
    found = dataset.dataset(files / "new.parquet")
    return {
        "dataset": found.to_batches(batch_size=6),
        "filtered": found.to_batches(filter=dataset.field("who") != "nobody", batch_size=6),
        "reader": pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=8)),
        "file": parquet.ParquetFile(files / "new.parquet").iter_batches(batch_size=9),
        "table": [table],
    }


@pytest.mark.parametrize("kind", ["dataset", "filtered", "reader", "file", "table"])
def test_arrow_batches_with_other_columns_in_another_order_are_placed(model, new, files, kind, recwarn):
    batches = list(model.iter_transform(sources_of(files, new)[kind]))
    assert all(isinstance(batch, pyarrow.RecordBatch) for batch in batches)
    placed = pyarrow.Table.from_batches(batches)
    assert placed.schema.names == ["x1", "x2", "sd1", "sd2"]
    np.testing.assert_array_equal(np.column_stack(placed.columns), expected(model, new))
    assert not [str(warning.message) for warning in recwarn if "feature names" in str(warning.message)]


def test_a_batch_without_rows_gives_one_without_rows(model, new, files):
    found = dataset.dataset(files / "new.parquet")
    none = found.schema.empty_table().to_batches() or [
        pyarrow.RecordBatch.from_pandas(new.iloc[:0], preserve_index=False)
    ]
    (placed,) = model.iter_transform(none)
    assert placed.num_rows == 0 and placed.schema.names == ["x1", "x2", "sd1", "sd2"]
    assert placed.schema.field("x1").type == pyarrow.float64()


def test_arrow_numbers_of_every_type_are_taken(nameless):
    arrays = [
        pyarrow.array([0, 1, -1], pyarrow.int8()),
        pyarrow.array([0.5, 1.0, -0.5], pyarrow.float32()),
        pyarrow.array([True, False, True]),
    ]
    (placed,) = nameless.iter_transform([pyarrow.RecordBatch.from_arrays(arrays, names=["p", "q", "r"])])
    whole = nameless.transform([[0, 0.5, 1], [1, 1.0, 0], [-1, -0.5, 1]])
    np.testing.assert_array_equal(np.column_stack([placed["x1"], placed["x2"]]), whole)


def test_output_for_data_frames_does_not_disturb_arrow(model, new, files):
    batches = sources_of(files, new)["dataset"]
    try:
        model.set_output(transform="pandas")
        placed = pyarrow.Table.from_batches(list(model.iter_transform(batches)))
    finally:
        model.set_output(transform="default")
    np.testing.assert_array_equal(np.column_stack(placed.columns), expected(model, new))


def test_arrow_needs_no_pandas():
    script = """
import sys

class NoPandas:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, NoPandas())
import numpy as np, pyarrow as pa
from tangency import LLLVM, datasets

model = LLLVM(n_neighbors=6, max_iter=3).fit(datasets.make_s_curve(40)[0])
model.feature_names_in_ = np.array(["a", "b", "c"], dtype=object)
batch = pa.RecordBatch.from_pydict({name: [0.0, 0.1] for name in "cab"})
assert next(model.iter_transform([batch])).num_rows == 2
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            {"left": [0.0], "up": [0.0]},
            "the batch has no column 'far', which the model was fitted to; its columns are 'left', 'up'",
        ),
        ({"left": [0.0], "up": ["high"], "far": [0.0]}, "column 'up' is of type string, not numbers"),
        ({"left": [0.0], "up": [float("inf")], "far": [0.0]}, "Input X contains infinity"),
    ],
)
def test_wrong_batches_get_one_sentence(model, columns, sentence):
    batch = pyarrow.RecordBatch.from_pydict(columns)
    with pytest.raises(ValueError, match=sentence):
        next(model.iter_transform([batch]))


def test_a_model_without_names_takes_exactly_its_columns(nameless):
    batch = pyarrow.RecordBatch.from_pydict({"a": [0.0], "b": [0.0]})
    with pytest.raises(ValueError, match="X has 2 features, but LLLVM is expecting 3 features as input"):
        next(nameless.iter_transform([batch]))


def test_nothing_is_placed_before_a_fit():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        LLLVM().iter_transform([])
    with pytest.raises(NotFittedError):
        LLLVM().transform_file("a.csv", "b.csv")
