"""Whether there is annotated data."""

from __future__ import annotations

from typing import Any


def check_anndata(adata: Any, who: str) -> None:
    try:
        from anndata import AnnData
    except ImportError as error:
        raise ImportError(f"{who} needs anndata; install it with pip install 'tangency[anndata]'") from error
    if not isinstance(adata, AnnData):
        raise ValueError(f"adata is of type {type(adata).__name__}; give an AnnData")
