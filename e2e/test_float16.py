"""float16 on devices that support it: kernels compute the same as TensorFlow."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfpy._src.compiler.ops import OPS, UNSUPPORTED
from tfpy.testing import run_in_browser

PROGRAMS = Path(__file__).parents[1] / "tests" / "ops" / "halves.py"

TOLERANCE = 2e-3


def is_on(device: str, tensor: Any) -> bool:
    return (tensor + tensor).storage.place == device


@run_in_browser(backends=["webgpu"], browsers=["firefox"], timeout=400.0)
def test_kernels(tf: Any, backend: str) -> None:
    """Compare every primitive that has a kernel with NumPy in float32, rounded."""
    assert tf.backend_report()["webgpu"]["variant"] == "webgpu-float32-float16"
    assert is_on("webgpu", tf.constant([1.0], tf.float16))
    names = [n for n, op in OPS.items() if op.is_primitive and op.kernel and op.samples]
    found = [text for n in names if n not in UNSUPPORTED[backend] for text in wrong_samples(n)]
    assert found == []


def wrong_samples(name: str) -> list[str]:
    """Return the differences of an op on its samples, with float16 in place of float32."""
    from tfpy._src.backends import registry
    from tfpy._src.compiler.ir.evaluate import evaluate

    op, device = OPS[name], registry.active_backend()
    assert op.samples is not None
    wrong = []
    for given, attrs in op.samples(np.random.default_rng(7)):
        halves = [half(a) for a in given]
        graph = graph_of(op, halves, attrs)
        if graph is None or not device.takes(op, graph.avals):
            continue
        out_aval = graph.avals[graph.outputs[0]]
        wide = [a.astype(np.float32) if a.dtype == np.float16 else a for a in halves]
        (expected,) = evaluate(graph_of(op, wide, attrs), wide)
        with np.errstate(over="ignore"):
            expected = expected.astype(out_aval.dtype.as_numpy_dtype)
        program = device.register(device.lower(graph))
        slots = [device.upload(a) for a in halves]
        out = device.run(program, *slots)
        got = device.read(out, out_aval)
        device.free([*slots, out])
        device.release(program)
        near = np.isclose(got, expected, TOLERANCE, TOLERANCE, equal_nan=True)
        if not near.all():
            at = tuple(np.argwhere(~near)[0])
            wrong.append(f"{name}: {graph.avals} {attrs} {got[at]} instead of {expected[at]}")
    return wrong


def half(array: Any) -> Any:
    array = np.asarray(array)
    return array.astype(np.float16) if array.dtype == np.float32 else array


def graph_of(op: Any, arrays: list[Any], attrs: dict[str, Any]) -> Any:
    """Return the op's Graph for these arrays, or None if it does not apply to float16."""
    from tfpy._src.base.dtypes import as_dtype
    from tfpy._src.base.errors import InvalidArgumentError
    from tfpy._src.compiler.ir.aval import Aval
    from tfpy._src.compiler.ir.graph import single_equation

    if op.by_bits or not any(a.dtype.kind == "f" for a in arrays):
        return None
    try:
        avals = [Aval(a.shape, as_dtype(a.dtype)) for a in arrays]
        return single_equation(op, avals, tuple(attrs.items()))
    except (InvalidArgumentError, TypeError):
        return None


@pytest.fixture
def programs() -> str:
    return PROGRAMS.read_text()


@run_in_browser(backends=["webgpu"], browsers=["firefox"])
def test_programs(tf: Any, backend: str, programs: str) -> None:
    """Run the programs that the Python tests compare with TensorFlow, and compare with NumPy."""
    halves: Any = types.ModuleType("halves")
    exec(programs, halves.__dict__)
    for name in halves.EXACT | halves.CLOSE:
        found = halves.results(tf, name)
        tf.set_backend("cpu")
        expected = halves.results(tf, name)
        tf.set_backend(backend)
        assert halves.differences(name, found, expected) == [], name


@run_in_browser(backends=["webgpu"], browsers=["firefox"])
def test_long_sums(tf: Any, backend: str) -> None:
    """Check that sums accumulate in float32 and use half the bytes.

    In float16, 256 + 0.1 is 256.
    """
    tenth = tf.fill([4096, 3], tf.constant(0.1, tf.float16))
    total = np.float16(4096 * float(np.float16(0.1)))
    for found in (tf.reduce_sum(tenth, 0), tf.matmul(tenth, tenth[:, :1] * 0 + 1, True)):
        assert found.dtype == tf.float16
        assert (found.numpy() == total).all()
    one = tf.constant(1.0, tf.float16)
    kept = [tf.zeros([100001], tf.float16) + one]
    before = tf.memory()["backend"]["bytes"]
    kept.append(kept[0] + one)
    assert tf.memory()["backend"]["bytes"] - before == 200002
    assert (kept[1].numpy() == 2).all()


