"""The report: one HTML page of a model that opens in a browser and needs no network."""

from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from . import _settings, _shown, _table_input, _tangency
from ._lllvm import LLLVM
from ._paint import is_missing, name_of
from ._progress import in_notebook, notebook, warn


def save(path: str | os.PathLike[str], contents: bytes) -> Path:
    """Writes a file, whole or not at all."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target}: its folder does not exist; make it first")
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(contents)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
    return target


class Report:
    """A page; it shows itself in a notebook.

    Attributes
    ----------
    html : str
        The whole page.
    path : pathlib.Path or None
        The file that it was last written to.
    """

    def __init__(self, text: str) -> None:
        self.html = text
        self.path: Path | None = None

    @property
    def size(self) -> int:
        """The size of the page in bytes."""
        return len(self.html.encode())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page to a file, whole or not at all.

        Parameters
        ----------
        path : path

        Returns
        -------
        pathlib.Path
        """
        self.path = save(path, self.html.encode())
        return self.path

    def show(self) -> None:
        """Shows the page: below the cell of a notebook, elsewhere in the browser, from its file or a temporary one."""
        if in_notebook():
            notebook().display(self)
            return
        if self.path is None:
            self.save(Path(tempfile.mkdtemp(prefix="tangency-")) / "report.html")
        place = cast(Path, self.path).absolute()
        if not webbrowser.open(place.as_uri()):
            warn(f"no browser could be opened; the page is {place}")

    def __repr__(self) -> str:
        where = "not written yet: save(path) writes it" if self.path is None else f"written to {self.path}"
        return f"Report of {_shown.bytes_in_words(self.size)}, {where}, show() opens it"

    def _repr_html_(self) -> str:
        # a frame of its own, so that page and notebook cannot disturb each other
        source = html.escape(self.html, quote=True)
        return (
            '<iframe title="report" sandbox="allow-scripts allow-downloads" '
            f'srcdoc="{source}" style="width:100%;height:760px;border:0"></iframe>'
        )


def report(
    model: LLLVM,
    X: Any = None,
    path: str | os.PathLike[str] | None = None,
    *,
    labels: Any = None,
    ids: ArrayLike | None = None,
    new_labels: ArrayLike | None = None,
    new_ids: ArrayLike | None = None,
    image: tuple[int, int] | None = None,
    title: str = "",
) -> Report:
    """Makes one HTML page of a model: map, reconstructions, loadings, graph and evidence.

    Parameters
    ----------
    model : LLLVM
        A fitted model.
    X : array_like of shape (n_rows, n_features), default=None
        New rows to be placed and shown too. A path here is taken as `path`: ``report(model, "page.html")``.
    path : path, default=None
        Where the page is written, if anywhere.
    labels : array_like of shape (n_samples,) or DataFrame, default=None
        Labels of the fitted rows. Those with a name, such as a column of a data frame, are called by it. Of a data
        frame the first column that is not of numbers has the labels, and points can be coloured by the others too.
    ids : array_like of shape (n_samples,), default=None
        Names of the fitted rows; without them the index of the data frame that was fitted, if it has one of its own.
    new_labels, new_ids : array_like of shape (n_rows,), default=None
        The same for the new rows; their ids are the index of `X`.
    image : (int, int), default=None
        Height and width, if the features are the pixels of an image, row by row.
    title : str, default=''
        Heading.

    Returns
    -------
    Report
        Shows itself in a notebook; ``.save(path)`` writes it.

    Examples
    --------
    >>> import tangency
    >>> X, truth = tangency.datasets.make_s_curve(120)
    >>> page = tangency.report(tangency.LLLVM().fit(X), labels=truth[:, 0])
    >>> page.html.startswith("<!DOCTYPE html>")
    True
    """
    if not isinstance(model, LLLVM):
        raise ValueError(f"model is of type {type(model).__name__}; give a fitted LLLVM")
    check_is_fitted(model, "_native")
    if isinstance(X, str | os.PathLike):
        if isinstance(path, str | os.PathLike):
            raise ValueError("there are two paths; give one, and a table of new rows as X")
        if path is None:
            X, path = None, X
    if path is not None and not isinstance(path, str | os.PathLike):
        raise ValueError(f"path is of type {type(path).__name__}; give the name of a file, and labels by labels=")
    if np.ndim(X) == 1:
        raise ValueError("X is one column, but new rows have all features; give labels by labels=")
    n, rows = len(model.embedding_), None if X is None else model._rows(X)
    m = 0 if rows is None else len(rows)
    if image is not None:
        image = (_settings.whole("image height", image[0]), _settings.whole("image width", image[1]))
    label_name, labels, columns = _colours(labels, n)
    new_ids = _table_input.ids(X) if new_ids is None else new_ids
    text = _tangency.report(
        model._native,
        rows,
        (_names("ids", ids, n), _names("new_ids", new_ids, m)),
        (_names("labels", labels, n), _names("new_labels", new_labels, m)),
        label_name,
        columns,
        image=image,
        title=str(title),
        calls=next_calls(model),
        command=repeated(model),
        threads=_settings.threads(model.n_jobs),
    )
    made = Report(text)
    if path is not None:
        made.save(path)
    return made


