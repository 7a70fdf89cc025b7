"""The speed of kernels on a GPU: compiled functions called one after another, without reads.

Runs inside Pyodide (``page/throughput.mjs``). It reports a line for each work: milliseconds of one
call, and its rate. The device is warmed up first, because GPUs start slowly.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, NamedTuple

import tfpy as tf
from tfpy._src.backends import registry

WARM_SECONDS = 3.0
FLOATS_64MI = 1 << 26
CHAIN_LENGTH = 20


class Kernel(NamedTuple):
    """A compiled function, the shapes of its arguments, and its work in TFLOP or TB."""

    name: str
    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    amount: float
    unit: str
    weights: tuple[tuple[int, ...], ...] = ()
    """Shapes of Variables, which are further arguments of the function."""
    quantize: str | None = None


def _product(m: int, n: int, k: int) -> Kernel:
    return Kernel(
        f"matmul {m}x{k} {k}x{n}", tf.matmul, ((m, k), (k, n)), 2 * m * n * k / 1e12, "TFLOP"
    )


def _conv(batch: int, side: int, channels: int, filters: int, size: int) -> Kernel:
    amount = 2 * batch * side * side * channels * filters * size * size / 1e12
    return Kernel(
        f"conv {size}x{size} {batch}x{side}x{side}x{channels}",
        lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"),
        ((batch, side, side, channels), (size, size, channels, filters)),
        amount,
        "TFLOP",
    )


def _chain(x: Any, a: Any, b: Any) -> Any:
    for _ in range(CHAIN_LENGTH):
        x = tf.nn.relu(x * a + b)
    return x


def _memory(
    name: str, function: Callable[..., Any], shape: tuple[int, ...], arrays: int, inputs: int = 1
) -> Kernel:
    """Return a kernel that moves ``arrays`` arrays of a shape."""
    count = 1
    for size in shape:
        count *= size
    return Kernel(name, function, (shape,) * inputs, arrays * 4 * count / 1e12, "TB")


def kernels() -> Iterator[Kernel]:
    """Yield all works."""
    for n in (256, 512, 1024, 2048, 4096):
        yield _product(n, n, n)
    yield _product(512, 768, 3072)
    yield _memory("matmul 1x4096 4096x8192", lambda w: tf.ones([1, 4096]) @ w, (4096, 8192), 1)
    yield _conv(16, 56, 128, 128, 3)
    yield _conv(1, 56, 64, 64, 3)
    yield _conv(1, 14, 512, 512, 1)
    for count in (1 << 22, FLOATS_64MI):
        yield _memory(f"chain of 60, {count >> 20} Mi", _chain, (count,), 4, inputs=3)
    square = (8192, 8192)
    yield _memory("2 * x + 1, 64 Mi", lambda x: 2.0 * x + 1.0, square, 2)
    yield _memory("sum, 16 Mi", tf.reduce_sum, (1 << 24,), 1)
    yield _memory("sum, 64 Mi", tf.reduce_sum, square, 1)
    yield _memory("sums of rows, 64 Mi", lambda x: tf.reduce_sum(x, 1), square, 1)
    yield _memory("sums of columns, 64 Mi", lambda x: tf.reduce_sum(x, 0), square, 1)
    yield _memory("softmax 1024 x 1024", tf.nn.softmax, (1024, 1024), 2)
    yield _memory("softmax 65535 x 1024", tf.nn.softmax, (65535, 1024), 2)
    yield _memory("transpose, 64 Mi", lambda x: tf.transpose(x) + 1.0, square, 2)
    yield _memory("transpose 8191 x 8191", tf.transpose, (8191, 8191), 2)
    yield _memory("transpose 96 x 512 x 64", tf.linalg.matrix_transpose, (96, 512, 64), 2)
    yield Kernel("a compiled call", lambda x: x + 1.0, ((10,),), 0.0, "")


async def measure(report: Callable[[str], Awaitable[None]], works: Iterable[Kernel]) -> None:
    """Report a line of JSON for each work."""
    await _seconds(_compiled(_product(2048, 2048, 2048)), WARM_SECONDS)
    for kernel in works:
        call = _compiled(kernel)
        await _seconds(call, 0.3)
        seconds = min([await _seconds(call, 0.5) for _ in range(3)])
        line = {"work": kernel.name, "ms": round(seconds * 1e3, 4)}
        if kernel.amount:
            line[f"{kernel.unit}/s"] = round(kernel.amount / seconds, 2)
        await report(json.dumps(line))


def _compiled(kernel: Kernel) -> Callable[[], Any]:
    arguments = [tf.random.stateless_normal(shape, [i, 1]) for i, shape in enumerate(kernel.shapes)]
    weights = [
        tf.Variable(tf.random.stateless_normal(shape, [i, 2], stddev=shape[0] ** -0.5))
        for i, shape in enumerate(kernel.weights)
    ]
    function = tf.function(
        lambda *given: kernel.function(*given, *weights), quantize=kernel.quantize
    )
    return lambda: function(*arguments)


async def _seconds(call: Callable[[], Any], budget: float) -> float:
    """Return the seconds of a call, measured over as many calls as the budget allows."""
    backend = registry.active_backend()
    call()
    await backend.finish()
    begin, calls, many = time.perf_counter(), 0, 4
    while (taken := time.perf_counter() - begin) < budget:
        for _ in range(many):
            call()
        await backend.finish()
        calls += many
        many = min(256, 2 * many)
    return taken / calls
