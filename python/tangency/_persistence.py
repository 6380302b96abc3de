"""Models in files and pickles."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _settings, _table_input
from ._attributes import Attributes
from ._tangency import Model

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._lllvm import LLLVM


class Persistence(Attributes):
    """Written and read; a pickle holds the bytes of the file."""

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Writes the model to a file that :func:`tangency.load` and the command ``tangency`` read.

        Parameters
        ----------
        path : path
            Usually ends in .safetensors.
        overwrite : bool, default=True
            Whether the file may exist.
        """
        native = self._fitted()
        if self._distances is not None:
            raise ValueError("a model of distances has no file, since files know only measurements; pickle it instead")
        native.save(os.fspath(path), overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a model that :meth:`save` or ``tangency fit`` wrote.

        Parameters
        ----------
        path : path

        Returns
        -------
        LLLVM
        """
        native = Model.load(os.fspath(path))
        params = _settings.params_of(json.loads(native.config))
        # what was found from the table is found from another again
        model = cls(**(params if native.scaling is None else params | {"scaling": "auto"}))
        model.views = {name: features for name, features, _ in native.views} or None
        model._adopt(native)
        found = model._structure().get("groups")
        if found is not None:
            model.groups = found["count"]
            if found["labelled"]:
                model.classes_ = np.asarray(found["names"])
        model._distances = None
        names = native.feature_names
        model.n_features_in_ = len(names)
        if names != _table_input.unnamed(len(names)):
            model.feature_names_in_ = np.asarray(names, dtype=object)
        return model

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_native" in state:
            state["_native"] = bytes(state["_native"].to_bytes())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if isinstance(state.get("_native"), bytes):
            state = state | {"_native": _thawed(state["_native"])}
        super().__setstate__(state)


def load(path: str | os.PathLike[str]) -> LLLVM:
    """Reads a model that :meth:`LLLVM.save` or ``tangency fit`` wrote.

    Parameters
    ----------
    path : path

    Returns
    -------
    LLLVM

    Examples
    --------
    >>> import os, tempfile, tangency
    >>> X, _ = tangency.datasets.make_s_curve(150, random_state=1)
    >>> path = os.path.join(tempfile.mkdtemp(), "curve.safetensors")
    >>> tangency.LLLVM(n_neighbors=8).fit(X).save(path)
    >>> tangency.load(path).embedding_.shape
    (150, 2)
    """
    from ._lllvm import LLLVM

    return LLLVM.load(path)


#: Models by the digest of their bytes, a few at most: a worker that gets the same model with every block of rows
#: prepares it once.
_RECENT: dict[bytes, Model] = {}
_MOST_RECENT = 4


def _thawed(frozen: bytes) -> Model:
    digest = hashlib.blake2b(frozen, digest_size=16).digest()
    known = _RECENT.get(digest)
    if known is None:
        try:
            known = Model.from_bytes(frozen)
        except (OSError, ValueError) as error:
            raise pickle.UnpicklingError(str(error)) from None
        for oldest in list(_RECENT)[: max(0, len(_RECENT) - _MOST_RECENT + 1)]:
            _RECENT.pop(oldest, None)
        _RECENT[digest] = known
    return known
