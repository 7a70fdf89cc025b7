"""The device computation of an equation: a named kernel, its parameters, and fused equations."""

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
    """Return the int32 with the bits of the nearest float32, the encoding of float parameters."""
    with np.errstate(over="ignore"):
        return int(np.float32(value).view(np.int32))


class Epilogue(NamedTuple):
    """Elementwise tail of a kernel: ``input_(0)`` of ``root`` is the kernel's result."""

    root: ex.Expr
    views: tuple[View, ...]
    """Views of `input_(1)`, `input_(2)`, ..., from the output's index space."""
    out: Aval
    """Output. Its shape may differ from the shape of the kernel's result, as after a reshape."""
    result: DType
    """Element type of the kernel's result."""


class Prologue(NamedTuple):
    """Elementwise equations that compute a kernel's operand from other arrays."""

    root: ex.Expr
    views: tuple[View, ...]
    """Views of `input_(0)`, `input_(1)`, ..., from the operand's index space."""
    out: Aval
    """Operand. Its shape may differ from the shape in the kernel's parameters."""


@dataclass(frozen=True)
class KernelCall:
    """A named kernel and its parameters, the same for every device backend.

    ``name`` is a template of ``shaders/glsl/<name>.glsl`` and a kernel of ``csrc/xnnpack_glue``;
    ``inputs`` are the template's names of the op's inputs, in order.
    """

    name: str
    inputs: tuple[str, ...]
    params: Mapping[str, Param]
    prologue: Prologue | None = None
    """Computation of the first operand, which the prologue's operands replace."""
    epilogue: Epilogue | None = None
    """Computation on the result; its other operands follow the kernel's operands."""
    maker: KernelCall | None = None
    """Kernel that computes the first operand, which the operands of this kernel replace."""
