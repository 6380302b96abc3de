"""What tests of figures share."""

from __future__ import annotations


def of_kind(axes, kind):
    return [collection for collection in axes.collections if isinstance(collection, kind)]
