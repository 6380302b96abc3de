"""The order of the gallery: from the first look to special tables."""

from __future__ import annotations

ORDER = ["roll", "uncertainty", "choose_k_and_dimension", "clean_graph", "compare", "new_points", "digits"]
ORDER += ["climate", "anndata"]


class Order:
    """A key by which sphinx-gallery sorts its examples."""

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, filename: str) -> int:
        return ORDER.index(filename.removeprefix("plot_").removesuffix(".py"))
