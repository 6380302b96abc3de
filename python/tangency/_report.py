"""The report: one HTML page of a model that opens in a browser and needs no network."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from . import _settings, _tangency
from ._lllvm import LLLVM


def save(path: str | os.PathLike[str], contents: bytes) -> Path:
    """Writes a file, whole or not at all."""
    target = Path(path)
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
    """

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page to a file, whole or not at all.

        Parameters
        ----------
        path : path

        Returns
        -------
        pathlib.Path
        """
        return save(path, self.html.encode())

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
    *,
    path: str | os.PathLike[str] | None = None,
    labels: ArrayLike | None = None,
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
        New rows to be placed and shown too.
    path : path, default=None
        Where the page is written, if anywhere.
    labels, ids : array_like of shape (n_samples,), default=None
        Labels and names of the fitted rows.
    new_labels, new_ids : array_like of shape (n_rows,), default=None
        The same for the new rows.
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
    n, rows = len(model.embedding_), None if X is None else model._rows(X)
    m = 0 if rows is None else len(rows)
    if image is not None:
        image = (_settings.whole("image height", image[0]), _settings.whole("image width", image[1]))
    text = _tangency.report(
        model._native,
        rows,
        (_names("ids", ids, n), _names("new_ids", new_ids, m)),
        (_names("labels", labels, n), _names("new_labels", new_labels, m)),
        image=image,
        title=str(title),
        command=repeated(model),
        threads=_settings.threads(model.n_jobs),
    )
    made = Report(text)
    if path is not None:
        made.save(path)
    return made


def _names(what: str, values: Any, count: int) -> list[str] | None:
    if values is None:
        return None
    listed = np.asarray(values).ravel().tolist()
    if len(listed) != count:
        raise ValueError(f"{what} has {len(listed)} entries but there are {count} such rows; give one a row")
    return ["" if value is None or value != value else str(value) for value in listed]


def repeated(model: LLLVM) -> str:
    """The line of Python that makes the fit again."""
    plain = LLLVM().get_params()
    given = {name: value for name, value in model.get_params(deep=False).items() if name not in ("verbose", "n_jobs")}
    words = []
    for name, value in given.items():
        if isinstance(value, (np.ndarray, list)) or hasattr(value, "shape"):
            words.append(f"{name}=…")
        elif value != plain[name]:
            words.append(f"{name}={value!r}")
    return f"tangency.LLLVM({', '.join(words)}).fit(X)"
