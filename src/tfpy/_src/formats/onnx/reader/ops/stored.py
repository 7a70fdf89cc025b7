"""Weights of 2, 4 or 8 bits in blocks, which stay as they are stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import tracing
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.file_traces import is_for_file
from tfpy._src.formats.node_graphs.node import Node
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.node_graphs.weights import Weights
from tfpy._src.formats.onnx.reader.ops.control import is_known
from tfpy._src.formats.onnx.reader.values import host, tensor
from tfpy._src.tensors.variables.variable import Variable

_ALIASES = ("Reshape", "Identity")
"""Operations with the elements of their first input."""
_MAX_ALIASES = 8


class Inputs(NamedTuple):
    """The constant inputs of a node, from which other constants are computed once."""

    node: Node
    scope: Scope

    @staticmethod
    def is_constant(value: Any) -> bool:
        """Return True if the values of an input are known and do not change."""
        return not isinstance(value, Variable) and is_known(value)

    def derived(self, at: int, value: Any, form: str, make: Callable[[Array], Array]) -> Tensor:
        """Return a tensor that is computed from an input of the node.

        Args:
            at: Position of the input.
            value: Value of the input. It must be known.
            form: Name of the computation.
            make: Function that computes the values.

        Raises:
            NotTraceableError: If the values are unknown during tracing.
        """
        name, weights = self.constant_of(at)
        if name in weights and _is_same(value, weights, name):
            return read(weights.derived((name, form), lambda: make(host(value))))
        with tracing.init_scope():
            found = tensor(make(host(value)))
        return read(found)

    def constant_of(self, at: int) -> tuple[str, Weights]:
        """Return the name of the constant with the elements of an input, and the weights of its
        graph, which may contain no such constant."""
        name = self.node.inputs[at]
        for _ in range(_MAX_ALIASES):
            maker, weights = self.scope.maker(name)
            if maker is None or maker.op not in _ALIASES or not maker.inputs:
                break
            name = maker.inputs[0]
        return name, weights

    def made(self, form: str, make: Callable[[], Array]) -> Tensor:
        """Return a tensor that does not depend on the inputs, and exists once in the graph."""
        return read(self.scope.graph.weights.derived(("", form), make))

    def rows(self, at: int, value: Any, bits: int, shape: tuple[int, int]) -> Tensor:
        """Return the signed numbers of an input of uint8, as `signed` stores them.

        Args:
            at: Position of the input.
            value: Value of the input. It must be known.
            bits: Number of bits of a number in the input.
            shape: Number of rows and of columns. Rows may have further bytes at their ends.
        """
        n, count = shape
        form = f"{bits} bits of {n} × {count}"
        return self.derived(at, value, form, lambda x: signed(x.reshape(n, -1), bits, count))


def _is_same(value: Any, weights: Weights, name: str) -> bool:
    """Return True if a value has the elements of a constant."""
    kept = weights.value(name)
    if isinstance(value, Tensor) and isinstance(kept, Tensor):
        return value.storage is kept.storage
    return value is kept


def read(constant: Tensor) -> Tensor:
    """Return a constant as a value of the trace, so that equations compute with it.

    In a trace for a file, operations on the constant run immediately, because files cannot express
    them.
    """
    trace = tracing.current()
    if trace is None or is_for_file():
        return constant
    found: Tensor = trace.tensor(trace.value_of(constant), "weights")
    return found


def unpacked(packed: Array, bits: int) -> Array:
    """Unpack the elements of uint8 along the last axis, the low bits first."""
    if bits == 8:
        return packed
    parts = [packed >> shift & (1 << bits) - 1 for shift in range(0, 8, bits)]
    return np.stack(parts, -1).reshape(*packed.shape[:-1], -1)


def signed(packed: Array, bits: int, count: int) -> Array:
    """Return the bytes of signed numbers [n, count] in int8: half of the range is subtracted.

    Two numbers share a byte, the lower half first, unless they have 8 bits.

    Args:
        packed: Bytes of unsigned numbers [n, bytes].
        bits: Number of bits: 2, 4 or 8.
        count: Number of columns.
    """
    if bits == 8:
        return np.ascontiguousarray(packed[:, :count] ^ 0x80).view(np.int8)
    if bits == 2:
        numbers = unpacked(packed, 2) - 2 & 15
        packed = numbers[:, 0::2] | numbers[:, 1::2] << 4
        return np.ascontiguousarray(packed[:, : -(-count // 2)]).view(np.int8)
    return np.ascontiguousarray(packed[:, : -(-count // 2)] ^ 0x88).view(np.int8)


def check_blocks(op: str, bits: int, block: int) -> None:
    """Check the sizes of numbers and blocks.

    Raises:
        InvalidArgumentError: If a size is not supported.
    """
    if bits not in (2, 4, 8) or block < 16 or block & block - 1:
        raise invalid(
            op, f"bits must be 2, 4 or 8, got {bits}, and block_size a power of 2 and at least 16, "
            f"got {block}"
        )  # fmt: skip


def check_bytes(op: str, **given: Any) -> None:
    """Check that packed numbers are uint8.

    Raises:
        InvalidArgumentError: If an input has another dtype.
    """
    for name, value in given.items():
        if value is not None and value.dtype.name != "uint8":
            raise invalid(op, f"{name} must be uint8, got {value.dtype.name}")
