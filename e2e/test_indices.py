"""Labels and indices out of range on each backend, eager and compiled.

cpu and wasm raise; the others return what TensorFlow documents for GPUs; in debug mode all raise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BACKENDS

RAISES = ("cpu", "wasm", "wasm in node")
ROWS = 1200  # above the sizes that the host computes for a GPU
BAD = 7  # the position of the index that is out of range


class Case(NamedTuple):
    call: Callable[[Any, Any, Any], Any]
    """(tf, x [ROWS, 4], indices [ROWS]) -> result."""
    subject: str
    """Beginning of the error message, up to the position."""
    others: Callable[[Any, Any], Any]
    """(x, indices) -> result in NumPy if one index is out of range and nothing raises."""


def _read(x: Any, at: Any) -> Any:
    inside = (at >= 0) & (at < ROWS)
    return np.where(inside[:, None], x[np.where(inside, at, 0)], 0)


def _summed(x: Any, at: Any) -> Any:
    out = np.zeros_like(x)
    kept = at < ROWS
    np.add.at(out, at[kept], x[kept])
    return out


def _updated(x: Any, at: Any) -> Any:
    out = np.zeros_like(x)
    kept = at < ROWS
    out[at[kept]] = x[kept]
    return out


def _columns(tf: Any, at: Any) -> Any:
    return tf.reshape(at, [-1, 1])


CASES = {
    "gather": Case(lambda tf, x, at: tf.gather(x, at), "gather: indices", _read),
    "embedding_lookup": Case(
        lambda tf, x, at: tf.nn.embedding_lookup(x, at), "gather: indices", _read
    ),
    "gather_nd": Case(
        lambda tf, x, at: tf.gather_nd(x, _columns(tf, at)), "indices", _read
    ),
    "scatter_nd": Case(
        lambda tf, x, at: tf.scatter_nd(_columns(tf, at), x, [ROWS, 4]), "indices", _summed
    ),
    "tensor_scatter_nd_update": Case(
        lambda tf, x, at: tf.tensor_scatter_nd_update(x * 0.0, _columns(tf, at), x),
        "indices",
        _updated,
    ),
    "unsorted_segment_sum": Case(
        lambda tf, x, at: tf.math.unsorted_segment_sum(x, at, ROWS),
        "unsorted_segment_sum: segment_ids",
        _summed,
    ),
    "unsorted_segment_max": Case(
        lambda tf, x, at: tf.maximum(tf.math.unsorted_segment_max(x, at, ROWS), 0.0),
        "scatter_max: indices",
        _updated,
    ),
}  # fmt: skip


def _inputs() -> tuple[Any, Any, Any]:
    """Return rows, distinct indices, and indices of which one is out of range."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 2.0, (ROWS, 4)).astype(np.float32)
    good = rng.permutation(ROWS).astype(np.int32)
    bad = good.copy()
    bad[BAD] = ROWS
    return x, good, bad


@contextmanager
def _refused(tf: Any, subject: str, index: int, limit: int) -> Iterator[None]:
    """Check that the error names the index, and the op's source line in a compiled function."""
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        yield
    said = str(caught.value)
    assert said.startswith(f"{subject}[{BAD}"), said
    assert f"= {index} is not in [0, {limit})" in said
    assert "test_indices.py" in "".join(getattr(caught.value, "__notes__", ["test_indices.py"]))


async def _check(tf: Any, backend: str, case: Case, call: Callable[..., Any]) -> None:
    x, good, bad = _inputs()
    for _ in range(2):  # the backend can be used after an error
        np.testing.assert_allclose(await call(tf.constant(x), tf.constant(good)).data(),
                                   case.others(x, good), 1e-5)  # fmt: skip
        if backend in RAISES:
            with _refused(tf, case.subject, ROWS, ROWS):
                call(tf.constant(x), tf.constant(bad))
        else:
            found = await call(tf.constant(x), tf.constant(bad)).data()
            np.testing.assert_allclose(found, case.others(x, bad), 1e-5)


