"""Weights of a few bits in the domain com.microsoft, compared with ONNX Runtime."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import tfpy as tf
from onnx_suite.decoder import decoder, decoder_feeds
from onnx_suite.one_node import Array, Case, floats, octets
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.compiler.lower.webgl import WebGLTarget
from tfpy._src.compiler.lower.webgpu import WebGPUTarget
from tfpy._src.compiler.passes.pipeline import optimize_with_weights
from tfpy._src.compiler.passes.stored_weights import multiply_stored_weights

TARGETS = (WasmTarget(), WebGPUTarget())
HALF, INT4, UINT4 = TensorProto.FLOAT16, "int4", "uint4"


def product(
    k: int = 64, n: int = 24, bits: int = 4, block: int = 32, zeros: str = "", flat: bool = False,
    dtype: Any = np.float32, groups: Any = None, bias: bool = False, more: Any = None,
    **attrs: Any,
) -> Case:  # fmt: skip
    """Return MatMulNBits with zero points that are absent, "packed" or "floats"."""
    rng, blocks = np.random.default_rng(0), -(-k // block)
    scales = floats(rng, n, blocks).astype(dtype)
    points: Array | None = None
    if zeros == "packed":
        points = octets(rng, n, -(-blocks * bits // 8))
    elif zeros == "floats":
        points = (floats(rng, n, blocks) * 2 + 8).astype(dtype)
    inputs: list[Any] = [
        floats(rng, 2, 3, k).astype(dtype), octets(rng, n, blocks, block * bits // 8), scales,
        points, groups, floats(rng, n).astype(dtype) if bias else None,
    ]  # fmt: skip
    if flat:
        inputs[2:4] = (None if x is None else x.reshape(-1) for x in inputs[2:4])
    for at, value in (more or {}).items():
        inputs[at] = value
    while inputs[-1] is None:
        inputs.pop()
    outputs = [HALF] if dtype == np.float16 else 1
    attrs = {"K": k, "N": n, "bits": bits, "block_size": block, **attrs}
    return Case("MatMulNBits", inputs, outputs, (1, 2, 3, 4, 5), **attrs)


def test_products() -> None:
    for case in (
        product(), product(zeros="packed"), product(k=50, zeros="floats"), product(k=48),
        product(k=47, block=16, zeros="packed"), product(bits=8, zeros="packed"), product(bits=8),
        product(bits=2), product(bits=2, zeros="packed"), product(k=51, bits=2, block=16, n=7),
        product(bits=2, k=50, block=16, zeros="floats"), product(zeros="packed", flat=True),
        product(bias=True), product(groups=(np.arange(64) % 2).astype(np.int32)),
    ):  # fmt: skip
        case.check()
    product(block=16, zeros="packed", dtype=np.float16).check(tolerance=5e-3)
    empty = product(bias=True, more={1: np.zeros([24, 0, 16], np.uint8)})
    empty.check()


def test_refused_products() -> None:
    for message, case in {
        "bits must be 2, 4 or 8, got 3": product(bits=3),
        "at least 16, got 24": product(block=24),
        "does not match K=65": product(K=65),
        "N=-1": product(N=-1),
        "B must have 1536 elements": product(N=48),
        "scales must have 48": product(more={2: np.zeros([24, 3], np.float32)}),
        "zero_points must have 24": product(more={3: np.zeros([24, 2], np.uint8)}),
        "zero_points must have 48": product(more={3: np.zeros([24, 3], np.float32)}),
        "bias must have 24": product(more={5: np.zeros(4, np.float32)}),
        "must be uint8": product(more={1: np.zeros([24, 2, 16], np.int8)}),
        "must be 64 numbers of groups": product(groups=np.full(64, 2, np.int32)),
        "g_idx with zero points": product(groups=np.zeros(64, np.int32), zeros="packed"),
        "are prepacked": product(weight_prepacked=1),
    }.items():
        case.refused(message)


def table(
    kind: str = "uint8", shape: tuple[int, ...] = (9, 32), bits: int = 4, axes: Any = (0, 1),
    zeros: bool = False, at: Any = ((1, -1),), dtype: Any = np.float32, block: int = 16,
    more: Any = None,
) -> Case:  # fmt: skip
    """Return GatherBlockQuantized."""
    rng = np.random.default_rng(1)
    scales = tuple(-(-n // block) if i == axes[1] % len(shape) else n for i, n in enumerate(shape))

    def numbers(sizes: tuple[int, ...]) -> Array:
        if kind == "uint8":
            return octets(rng, *sizes[:-1], -(-sizes[-1] * bits // 8))
        low = -8 if kind == INT4 else 0
        return rng.integers(low, low + 16, sizes).astype(tf.as_dtype(kind).as_numpy_dtype)

    inputs: list[Any] = [
        numbers(shape), np.array(at, np.int64), floats(rng, *scales).astype(dtype),
        numbers(scales) if zeros else None,
    ]  # fmt: skip
    for i, value in (more or {}).items():
        inputs[i] = value
    attrs = {"gather_axis": axes[0], "quantize_axis": axes[1], "bits": bits, "block_size": block}
    while inputs[-1] is None:
        inputs.pop()
    outputs = [HALF] if dtype == np.float16 else 1
    return Case("GatherBlockQuantized", inputs, outputs, (0, 2, 3), **attrs)


def test_rows() -> None:
    for case in (
        table(), table(zeros=True), table(bits=8, zeros=True), table(bits=2, zeros=True),
        table(at=[9, 3, -10]), table(shape=(9, 40)), table(block=128), table(block=1 << 40),
        table(shape=(9, 3, 32), axes=(0, 2), zeros=True, at=[3, 4]),
        table(zeros=True, dtype=np.float16), table(at=3),
        *(table(kind, zeros=zeros) for kind in (INT4, UINT4) for zeros in (False, True)),
        *(table(kind, (32, 9), axes=axes, zeros=True, at=[2, 7])
          for kind in (INT4, UINT4) for axes in ((1, 0), (0, 0), (-1, -2))),
        table(INT4, (4, 5, 33), axes=(1, 2), zeros=True), table(INT4, (9, 33)),
    ):  # fmt: skip
        case.check()


def test_refused_rows() -> None:
    for message, case in {
        "bits must be 2, 4 or 8, got 5": table(bits=5),
        "at least 16, got 8": table(block=8),
        "gathered along the first": table(axes=(1, 1)),
        "and have blocks along the last one, got 0 and 0": table(axes=(0, 0)),
        "axis 2 is out of range": table(axes=(2, 1)),
        "data must be one of": table(more={0: np.zeros([9, 16], np.float32)}),
        "scales must have the shape [9, 2]": table(more={2: np.zeros([9, 3], np.float32)}),
        "zero_points must have the shape [9, 1]": table(more={3: np.zeros([9, 2], np.uint8)}),
    }.items():
        case.refused(message)


def loaded(data: bytes, given: dict[str, Array]) -> tuple[Any, Graph, frozenset[int]]:
    """Return a model, the Graph of its call with some inputs, and the positions of weights."""
    model = tf.models.load(data)
    values = {name: tf.constant(x) for name, x in given.items()}
    stage = model._runner._chosen(values, tuple(model.outputs))
    traced = stage.function.get_concrete_function(stage._traced_ones(values)).traced
    at = frozenset(i for i, v in enumerate(traced.graph.inputs) if v in traced.weights)
    return model, traced.graph, at


def names(graph: Graph) -> Counter[str]:
    return Counter(eqn.op.name for eqn in graph.eqns)


def test_bytes_stay() -> None:
    """Test that kernels read the weights in their bytes, and that no copy of them is wider."""
    for case, size in (
        (product(), 32), (product(zeros="packed"), 32), (product(k=47, zeros="packed"), 24),
        (product(bits=8, zeros="packed"), 64), (product(bits=2), 32), (product(zeros="floats"), 32),
        (product(groups=(np.arange(64) % 2).astype(np.int32)), 32),
        (product(dtype=np.float16), 32),
    ):  # fmt: skip
        _, graph, weights = loaded(case.data, case.feeds)
        stored = [graph.avals[graph.inputs[i]] for i in weights]
        stored += [graph.avals[v] for v in graph.constants if graph.avals[v].dtype != tf.int32]
        assert ("int8", (24, size)) in [(a.dtype.name, a.shape) for a in stored], case.name
        for target in TARGETS:
            found = names(multiply_stored_weights(graph, target, weights))
            assert found["multiply_stored"] == 1, (case.name, found)
            assert found["unpack_halves"] == 0
        assert sum(a.nbytes for a in stored) <= 24 * size + 2 * (4 + 1) * 2 * 24, case.name


def test_rows_stay() -> None:
    for case in (table(), table(zeros=True), table(bits=8), table(bits=2), table(INT4)):
        _, graph, weights = loaded(case.data, case.feeds)
        for target in TARGETS:
            found = names(multiply_stored_weights(graph, target, weights))
            assert found["gather_stored"] >= 1, case.name
            assert found["multiply_stored"] == found["unpack_halves"] == 0


def test_decoder() -> None:
    """Test a decoder with a table that the first and the last layer share."""
    data, feeds = decoder(), decoder_feeds()
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    model, graph, weights = loaded(data, feeds)
    for y, wanted in zip(model.predict(feeds), session.run(None, feeds), strict=True):
        np.testing.assert_allclose(y, wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())
    stored = [graph.avals[graph.inputs[i]] for i in weights]
    assert [a.shape for a in stored if a.dtype.name == "int8"].count((256, 32)) == 1
    for target in TARGETS:
        found = names(multiply_stored_weights(graph, target, weights))
        assert (found["multiply_stored"], found["gather_stored"]) == (8, 2)
    for target in (WebGLTarget(), *TARGETS):
        prelude, main = optimize_with_weights(graph, target, weights)
        assert main.eqns, prelude
    before = [model._graph.weights.derived(key, list) for key in model._graph.weights._derived]
    model.predict({**feeds, "input_ids": feeds["input_ids"][:, :1], "mask": feeds["mask"][:, :6]})
    after = [model._graph.weights.derived(key, list) for key in model._graph.weights._derived]
    assert all(x is y for x, y in zip(before, after, strict=True)), "weights were computed again"


def test_branches() -> None:
    """Test that a branch, which reads weights of the graph around it, keeps them in bytes."""
    case = product(zeros="packed")
    model = onnx.load_from_string(case.data)
    inner = helper.make_graph(list(model.graph.node), "branch", [], list(model.graph.output))
    given = helper.make_tensor_value_info("first", TensorProto.BOOL, [1])
    choice = helper.make_node("If", ["first"], ["o0"], then_branch=inner, else_branch=inner)
    del model.graph.node[:]
    model.graph.node.append(choice)
    model.graph.input.append(given)
    found = tf.models.load(model.SerializeToString())
    for first in (True, False):
        y = found.predict({**case.feeds, "first": np.array([first])})
        np.testing.assert_allclose(y, case.wanted()[0], rtol=0, atol=1e-4)
    kept = found._graph.weights._derived
    assert {name for name, _ in kept} >= {"i1", "i2", "i3"}
    assert len(kept) == 3


def test_steps() -> None:
    """Test that a decoder with caches of a fixed size needs no new traces for its tokens."""
    data, rng = decoder(), np.random.default_rng(2)
    ids = rng.integers(0, 256, (1, 6))
    empty = {"past_key": np.zeros([1, 2, 16, 16], np.float32)}
    empty["past_value"] = empty["past_key"]
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    whole = {"input_ids": ids, "mask": np.ones([1, 6], np.int64), **empty}
    wanted = session.run(["logits"], whole)[0]
    model, mask, given, found = tf.models.load(data), np.zeros([1, 16], np.int64), empty, []
    for begin, end in ((0, 3), (3, 4), (4, 5), (5, 6)):
        mask[:, :end] = 1
        y, *caches = model.predict({"input_ids": ids[:, begin:end], "mask": mask, **given})
        given = dict(zip(empty, caches, strict=True))
        found.append(y)
    np.testing.assert_allclose(np.concatenate(found, 1), wanted, rtol=0, atol=2e-5)
    (choices,) = model._runner._choices.values()
    (stage,) = choices.compiled.values()
    assert len(stage.function.concrete_functions) == 2


def test_written() -> None:
    """Test that files, which have no bitwise operations, get floats instead of bytes."""
    case = product(zeros="packed")
    (x,), (wanted,) = case.feeds.values(), case.wanted()
    for trainable in (False, True):
        model = tf.models.load(case.data, trainable=trainable)
        np.testing.assert_allclose(model(x), wanted, rtol=0, atol=1e-4)
        with tempfile.TemporaryDirectory() as folder:
            tf.save_onnx(model, f"{folder}/model.onnx")
            tf.save_graph_model(model, f"{folder}/model")
            tf.export(model, f"{folder}/model.tfpy")
            data = Path(folder, "model.onnx").read_bytes()
            session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
            (y,) = session.run(None, {"i0": x})
            np.testing.assert_allclose(y, wanted, rtol=0, atol=1e-4)
            again = tf.models.load(f"{folder}/model")(x)
            np.testing.assert_allclose(again, wanted, rtol=0, atol=1e-4)
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(model(x))
        gradients = tape.gradient(total, model.trainable_variables)
        assert [g.shape for g in gradients] == ([(24, 2)] if trainable else [])


TESTS = (
    test_products, test_refused_products, test_rows, test_refused_rows, test_bytes_stay,
    test_rows_stay, test_branches, test_decoder, test_steps, test_written,
)  # fmt: skip

if __name__ == "__main__":
    for test in TESTS:
        test()
