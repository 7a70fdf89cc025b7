"""Tensors that are too large for memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow

import tfpy
from tfpy._src.functions.executor.memory_use import equation_needing_memory


@pytest.mark.parametrize("lib", [tfpy, tensorflow], ids=["tfpy", "tensorflow"])
def test_a_result_that_is_too_large(lib: Any) -> None:
    x = lib.constant([1.0])
    with pytest.raises(lib.errors.ResourceExhaustedError):
        lib.fill([2**23, 2**23], 1.0)
    with pytest.raises(lib.errors.ResourceExhaustedError):
        lib.function(lambda n: lib.fill([2**23, 2**23], n))(x[0])
    assert float(x[0] + 1.0) == 2


CALLS: dict[str, Callable[[Any], Any]] = {
    r"fill \(op broadcast_to\): .*256. TiB": lambda x: tfpy.fill([2**23, 2**23], 1.0),
    r"tile \(op broadcast_to\): .*16.0 TiB": lambda x: tfpy.tile(x, [2**22]),
    r"one_hot \(op equal\): .*4.00 TiB": lambda x: tfpy.one_hot(tfpy.range(2**20), 2**22),
    r"matmul: .*4.00 TiB": lambda x: x[:, tfpy.newaxis] @ x[tfpy.newaxis],
    r"add: .*4.00 TiB": lambda x: x[:, tfpy.newaxis] + x,
    r"repeat: .*16.0 TiB": lambda x: tfpy.repeat(x, 2**22),
}


@pytest.mark.parametrize("message", CALLS)
def test_the_error_names_the_call_the_op_and_the_size(message: str) -> None:
    with pytest.raises(tfpy.errors.ResourceExhaustedError, match=f"^{message}"):
        CALLS[message](tfpy.ones([2**20]))


def test_the_error_names_the_line_of_a_compiled_function() -> None:
    @tfpy.function
    def outer(x: Any) -> Any:
        y = x[:, tfpy.newaxis] * x
        return tfpy.nn.relu(y) + 1.0

    with pytest.raises(tfpy.errors.ResourceExhaustedError, match=r"^multiply: ") as caught:
        outer(tfpy.ones([2**20]))
    assert "y = x[:, tfpy.newaxis] * x" in caught.value.__notes__[0]


@pytest.mark.parametrize(("message", "op"), [("40 bytes wanted", "cumsum"), ("", "pad")])
def test_the_op_that_needs_the_memory(message: str, op: str) -> None:
    """Find the op by its number of bytes; if this fails, report the largest one."""
    diagonal = tfpy.function(lambda x: tfpy.linalg.diag(tfpy.cumsum(x)))
    graph = diagonal.get_concrete_function(tfpy.ones([10])).traced.graph
    found = equation_needing_memory(graph, f"wasm: out of memory: {message}")
    assert found.op.name == op
