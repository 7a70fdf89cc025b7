"""Backends, kernels and gradients of a package that uses only the public API."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf

PACKAGE = Path(__file__).parent / "package"


@pytest.fixture
def extension(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return the package, with its backend registered."""
    monkeypatch.syspath_prepend(str(PACKAGE))
    import tfpy_ledger

    before = tf.get_backend()
    tfpy_ledger.register()
    yield tfpy_ledger
    tfpy_ledger.unregister()
    tf.set_backend(before)
    del sys.modules["tfpy_ledger"]


def test_the_package_uses_public_names_alone() -> None:
    for file in PACKAGE.rglob("*.py"):
        tree = ast.parse(file.read_text())
        names = [n.name for e in ast.walk(tree) if isinstance(e, ast.Import) for n in e.names]
        names += [e.module or "" for e in ast.walk(tree) if isinstance(e, ast.ImportFrom)]
        assert sorted({n.partition(".")[0] for n in names}) == [
            *("__future__", "numpy", "tfpy", "typing"),
        ]
        assert not any("_src" in name for name in names)


def test_a_backend_computes_what_it_has_kernels_for(extension: Any) -> None:
    tf.set_backend("ledger")
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    y = tf.reshape(x + x, [4]) * tf.constant([1.0, 0.0, 1.0, 0.0])
    assert y.numpy().tolist() == [2, 0, 6, 0]
    assert extension.ledger == ["add", "multiply"]
    assert y.storage.place == "ledger"
    z = tf.exp(y)  # has no kernel in the backend
    np.testing.assert_allclose(z.numpy(), np.exp([2, 0, 6, 0]), rtol=1e-6)
    assert z.storage.place == "host"
    np.testing.assert_allclose((z + y).numpy(), z.numpy() + y.numpy())
    assert extension.ledger == ["add", "multiply", "add"]


def test_gradients_and_compiled_functions_run_on_it(extension: Any) -> None:
    tf.set_backend("ledger")

    @tf.function
    def loss(x: Any) -> Any:
        return tf.reduce_sum(x * x * tf.exp(x) + x)

    x = tf.constant([0.5, -1.0, 2.0])
    for function in (loss.python_function, loss):
        found = tf.grad(function)(x).numpy()
        expected = (2 * x.numpy() + x.numpy() ** 2) * np.exp(x.numpy()) + 1
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert {"add", "multiply"} <= set(extension.ledger)


def test_nothing_is_left(extension: Any, no_leaks: None) -> None:
    tf.set_backend("ledger")
    backend = tf.find_backend("ledger")
    x = tf.constant(np.ones(3000, np.float32))
    y = x + x
    assert tf.memory()["backend"]["bytes"] == 24000
    del x, y
    backend.collect()
    assert tf.memory()["backend"] == {"slots": 0, "bytes": 0}
    assert backend.dropped == 2
    tf.set_backend("cpu")


def test_a_kernel_that_fails(extension: Any) -> None:
    def failing(x: Any, y: Any) -> Any:
        raise tf.errors.InternalError(None, None, "the device is on fire")

    kernel = tf.get_kernel("add", "ledger")
    tf.set_backend("ledger")
    x = tf.constant([1.0])
    tf.register_kernel("add", "ledger", failing)
    with pytest.raises(tf.errors.InternalError, match="on fire"):
        x + x
    tf.register_kernel("add", "ledger", kernel)
    assert (x + x).numpy() == [2]


def test_a_kernel_for_numpy() -> None:
    x = tf.constant([0.5, 7.0])
    exact = tf.tanh(x).numpy()
    doubled = tf.function(lambda x: tf.tanh(x) * 2.0)
    tf.register_kernel("tanh", "cpu", lambda x: np.clip(x, -1, 1))
    try:
        assert tf.tanh(x).numpy().tolist() == [0.5, 1.0]
        assert doubled(x).numpy().tolist() == [1.0, 2.0]
        assert x.numpy().tolist() == [0.5, 7.0]
        assert list(tf.get_kernels_for_backend("cpu")) == ["tanh"]
    finally:
        tf.unregister_kernel("tanh", "cpu")
    assert (tf.tanh(x).numpy() == exact).all()
    assert tf.get_kernel("tanh", "cpu") is None


def test_a_kernel_that_gives_its_operand() -> None:
    """Check that no later step writes to a result that shares memory with the operand."""
    x = tf.constant(np.arange(5, dtype=np.float32))
    tf.register_kernel("floor", "cpu", lambda x: x)
    try:
        found = tf.function(lambda x: tf.sqrt(tf.floor(x) + 1.0) + x)(x)
        np.testing.assert_allclose(found.numpy(), np.sqrt(np.arange(5) + 1.0) + np.arange(5), 1e-6)
        assert x.numpy().tolist() == [0, 1, 2, 3, 4]
    finally:
        tf.unregister_kernel("floor", "cpu")


def test_kernels_for_another_backend(extension: Any) -> None:
    tf.copy_registered_kernels("ledger", "twin")
    assert tf.get_kernels_for_backend("twin") == tf.get_kernels_for_backend("ledger")
    for name in tf.get_kernels_for_backend("twin"):
        tf.unregister_kernel(name, "twin")


def test_a_gradient() -> None:
    """Register the gradient of a quantizer, which passes through the rounding."""
    x = tf.constant([0.3, 1.8])
    assert tf.grad(lambda x: tf.reduce_sum(tf.round(x) * x))(x).numpy().tolist() == [0.0, 2.0]

    @tf.register_gradient("round")
    def straight_through(g: Any, y: Any, x: Any) -> Any:
        return g

    try:
        for wrapped in (lambda f: f, tf.function):
            found = tf.grad(wrapped(lambda x: tf.reduce_sum(tf.round(x) * x)))(x)
            np.testing.assert_allclose(found.numpy(), [0.3, 3.8], rtol=1e-6)
        assert tf.get_gradient("round") is straight_through
    finally:
        tf.unregister_gradient("round")
    assert tf.get_gradient("round") is None


def test_what_cannot_be_registered() -> None:
    with pytest.raises(ValueError, match=r"no op 'mat_mul'\. Did you mean 'matmul'\?"):
        tf.register_kernel("mat_mul", "cpu", np.matmul)
    with pytest.raises(ValueError, match="kernels of webgl are part of tfpy"):
        tf.register_kernel("matmul", "webgl", np.matmul)
    with pytest.raises(TypeError, match="must be callable"):
        tf.register_kernel("matmul", "cpu", 3)
    with pytest.raises(ValueError, match=r"no op 'ruond'\. Did you mean 'round'"):
        tf.register_gradient("ruond")
    with pytest.raises(ValueError, match="no kernel of exp was registered for cpu"):
        tf.unregister_kernel("exp", "cpu")
    with pytest.raises(ValueError, match="no gradient of exp was registered"):
        tf.unregister_gradient("exp")
