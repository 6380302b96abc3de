"""Files of the command, read and written without it."""

from __future__ import annotations

import csv
import json
import struct
from pathlib import Path

import numpy as np

#: Texts that would like to be more.
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(2)</script>",
    "<!--DATA-->",
    'a "quoted", text',
    "__proto__",
]


def model(path: Path):
    """The arrays of a model file, and what stands beside them."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    head, kinds = json.loads(data[8 : 8 + size]), {"F64": "<f8", "U32": "<u4", "U8": "|u1"}
    about = json.loads(head.pop("__metadata__")["tangency"])
    arrays = {}
    for name, array in head.items():
        first, last = (8 + size + offset for offset in array["data_offsets"])
        arrays[name] = np.frombuffer(data[first:last], kinds[array["dtype"]]).reshape(array["shape"])
    return arrays, about


def table(path: Path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def columns(path: Path, *names):
    return np.array([[float(row[name]) for name in names] for row in table(path)])


def write(path: Path, head, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return path
