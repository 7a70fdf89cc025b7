"""Attention of the WebGPU runtime, whose kernels never store the scores, compared with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from e2e.module_page import Evaluate, module_page
from e2e.webgl_page import call_of as page_call
from tfpy._src.compiler.ir.evaluate import evaluate as run_by_numpy
from tfpy._src.compiler.lower.fused import FUSED
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.lower.webgpu import WebGPUTarget, attention, lower
from tfpy._src.compiler.passes.pipeline import optimize

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def evaluate() -> Iterator[Evaluate]:
    with module_page("webgpu_runtime.mjs") as call:
        yield call


def normal(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def attend(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    scores = tf.matmul(q, k, transpose_b=True) * q.shape[-1] ** -0.5
    return tf.matmul(tf.nn.softmax(scores if mask is None else scores + mask), v)


def heads(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    """Compute attention of three heads that are adjacent in rows."""

    def apart(x: Any) -> Any:
        return tf.transpose(tf.reshape(x, [x.shape[0], x.shape[1], 3, -1]), [0, 2, 1, 3])

    mixed = tf.transpose(attend(apart(q), apart(k), apart(v), mask), [0, 2, 1, 3])
    return tf.reshape(mixed, [*mixed.shape[:2], -1])


def turned(q: Any, k: Any, v: Any, scale: Any, bias: Any) -> Any:
    """Compute attention with keys and result in column order, scaled and finished by tensors."""
    mixed = tf.nn.softmax(tf.matmul(q, k) / scale) @ v
    return tf.nn.relu(tf.linalg.matrix_transpose(mixed) + bias)


def grouped(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    """Compute attention in which two heads share keys."""
    k, v = tf.repeat(k, 2, axis=2), tf.repeat(v, 2, axis=2)
    q, k, v = (tf.transpose(x, [0, 2, 1, 3]) for x in (q, k, v))
    return tf.transpose(attend(q, k, v, mask), [0, 2, 1, 3])


def zeroed(q: Any, k: Any, v: Any, mask: Any) -> Any:
    """Compute attention in which fully masked rows return zeros, as in Keras's layer Softmax."""
    seen = mask == 0
    scores = tf.where(seen, tf.matmul(q, k, transpose_b=True), -1e9)
    return tf.where(seen, tf.nn.softmax(scores), 0.0) @ v


def three(m: int, n: int) -> list[Array]:
    return [normal(2, m, 16), normal(2, n, 16), normal(2, n, 16)]


def hidden(visible: Array, fill: float = -1e9) -> Array:
    return np.where(visible, 0, fill).astype(np.float32)


def causal(m: int, n: int, fill: float = -1e9) -> Array:
    return hidden(np.tri(m, n, n - m, dtype=bool), fill)


def rows_that_see_nothing(n: int) -> Array:
    visible = np.tri(n, dtype=bool)
    visible[3::40] = False
    return hidden(visible)


Case = tuple[str, Callable[..., Any], list[Array]]

CASES: dict[str, Case] = {
    # kernel, function, inputs
    "odd": ("tile", attend, [normal(2, 75, 13), normal(2, 99, 13), normal(2, 99, 7)]),
    "heads": ("tile", heads, [normal(2, 70, 60), normal(2, 90, 60), normal(2, 90, 180)]),
    "wide": ("tile", attend, [normal(70, 128), normal(70, 128), normal(70, 128)]),
    "widest": ("tile", attend, [normal(40, 256), normal(70, 256), normal(70, 250)]),
    "turned": (
        "tile",
        turned,
        [*(normal(2, *n) for n in ((70, 20), (20, 80), (80, 12))), np.array(3, "f"), normal(70)],
    ),
    "large": (
        "tile",
        attend,
        [60 * normal(2, 70, 16), 60 * normal(2, 200, 16), normal(2, 200, 16)],
    ),
    "causal": ("tile", attend, [*three(152, 152), causal(152, 152)]),
    "later_keys": ("tile", attend, [*three(70, 200), causal(70, 200, -np.inf)]),
    "more_queries": ("tile", attend, [*three(140, 72), hidden(np.tri(140, 72, dtype=bool))]),
    "blind": ("tile", attend, [*three(152, 152), rows_that_see_nothing(152)]),
    "padded": (
        "tile",
        heads,
        [normal(2, 70, 48), normal(2, 141, 48), normal(2, 141, 48),
         hidden(np.arange(141) < np.array([30, 101])[:, None])[:, None, None]],
    ),
    "biased": ("tile", heads, [*(normal(2, 70, 48) for _ in range(3)), normal(3, 70, 70)]),
    "grouped": ("tile", grouped, [normal(2, 70, 4, 16), *(normal(2, 70, 2, 16) for _ in range(2))]),
    "chunks": ("chunks", heads, [normal(1, 70, 60), normal(1, 300, 60), normal(1, 300, 180)]),
    "zeroed": ("tile", zeroed, [*three(152, 152), rows_that_see_nothing(152)]),
    "zeroed_row": ("rows", zeroed, [*three(2, 70), hidden(np.arange(2)[:, None] < np.ones(70))]),
    "one_row": ("rows", heads, [normal(2, 1, 48), normal(2, 300, 48), normal(2, 300, 60)]),
    "few_rows": (
        "rows",
        grouped,
        [normal(2, 3, 4, 16), *(normal(2, 600, 2, 16) for _ in range(2)), causal(3, 600)],
    ),
    "odd_row": ("rows", attend, [normal(3, 2, 13), normal(3, 1100, 13), normal(3, 1100, 7)]),
    "hidden_chunks": (
        "rows",
        zeroed,
        [*three(3, 1300), hidden(np.arange(1300) < np.array([[600], [1300], [0]]))],
    ),
    "row_that_sees_nothing": ("rows", attend, [*three(2, 70), hidden(np.zeros([2, 70], bool))]),
}  # fmt: skip


@pytest.fixture
def by(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that selects how attention is computed, independent of sizes.

    The choices are rows, tiles, and tiles for chunks of the keys.
    """
    kernel = FUSED["attention"]
    always = {**kernel.devices, "webgpu": replace(kernel.devices["webgpu"], takes="")}
    monkeypatch.setitem(FUSED, "attention", replace(kernel, devices=always))

    def choose(kernel: str) -> None:
        monkeypatch.setattr(attention, "_is_by_rows", lambda p: kernel == "rows")
        monkeypatch.setattr(attention, "MOST_CHUNKS", 8 if kernel == "chunks" else 1)

    return choose


def case(function: Callable[..., Any], arrays: list[Array]) -> tuple[Program, Array]:
    """Return the Program of a compiled function, and NumPy's result."""
    specs = [tf.TensorSpec(a.shape, tf.float32) for a in arrays]
    graph = tf.function(function).get_concrete_function(*specs).traced.graph
    program = lower(optimize(graph, WebGPUTarget()))
    (expected,) = run_by_numpy(graph, arrays)
    return program, expected


def test_attention(evaluate: Evaluate, by: Callable[[str], None]) -> None:
    calls, wanted = [], []
    for name, (kernel, function, arrays) in CASES.items():
        by(kernel)
        program, expected = case(function, arrays)
        kernels = {program.kernels[step.kernel].name for step in program.steps}
        assert f"attention_{kernel.replace('chunks', 'join')}" in kernels, name
        calls.append(page_call(program, arrays))
        wanted.append((name, expected))
    for values, (name, expected) in zip(evaluate("results", calls), wanted, strict=True):
        np.testing.assert_allclose(values, expected.ravel(), 2e-5, 2e-5, err_msg=name)
