"""Every primitive on every device backend, compared with NumPy on the samples of the op table.

The Graph is compiled by the backend itself, so that neither a shortcut nor a fallback to the host
can replace the kernel. Float results are compared with the op's tolerance.
"""

from __future__ import annotations

import numpy as np
import pytest

from tfpy._src.compiler.ops import OPS, UNSUPPORTED
from tfpy.testing import run_in_browser

PRIMITIVES = [name for name, op in OPS.items() if op.is_primitive and not op.is_alias]
DEVICES = ("wasm", "webgl", "webgpu")
DEFAULT_TOLERANCE = 1e-4


def difference(got: np.ndarray, expected: np.ndarray, tolerance: float) -> str:
    """Return the difference of a result as text, or ""."""
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"{got.dtype}{got.shape} instead of {expected.dtype}{expected.shape}"
    if expected.dtype.kind not in "fc":
        return "" if (got == expected).all() else f"{int((got != expected).sum())} values differ"
    close = np.isclose(got, expected, tolerance, tolerance, equal_nan=True)
    if close.all():
        return ""
    at = tuple(np.argwhere(~close)[0])
    return (
        f"{int((~close).sum())} of {close.size} differ; at {at} {got[at]} instead of {expected[at]}"
    )


def not_broadcast(samples):
    """Return the samples whose operands have one shape, or all samples if there are none."""
    found = [s for s in samples if len({np.shape(a) for a in s[0]}) == 1 and np.ndim(s[0][0]) > 0]
    return found or samples


def check_samples(backend, name, choose=list):
    """Run an op on its samples, or on a selection of them."""
    from tfpy._src.backends import registry
    from tfpy._src.base.dtypes import as_dtype
    from tfpy._src.compiler.ir.aval import Aval
    from tfpy._src.compiler.ir.evaluate import evaluate
    from tfpy._src.compiler.ir.graph import single_equation

    if name in UNSUPPORTED[backend]:
        pytest.skip(UNSUPPORTED[backend][name])
    op, device = OPS[name], registry.active_backend()
    assert op.samples is not None
    wrong = []
    for arrays, attrs in choose(op.samples(np.random.default_rng(7))):
        arrays = [np.asarray(a) for a in arrays]
        avals = [Aval(a.shape, as_dtype(a.dtype)) for a in arrays]
        graph = single_equation(op, avals, tuple(attrs.items()))
        (expected,) = evaluate(graph, arrays)
        program = device.register(device.lower(graph))
        slots = [device.upload(a) for a in arrays]
        out = device.run(program, *slots)
        got = device.read(out, graph.avals[graph.outputs[0]])
        device.free([*slots, out])
        device.release(program)
        text = difference(got, expected, op.tolerance or DEFAULT_TOLERANCE)
        if text:
            wrong.append(f"{', '.join(map(str, avals))} {attrs}: {text}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
@run_in_browser(backends=DEVICES)
def test_op(tf, backend, name):
    check_samples(backend, name)


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
@run_in_browser(backends=["webgpu"], browsers=["firefox"])
def test_op_in_firefox(tf, backend, name):
    """Test another WGSL compiler and driver, which takes seconds for a long expression.

    `add` tests broadcasting for all elementwise ops.
    """
    is_short = OPS[name].expr is None or name == "add"
    check_samples(backend, name, list if is_short else not_broadcast)


@pytest.mark.parametrize("name", sorted(n for n, op in OPS.items() if op.expr is not None))
@run_in_browser(backends=["wasm"], environment="generated-code")
def test_op_as_generated_code(tf, backend, name):
    """Check that elementwise ops are compiled at their first run, however small they are."""
    check_samples(backend, name)
    assert tf.memory()["backend"]["refused"] == 0


ODD = (
    *("sin", "tan", "asin", "atan", "sinh", "asinh", "atanh", "tanh"),
    *("erf", "expm1", "log1p"),
)


@run_in_browser(backends=DEVICES)
def test_signs_of_zeros(tf, backend):
    """Check that an odd function keeps the sign of a zero, which division reveals.

    `sign` does not keep it.
    """
    zeros = tf.constant([0.0, -0.0])
    for name in ODD:
        found = 1 / getattr(tf.math, name)(zeros)
        np.testing.assert_array_equal(found.numpy(), [np.inf, -np.inf], err_msg=name)
    np.testing.assert_array_equal((1 / tf.sign(zeros)).numpy(), [np.inf, np.inf])
    near = tf.constant([1e-30, -1e-30, 1e-3, -1e-3, 0.7, -0.7])  # near zero
    for name in ODD:
        expected = [1.0, -1.0] * 3
        np.testing.assert_array_equal(tf.sign(getattr(tf.math, name)(near)).numpy(), expected)


@run_in_browser()
def test_gradients_of_a_small_network(tf, backend):
    """Compare one training step of a convolutional network with the same step on NumPy."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 9, 9, 2)).astype(np.float32)
    labels = np.array([0, 2, 1, 2], np.int32)
    weights = [
        rng.normal(size=s, scale=0.3).astype(np.float32)
        for s in ((3, 3, 2, 8), (8,), (3, 3, 8, 1), (5, 5, 8, 6), (6 * 25, 3), (3,))
    ]

    def gradients():
        variables = [tf.Variable(w) for w in weights]
        w1, b1, depthwise, w2, dense, b2 = variables
        with tf.GradientTape() as tape:
            h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w1, 1, "SAME"), b1))
            h = tf.nn.depthwise_conv2d(h, depthwise, [1, 1, 1, 1], "SAME")
            h = tf.nn.max_pool2d(h, 2, 2, "SAME")
            h = tf.tanh(tf.nn.conv2d(h, w2, 1, "SAME"))
            h = tf.nn.avg_pool2d(h, 2, 1, "SAME")
            logits = tf.reshape(h, [4, -1]) @ dense + b2
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        return [loss.numpy(), *(g.numpy() for g in tape.gradient(loss, variables))]

    got = gradients()
    tf.set_backend("cpu")
    expected = gradients()
    tf.set_backend(backend)
    for g, e in zip(got, expected, strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-3, atol=1e-4)
