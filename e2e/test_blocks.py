"""Products, rows and gradients of weights in block formats equal the results of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

N, K = 70, 768  # threads of webgpu read different numbers of groups of a row
FORMS = [
    *("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"),
    *("IQ4_NL", "TQ2_0", "MXFP4", "F16", "BF16"),
    *(f"INT{bits}_{size}" for bits in (4, 8) for size in (32, 64, 128, 256)),
]


def random_weights(form: str, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes of a matrix [n, K] with random bits, and its values."""
    from tfpy._src.compiler.ops.block_formats import ON_DEVICES, by_fields

    rng, how = np.random.default_rng(0), ON_DEVICES[form]
    count = n * K // how.size
    blocks = rng.integers(0, 256, count * how.layout.itemsize, np.uint8).view(how.layout)
    for name in {"d", "m", "dmin"}.intersection(how.layout.names or ()):
        blocks[name] = rng.uniform(-1, 1, count)
    if "z" in (how.layout.names or ()):
        blocks["z"] = rng.integers(-8, 9, count)
    if form in ("F16", "BF16"):
        values = rng.uniform(-1, 1, (count, 32)).astype(np.float32)
        bits = {
            "F16": values.astype(np.float16).view(np.uint16),
            "BF16": values.view(np.uint32) >> 16,
        }
        blocks["qs"] = bits[form]
    if form == "MXFP4":
        blocks["e"] = rng.integers(120, 130, count)
    assert how.decode is not None
    return by_fields(how, blocks), how.decode(blocks).reshape(n, K)


@pytest.mark.parametrize("form", FORMS)
@run_in_browser(backends=["cpu", "wasm", "webgl", "webgpu"])
def test_matrices(tf: Any, backend: str, form: str) -> None:
    from tfpy._src.compiler.ops.blocks import dequantize_blocks

    data, values = random_weights(form)
    weights = tf.Variable(data, trainable=False)
    read = {"form": form, "shape": (N, K)}
    got = dequantize_blocks(weights, **read).numpy()
    np.testing.assert_allclose(got, values, rtol=1e-6, atol=1e-6)

    @tf.function
    def products(x: Any, low: Any, indices: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            kernel = tf.transpose(dequantize_blocks(weights, **read)) + low
            y = x @ kernel
        rows = tf.gather(dequantize_blocks(weights, **read), indices)
        return y, tape.gradient(y, x), rows

    rng, indices = np.random.default_rng(1), [69, 0, 7]
    for m in (1, 3, 12):
        x = rng.standard_normal((m, K)).astype(np.float32)
        low = rng.standard_normal((K, N)).astype(np.float32)
        y, gradient, rows = (v.numpy() for v in products(x, low, indices))
        kernel = values.T + low
        assert np.abs(y - x @ kernel).max() < 1e-5 * (np.abs(x) @ np.abs(kernel)).max()
        wanted = np.ones((m, N), np.float32) @ kernel.T
        assert np.abs(gradient - wanted).max() < 1e-5 * np.abs(kernel).sum(1).max()
        np.testing.assert_allclose(rows, values[indices], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("form", ["Q4_1", "Q6_K", "MXFP4", "BF16"])
@pytest.mark.parametrize("n", [4096, 4098])
@run_in_browser(backends=["webgpu"])
def test_threads_with_several_rows(tf: Any, form: str, n: int) -> None:
    """Test matrices for which each thread of webgpu reads two or four rows."""
    from tfpy._src.compiler.lower.webgpu import blocks
    from tfpy._src.compiler.ops.blocks import dequantize_blocks

    blocks.FEWEST_THREADS = 1 << 13

    data, values = random_weights(form, n)
    weights = tf.Variable(data, trainable=False)

    @tf.function
    def product(x: Any) -> Any:
        w = dequantize_blocks(weights, form=form, shape=(n, K))
        return tf.matmul(x, w, transpose_b=True)

    for m in (1, 2, 5):
        x = np.random.default_rng(m).standard_normal((m, K)).astype(np.float32)
        error = np.abs(product(tf.constant(x)).numpy() - x @ values.T).max()
        assert error < 1e-5 * (np.abs(x) @ np.abs(values).T).max()


@run_in_browser(backends=["cpu", "wasm", "webgl", "webgpu"])
def test_columns_in_another_order(tf: Any, backend: str) -> None:
    """Test weights with columns in the order of their groups, as of GPTQ with `desc_act`."""
    from tfpy._src.compiler.ops.block_formats import ON_DEVICES, by_blocks
    from tfpy._src.formats.pretrained.block_weights import BlockWeights, Matrix, Placement

    data, values = random_weights("INT4_128")
    how = ON_DEVICES["INT4_128"]
    blocks = by_blocks(how, data, N * K // how.size)
    rng = np.random.default_rng(2)
    columns = rng.permutation(K).astype(np.int32)
    placement = Placement(np.arange(N, dtype=np.int32), (N, K), (1, 0))
    weights = BlockWeights(Matrix(how, blocks, (N, K), columns), placement, "kernel")
    kernel = np.empty((K, N), np.float32)
    kernel[columns] = values.T
    np.testing.assert_array_equal(weights.numpy(), kernel)

    @tf.function
    def products(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x @ weights.value()
        return y, tape.gradient(y, x)

    for m in (1, 12):
        x = rng.standard_normal((m, K)).astype(np.float32)
        y, gradient = (v.numpy() for v in products(x))
        assert np.abs(y - x @ kernel).max() < 1e-5 * (np.abs(x) @ np.abs(kernel)).max()
        wanted = np.ones((m, N), np.float32) @ kernel.T
        assert np.abs(gradient - wanted).max() < 1e-5 * np.abs(kernel).sum(1).max()


@pytest.mark.parametrize("form", ["Q4_1", "Q4_K", "INT4_128", "INT8_64", "F16", "BF16"])
@run_in_browser(backends=["webgpu"])
def test_products_in_tiles(tf: Any, backend: str, form: str) -> None:
    """Test the tiles of a GPU, which a software adapter does not use."""
    from tfpy._src.backends import registry
    from tfpy._src.backends.interface import Compiled
    from tfpy._src.compiler.ir.aval import Aval
    from tfpy._src.compiler.ir.graph import single_equation
    from tfpy._src.compiler.lower.webgpu import lower
    from tfpy._src.compiler.ops.blocks import multiply_blocks

    device = registry.active_backend()
    data, values = random_weights(form)
    rng = np.random.default_rng(3)
    for transpose_b in (True, False):
        wanted = values.T if transpose_b else values
        x = rng.standard_normal((130, len(wanted))).astype(np.float32)
        avals = [Aval(x.shape, tf.float32), Aval(data.shape, tf.int8)]
        attrs = (("form", form), ("shape", (N, K)), ("transpose_b", transpose_b))
        graph = single_equation(multiply_blocks, avals, attrs)
        lowered = lower(graph)
        assert lowered.kernels[0].name == "matmul_tile"
        program = device.register(Compiled(graph, lowered))
        slots = [device.upload(x), device.upload(data)]
        out = device.run(program, *slots)
        got = device.read(out, graph.avals[graph.outputs[0]])
        device.free([*slots, out])
        device.release(program)
        assert np.abs(got - x @ wanted).max() < 1e-5 * (np.abs(x) @ np.abs(wanted)).max()
