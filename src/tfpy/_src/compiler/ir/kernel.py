"""What an equation asks of a device: a named kernel, its parameters, what comes around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.strides import View

Param = int | float | str | Sequence[Any]


def float_bits(value: float) -> int:
    """The float32 nearest to a number as the int32 of the same bits: how a parameter gives it."""
    with np.errstate(over="ignore"):
        return int(np.float32(value).view(np.int32))


class Epilogue(NamedTuple):
    """Elementwise tail of a kernel: ``input_(0)`` of ``root`` is the kernel's result."""

    root: ex.Expr
    views: tuple[View, ...]
    """Of ``input_(1)`` and so on, from the output's index space."""
    out: Aval
    """The output. Its shape may have other dimensions than the kernel's result, as a reshape."""
    result: DType
    """The element type of the kernel's result."""


class Prologue(NamedTuple):
    """Elementwise equations that make a kernel's operand of other arrays."""

    root: ex.Expr
    views: tuple[View, ...]
    """Of ``input_(0)`` and so on, from the operand's index space."""
    out: Aval
    """The operand. Its shape may have other dimensions than the kernel's params say."""


@dataclass(frozen=True)
class KernelCall:
    """A named kernel and its parameters: the same for every device backend.

    ``name`` is a template of ``shaders/glsl/<name>.glsl`` and a kernel of ``csrc/xnnpack_glue``;
    ``inputs`` are the names by which the template reads the op's inputs, in order.
    """

    name: str
    inputs: tuple[str, ...]
    params: Mapping[str, Param]
    prologue: Prologue | None = None
    """What makes the first operand, whose own operands then stand in its place."""
    epilogue: Epilogue | None = None
    """What finishes the result; its further operands stand behind the kernel's."""
    maker: KernelCall | None = None
    """The kernel that makes the first operand, in place of which its own operands then stand."""