@run_in_browser(backends=["webgpu"], browsers=["firefox"])
def test_products_in_tiles(tf: Any, backend: str) -> None:
    """Check that partial sums of tiled products are float32.

    The tiles are the ones of a GPU, which a software adapter does not use.
    """
    from tfpy._src.backends import registry
    from tfpy._src.backends.interface import Compiled
    from tfpy._src.compiler.lower.webgpu import lower

    device = registry.active_backend()
    rng = np.random.default_rng(2)
    for m, n, k in ((128, 128, 128), (65, 130, 257), (1, 256, 512)):
        arrays = [rng.normal(size=(1, *s)).astype(np.float16) for s in ((m, k), (k, n))]
        attrs = {"transpose_a": False, "transpose_b": False}
        graph = graph_of(OPS["matmul"], arrays, attrs)
        lowered = lower(graph, half=True)
        assert lowered.kernels[0].name == ("matvec" if m == 1 else "matmul_tile")
        program = device.register(Compiled(graph, lowered))
        slots = [device.upload(a) for a in arrays]
        out = device.run(program, *slots)
        got = device.read(out, graph.avals[graph.outputs[0]])
        device.free([*slots, out])
        device.release(program)
        a, b = (x.astype(np.float32) for x in arrays)
        np.testing.assert_allclose(got, (a @ b).astype(np.float16), rtol=2e-3, atol=2e-3)


@run_in_browser(backends=["webgpu"], browsers=["firefox"])
def test_attention(tf: Any, backend: str) -> None:
    """Compare attention as in Keras, where scores and softmax are float32 and never stored."""
    rng = np.random.default_rng(5)
    q, k, v = (rng.normal(size=(2, n, 3, 16)).astype(np.float16) for n in (30, 40, 40))

    def attend(q: Any, k: Any, v: Any) -> Any:
        scores = tf.cast(tf.einsum("btnh,bsnh->bnts", q, k), tf.float32) * 0.25
        scores = tf.where(tf.linalg.band_part(tf.ones([30, 40], tf.bool), -1, 0), scores, -2e38)
        weights = tf.cast(tf.nn.softmax(scores), tf.float16)
        return tf.einsum("bnts,bsnh->btnh", weights, v)

    compiled = tf.function(attend)
    tensors = [tf.constant(x) for x in (q, k, v)]
    assert "attention_rows" in compiled.get_concrete_function(*tensors).lower().as_text()
    scores = np.einsum("btnh,bsnh->bnts", *(x.astype(np.float32) for x in (q, k))) * 0.25
    weights = np.exp(np.where(np.tri(30, 40) > 0, scores, -np.inf))
    weights /= weights.sum(-1, keepdims=True)
    expected = np.einsum("bnts,bsnh->btnh", weights, v.astype(np.float32))
    np.testing.assert_allclose(compiled(*tensors).numpy(), expected, TOLERANCE, TOLERANCE)


@run_in_browser(
    backends=["webgpu"], browsers=["firefox"], packages=["keras"], timeout=600, check_leaks=False
)
def test_mixed_precision(tf: Any, backend: str) -> None:
    """Check that `fit` with loss scaling learns the same on the device as on NumPy."""
    import keras

    def fit() -> Any:
        keras.utils.set_random_seed(3)
        layers = keras.layers
        model = keras.Sequential(
            [
                keras.Input((8, 8, 1)),
                layers.Conv2D(4, 3, activation="relu"),
                layers.MaxPooling2D(),
                layers.LayerNormalization(),
                layers.Flatten(),
                layers.Dense(16, activation="gelu"),
                layers.Dense(3, dtype="float32"),
            ]
        )
        losses = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.Adam(0.01), losses)
        assert isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
        rng = np.random.default_rng(5)
        x, y = rng.normal(size=(48, 8, 8, 1)), np.arange(48) % 3
        x[np.arange(48), y, y] += 3.0
        history = model.fit(x, y, batch_size=16, epochs=4, shuffle=False, verbose=0).history
        hidden = model.layers[0](x[:2].astype("float32"))
        assert hidden.dtype == tf.float16
        assert hidden.storage.place == tf.get_backend()
        return history["loss"]

    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        losses = fit()
        tf.set_backend("cpu")
        expected = fit()
    finally:
        tf.set_backend(backend)
        keras.mixed_precision.set_global_policy("float32")
    np.testing.assert_allclose(losses, expected, rtol=0.02)
    assert losses[-1] < 0.7 * losses[0]


@run_in_browser(backends=["webgpu"], browsers=["chromium"])
def test_without_float16(tf: Any, backend: str) -> None:
    """Check that the host computes with NumPy if the device has no float16.

    The device rejects a float16 Program.
    """
    from tfpy._src.backends import registry
    from tfpy._src.backends.interface import Compiled
    from tfpy._src.base.dtypes import float16
    from tfpy._src.compiler.ir.aval import Aval
    from tfpy._src.compiler.ir.graph import single_equation
    from tfpy._src.compiler.lower.webgpu import lower

    assert tf.backend_report()["webgpu"]["variant"] == "webgpu-float32"
    x = tf.constant([1.5, 65504.0], tf.float16)
    assert (x + x).numpy().tolist() == [3.0, np.inf]
    graph = single_equation(OPS["add"], [Aval((2,), float16)] * 2, ())
    with pytest.raises(
        tf.errors.InternalError, match="float16, which this webgpu device does not have"
    ):
        registry.active_backend().register(Compiled(graph, lower(graph, half=True)))
    with pytest.raises(ValueError, match="devices do not store float16"):
        lower(graph)
