"""A model in a few lines."""

from __future__ import annotations

import html
from typing import Any


class Summary(dict[str, Any]):
    """What there is to say of a model, as a dictionary that shows itself in a few lines."""

    def _lines(self) -> list[str]:
        axes = [f"{row['name']} spreads by {row['spread']:.3g} ± {row['deviation']:.2g}" for row in self["coordinates"]]
        ended = {"converged": "converged", "max-iterations": "did not converge"}.get(self["stop"], self["stop"])
        joined, removed = len(self["bridges"]), self["n_removed"]
        graph = f"{counted(self['n_edges'], 'edge')}, {2 * self['n_edges'] / self['n']:.1f} a point"
        graph += f", {joined} of them added to join pieces" if joined else ""
        graph += f"; {counted(removed, 'edge')} removed by pruning" if removed else ""
        lines = [
            self["glance"] or "",
            f"{counted(self['n'], 'point')} of {counted(self['n_features'], 'feature')}, "
            f"{counted(self['n_components'], 'coordinate')}: {', '.join(axes)}",
            f"graph: {graph}",
            f"{ended} in {counted(self['n_iter'], 'iteration')} by the {self['engine']['kind']} engine; "
            f"bound {self['bound']:.1f} nats, {self['bound_per_point']:.3f} per point",
        ]
        return [line for line in lines if line] + [f"warning: {text}" for text in self["warnings"]]

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return "<br>".join(map(html.escape, self._lines()))


def counted(count: int, word: str) -> str:
    """A number of things."""
    return f"{count} {word}{'' if count == 1 else 's'}"
