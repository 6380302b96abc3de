"""Small tables that show themselves: short as text, whole in a notebook and as a pandas frame."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

#: Rows of a table that its text shows.
MOST_ROWS = 12


def cell(value: Any) -> str:
    """A value as it stands in a table."""
    if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)


def bytes_in_words(count: int) -> str:
    """A size as people say it."""
    for unit, worth in (("MB", 1e6), ("kB", 1e3)):
        if count >= worth:
            return f"{count / worth:.1f} {unit}"
    return f"{count} bytes"


def text(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as text; what is behind its first rows is counted."""
    shown = [list(heads), *(list(row) for row in rows[:MOST_ROWS])]
    widths = [max(len(row[column]) for row in shown) for column in range(len(heads))]
    lines = ["  ".join(part.ljust(width) for part, width in zip(row, widths, strict=True)).rstrip() for row in shown]
    if len(rows) > MOST_ROWS:
        lines.append(f"… and {len(rows) - MOST_ROWS} more; to_pandas() has all")
    return "\n".join(lines)


def markup(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """The same as HTML, with all rows."""

    def line(kind: str, parts: Iterable[str]) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(part)}</{kind}>" for part in parts) + "</tr>"

    return f"<table><thead>{line('th', heads)}</thead><tbody>{''.join(line('td', row) for row in rows)}</tbody></table>"


class Records(list[dict[str, Any]]):
    """A list of records that shows some of their fields as a table, and is a pandas frame if that is asked for."""

    def __init__(self, records: Iterable[dict[str, Any]], fields: Sequence[str]) -> None:
        super().__init__(records)
        self._fields = list(fields)

    def _rows(self) -> list[list[str]]:
        return [[cell(record[field]) for field in self._fields] for record in self]

    def to_pandas(self) -> Any:
        """All fields as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        return pandas.DataFrame(list(self))

    def __repr__(self) -> str:
        return text(self._fields, self._rows())

    def _repr_html_(self) -> str:
        return markup(self._fields, self._rows())
