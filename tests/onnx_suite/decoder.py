"""A small decoder with weights of four bits, as exporters of language models write it."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

Array = np.ndarray[Any, Any]
VOCABULARY, WIDTH, INNER, HEADS, KEYS, SIZE = 256, 64, 96, 4, 2, 16
PAST, NEW, BLOCK = 5, 3, 32


class _Nodes:
    """Nodes and constants of the model."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._rng = np.random.default_rng(0)

    def constant(self, name: str, array: Array) -> str:
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def floats(self, name: str, *shape: int) -> str:
        return self.constant(name, self._rng.normal(size=shape).astype(np.float32))

    def add(self, op: str, inputs: list[str], *outputs: str, **attrs: Any) -> str:
        is_own = op in ("Reshape", "Shape", "Gather", "Cast", "ReduceSum", "Sub", "Mul", "Sigmoid")
        domain = "" if is_own or op == "SimplifiedLayerNormalization" else "com.microsoft"
        self.nodes.append(helper.make_node(op, inputs, outputs, domain=domain, **attrs))
        return outputs[0]

    def packed(self, name: str, k: int, n: int) -> list[str]:
        """Add the weights, scales and zero points of a product."""
        blocks = -(-k // BLOCK)
        numbers = self._rng.integers(0, 256, (n, blocks, BLOCK // 2)).astype(np.uint8)
        scales = self._rng.uniform(0.01, 0.05, (n, blocks)).astype(np.float32)
        points = self._rng.integers(0, 256, (n, -(-blocks // 2))).astype(np.uint8)
        arrays = {"weights": numbers, "scales": scales, "points": points}
        return [self.constant(f"{name}.{part}", array) for part, array in arrays.items()]

    def product(self, x: str, weights: list[str], k: int, n: int, output: str) -> str:
        return self.add(
            "MatMulNBits", [x, *weights], output, K=k, N=n, bits=4, block_size=BLOCK
        )  # fmt: skip


def decoder() -> bytes:
    """Return the model: one layer with attention and a gated network."""
    made = _Nodes()
    shared = made.packed("head", WIDTH, VOCABULARY)
    rows = made.constant("rows", np.array([VOCABULARY, WIDTH // 2]))
    table = made.add("Reshape", [shared[0], rows], "table")
    made.add(
        "GatherBlockQuantized", [table, "input_ids", *shared[1:]], "x", bits=4, block_size=BLOCK,
        gather_axis=0, quantize_axis=1,
    )  # fmt: skip
    one = made.constant("one", np.array([1]))
    count = made.add("ReduceSum", ["mask", one], "count", keepdims=1)
    last = made.add("Sub", [count, one], "last")
    made.add("Cast", [last], "seqlens", to=TensorProto.INT32)
    sizes = made.add("Shape", ["mask"], "sizes")
    total = made.add("Gather", [sizes, made.constant("axis", np.array(1))], "all")
    made.add("Cast", [total], "total", to=TensorProto.INT32)
    norm = made.floats("norm", WIDTH)
    made.add("SimplifiedLayerNormalization", ["x", norm], "y", epsilon=1e-5)
    parts = {"q": HEADS, "k": KEYS, "v": KEYS}
    for part, heads in parts.items():
        n = heads * SIZE
        made.product("y", made.packed(part, WIDTH, n), WIDTH, n, part)
    caches = [made.floats("cos", 32, SIZE // 2), made.floats("sin", 32, SIZE // 2)]
    made.add(
        "GroupQueryAttention", [*parts, "past_key", "past_value", "seqlens", "total", *caches],
        "attended", "present_key", "present_value", num_heads=HEADS, kv_num_heads=KEYS, do_rotary=1,
    )  # fmt: skip
    made.product("attended", made.packed("o", HEADS * SIZE, WIDTH), HEADS * SIZE, WIDTH, "z")
    made.add("SkipSimplifiedLayerNormalization", ["x", "z", norm], "h", "", "", "sum", epsilon=1e-5)
    for part in ("gate", "up"):
        made.product("h", made.packed(part, WIDTH, INNER), WIDTH, INNER, part)
    made.add("Sigmoid", ["gate"], "open")
    made.add("Mul", ["gate", "open"], "swish")
    made.add("Mul", ["swish", "up"], "inner")
    made.product("inner", made.packed("down", INNER, WIDTH), INNER, WIDTH, "d")
    made.add("SkipSimplifiedLayerNormalization", ["sum", "d", norm], "end", epsilon=1e-5)
    made.product("end", shared, WIDTH, VOCABULARY, "logits")
    cache = [1, KEYS, "past", SIZE]
    inputs = {
        "input_ids": (TensorProto.INT64, [1, "new"]),
        "mask": (TensorProto.INT64, [1, "all"]),
        "past_key": (TensorProto.FLOAT, cache),
        "past_value": (TensorProto.FLOAT, cache),
    }
    graph = helper.make_graph(
        made.nodes,
        "decoder",
        [helper.make_tensor_value_info(name, *how) for name, how in inputs.items()],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
            for name in ("logits", "present_key", "present_value")
        ],
        made.constants,
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString())


def decoder_feeds() -> dict[str, Array]:
    """Return values of the inputs."""
    rng = np.random.default_rng(1)
    cache = (1, KEYS, PAST, SIZE)
    return {
        "input_ids": np.array([[3, 200, 77]]),
        "mask": np.ones([1, PAST + NEW], np.int64),
        "past_key": rng.normal(size=cache).astype(np.float32),
        "past_value": rng.normal(size=cache).astype(np.float32),
    }
