"""Attributes of ops that move elements, for operands stacked along a new first axis.

Each function is the value of the field `stacked` of a record
(:class:`~tfpy._src.compiler.ir.op.Op`).
"""

from __future__ import annotations

from typing import Any

Attributes = dict[str, Any]


def shape_for(count: int, attrs: Attributes) -> Attributes:
    return attrs | {"shape": (count, *attrs["shape"])}


def perm_for(count: int, attrs: Attributes) -> Attributes:
    return attrs | {"perm": (0, *(axis + 1 for axis in attrs["perm"]))}


def slice_for(count: int, attrs: Attributes) -> Attributes:
    firsts = {"begin": (0,), "size": (count,), "strides": (1,)}
    return attrs | {name: (*first, *attrs[name]) for name, first in firsts.items()}


def padding_for(count: int, attrs: Attributes) -> Attributes:
    padding, interior = ((0, 0), *attrs["padding"]), (0, *attrs["interior"])
    return attrs | {"padding": padding, "interior": interior}


def axis_for(count: int, attrs: Attributes) -> Attributes:
    return attrs | {"axis": attrs["axis"] + 1}