def _colours(labels: Any, n: int) -> tuple[str | None, Any, list[tuple[str, list[str]]]]:
    """The name of the labels, the labels, and other columns."""
    if not hasattr(labels, "columns"):
        return name_of(labels), labels, []
    listed = [(str(name), labels[name]) for name in labels.columns]
    if not listed:
        raise ValueError("labels is a data frame without columns; give at least one, or leave labels out")
    of_classes = [place for place, (_, column) in enumerate(listed) if np.asarray(column).dtype.kind not in "iuf"]
    name, found = listed.pop(of_classes[0] if of_classes else 0)
    return name, found, [(other, _names(f"labels[{other!r}]", column, n) or []) for other, column in listed]


def _names(what: str, values: Any, count: int) -> list[str] | None:
    if values is None:
        return None
    listed = np.asarray(values, dtype=object).ravel().tolist()
    if len(listed) != count:
        raise ValueError(f"{what} has {len(listed)} entries but there are {count} such rows; give one a row")
    return ["" if is_missing(value) else str(value) for value in listed]


# what makes the graph
_GRAPH = ("n_neighbors", "symmetry", "radius", "graph", "connect", "largest", "prune")
# what `select` compares, or does not take
_COMPARED = ("n_components", "n_neighbors", "radius", "graph", "largest", "prune", "full_covariance")


def repeated(model: LLLVM) -> str:
    """The line of Python that makes the fit again."""
    # a graph that only the call of fit had
    given = ", graph=graph" if model.graph is None and model._native.own_edges else ""
    return f"tangency.LLLVM({', '.join(_changed(model))}).fit(X{given})"


def next_calls(model: LLLVM) -> tuple[str, str]:
    """Lines of Python: one fits again on edges that the page saves, one compares graphs and dimensions, if it can."""
    edges = 'numpy.loadtxt("kept.csv", delimiter=",", skiprows=1, dtype=int)'
    refit = f"tangency.LLLVM({', '.join(_changed(model, _GRAPH))}).fit(X, graph={edges})"
    if model.metric == _settings.PRECOMPUTED:
        return refit, ""
    if model.graph is not None or model._native.own_edges:
        graphs = 'graphs={"own": graph}'
    elif model.radius is not None:
        graphs = f"radius={[part * float(model.radius) for part in (0.75, 1.0, 1.5)]}"
    else:
        chosen = model.neighbors_
        k = int(model.n_neighbors if chosen is None else chosen["taken"])
        graphs = f"n_neighbors={sorted({max(2 * k // 3, 3), max(k, 3), max(3 * k // 2, 4)})}"
    dimensions = list(range(1, model.embedding_.shape[1] + 2))
    left_out = _COMPARED if isinstance(model.init, str) else (*_COMPARED, "init")
    words = ["X", graphs, f"n_components={dimensions}", *_changed(model, left_out)]
    return refit, f"tangency.select({', '.join(words)})"


def _changed(model: LLLVM, without: tuple[str, ...] = ()) -> list[str]:
    """The parameters that are not as they are unless told, as they are typed."""
    plain = LLLVM().get_params()
    words = []
    for name, value in model.get_params(deep=False).items():
        if name in ("verbose", "n_jobs", *without):
            continue
        if isinstance(value, (np.ndarray, list)) or hasattr(value, "shape"):
            words.append(f"{name}=…")
        elif value != plain[name]:
            words.append(f"{name}={value!r}")
    return words