@run_in_browser(backends=BACKENDS)
async def test_indices_out_of_range(tf: Any, backend: str) -> None:
    """Check each case eagerly and compiled. Each browser test also checks for leaks."""
    for case in CASES.values():
        eager = lambda x, at, case=case: case.call(tf, x, at)  # noqa: E731
        for call in (eager, tf.function(eager)):
            await _check(tf, backend, case, call)


@run_in_browser(backends=BACKENDS)
async def test_labels_out_of_range(tf: Any, backend: str) -> None:
    """Check losses and gradient: one row is NaN if nothing raises, and a Variable is unchanged."""
    rng = np.random.default_rng(1)
    logits = rng.standard_normal((ROWS, 3)).astype(np.float32)
    good = rng.integers(0, 3, ROWS).astype(np.int32)
    v = tf.Variable(logits)

    def losses(labels: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, v * 1.0)
        return loss, tape.gradient(loss, v)

    def step(labels: Any) -> Any:
        loss, gradient = losses(labels)
        v.assign_sub(0.0 * gradient)
        return loss, gradient

    e = np.exp(logits.astype(np.float64))
    probabilities = e / e.sum(-1, keepdims=True)
    wanted = (
        -np.log(probabilities[np.arange(ROWS), good]),
        probabilities - np.eye(3)[good],
    )
    for label in (3, -1):
        bad = good.copy()
        bad[BAD] = label
        for call in (losses, tf.function(losses), tf.function(step)):
            v.assign(logits)
            for found, right in zip(call(tf.constant(good)), wanted, strict=True):
                np.testing.assert_allclose(await found.data(), right, 1e-4, 1e-5)
            if backend in RAISES:
                subject = "sparse_softmax_cross_entropy_with_logits: labels"
                with _refused(tf, subject, label, 3):
                    call(tf.constant(bad))
                np.testing.assert_array_equal(await v.value().data(), logits)
                continue
            for found, right in zip(call(tf.constant(bad)), wanted, strict=True):
                values = await found.data()
                assert np.isnan(values[BAD]).all()
                rest = np.arange(ROWS) != BAD
                np.testing.assert_allclose(values[rest], right[rest], 1e-4, 1e-5)


@run_in_browser(backends=BACKENDS)
def test_debug_mode_refuses_indices(tf: Any) -> None:
    x, _, bad = _inputs()
    labels = np.zeros(ROWS, np.int32)
    labels[BAD] = 4
    tf.debugging.enable_check_numerics()
    try:
        for case in CASES.values():
            eager = lambda x, at, case=case: case.call(tf, x, at)  # noqa: E731
            for call in (eager, tf.function(eager)):
                with _refused(tf, case.subject, ROWS, ROWS):
                    call(tf.constant(x), tf.constant(bad))
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits
        for call in (loss, tf.function(loss)):
            with _refused(tf, "sparse_softmax_cross_entropy_with_logits: labels", 4, 4):
                call(tf.constant(labels), tf.constant(x))
    finally:
        tf.debugging.disable_check_numerics()


@run_in_browser(backends=BACKENDS)
async def test_what_ignores_indices_out_of_range(tf: Any) -> None:
    """Check one_hot, in_top_k and negative segment ids, as in TensorFlow on CPUs and GPUs."""
    x, at, _ = _inputs()
    at = at % 6 - 1  # classes are 0..3

    def program(x: Any, at: Any) -> Any:
        return (
            tf.one_hot(at, 4),
            tf.cast(tf.math.in_top_k(at, x, 4), tf.int32),
            tf.math.unsorted_segment_sum(x, tf.minimum(at, 3), 4),
        )

    inside = (at >= 0) & (at < 4)
    summed = np.zeros((4, 4), np.float32)
    np.add.at(summed, np.minimum(at, 3)[at >= 0], x[at >= 0])
    wanted = (np.eye(4)[np.where(inside, at, 0)] * inside[:, None], inside, summed)
    for call in (program, tf.function(program)):
        for found, right in zip(call(tf.constant(x), tf.constant(at)), wanted, strict=True):
            np.testing.assert_allclose(await found.data(), right, 1e-4)
