"""A Llama of a GGUF file as an ONNX file with weights of four bits, for ONNX Runtime Web.

    PYTHONPATH=src:. python -m bench.onnx_decoder MODEL.gguf FOLDER

The files have the operations of exporters for ONNX Runtime: MatMulNBits with blocks of 32 weights
and zero points, and GroupQueryAttention with rotary embeddings. ``model_q4.onnx`` computes in
float32, and ``model_q4f16.onnx`` in float16. ``config.json`` describes both for transformers.js.

Weights in Q8_0 keep their numbers. Weights in Q4_1 have a minimum instead of an integer zero point,
so they are quantized again, which changes the results. ``model.gguf`` is the same file with the
weights after this rounding, with which all libraries can be compared.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

from tfpy._src.formats.gguf.reader import GgufFile

Array = np.ndarray[Any, Any]
BLOCK = 32
MOST = 15
"""The largest number of four bits."""
MIDDLE = 128
"""The zero point of Q8_0, with numbers from 0 to 255."""
LEVEL = 4
"""The accuracy level with which MatMulNBits may round its input to eight bits, which is faster."""
POSITIONS = 2048
OPSET, IR_VERSION = 18, 10
MICROSOFT = ("MatMulNBits", "GatherBlockQuantized", "GroupQueryAttention")
SKIP = "SkipSimplifiedLayerNormalization"
FILES: dict[str, type[np.floating[Any]]] = {
    "model_q4.onnx": np.float32,
    "model_q4f16.onnx": np.float16,
}


class Sizes(NamedTuple):
    """Sizes of a Llama."""

    layers: int
    width: int
    inner: int
    heads: int
    keys: int
    vocabulary: int
    epsilon: float
    theta: float

    @property
    def head(self) -> int:
        """Size of a head."""
        return self.width // self.heads


class Packed(NamedTuple):
    """Weights of a product [n, k] in blocks."""

    numbers: Array
    scales: Array
    points: Array
    bits: int


def sizes_of(file: GgufFile) -> Sizes:
    """Read the sizes from the metadata."""
    facts = file.metadata
    names = ("block_count", "embedding_length", "feed_forward_length", "attention.head_count")
    layers, width, inner, heads = (int(facts[f"llama.{name}"]) for name in names)
    keys = int(facts["llama.attention.head_count_kv"])
    epsilon = float(facts["llama.attention.layer_norm_rms_epsilon"])
    theta = float(facts["llama.rope.freq_base"])
    vocabulary = file.shape("token_embd.weight")[0]
    return Sizes(layers, width, inner, heads, keys, vocabulary, epsilon, theta)


def quantized(weights: Array) -> tuple[Array, Array, Array]:
    """Quantize weights [n, k] to four bits.

    Returns:
        Numbers [n, blocks, 32], and the scale and the zero point of each block [n, blocks].
    """
    blocks = weights.reshape(len(weights), -1, BLOCK).astype(np.float32)
    low, high = np.minimum(blocks.min(-1), 0.0), np.maximum(blocks.max(-1), 0.0)
    scales = np.maximum((high - low) / MOST, np.finfo(np.float16).tiny).astype(np.float16)
    steps = scales.astype(np.float32)
    points = np.clip(np.rint(-low / steps), 0, MOST)
    numbers = np.clip(np.rint(blocks / steps[..., None]) + points[..., None], 0, MOST)
    return numbers.astype(np.uint8), scales, points.astype(np.uint8)


def packed(weights: Array) -> Packed:
    """Quantize weights [n, k] to four bits for MatMulNBits."""
    numbers, scales, points = quantized(weights)
    return Packed(_pairs(numbers), scales, _pairs(points), 4)


def _pairs(numbers: Array) -> Array:
    """Pack numbers of four bits in bytes, along the last axis. The lower half is the first one."""
    if numbers.shape[-1] % 2:
        numbers = np.pad(numbers, [(0, 0)] * (numbers.ndim - 1) + [(0, 1)])
    return numbers[..., ::2] | numbers[..., 1::2] << 4


def stored(file: GgufFile, name: str) -> Packed:
    """Return weights in Q8_0 with their numbers."""
    blocks = file.blocks(name).reshape(file.shape(name)[0], -1)
    numbers = (blocks["qs"].astype(np.int16) + MIDDLE).astype(np.uint8)
    points = np.full(blocks.shape, MIDDLE, np.uint8)
    return Packed(numbers, blocks["d"].astype(np.float16), points, 8)


def halves(weights: Array, heads: int) -> Array:
    """Order the rows of queries or keys for rotations of halves.

    llama.cpp rotates neighbours, GroupQueryAttention by default the halves of a head.
    """
    pairs = weights.reshape(heads, -1, 2, weights.shape[-1])
    return pairs.swapaxes(1, 2).reshape(weights.shape)


class Decoder:
    """A builder of the nodes of a model."""

    def __init__(self, sizes: Sizes, dtype: type[np.floating[Any]]) -> None:
        self._sizes = sizes
        self._dtype = dtype
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def add(self, op: str, inputs: list[str], *outputs: str, **attributes: Any) -> str:
        """Add a node, and return the name of its first output."""
        domain = "com.microsoft" if op in (*MICROSOFT, SKIP) else ""
        self._nodes.append(helper.make_node(op, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def constant(self, name: str, array: Array) -> str:
        if array.dtype.kind == "f":
            array = array.astype(self._dtype)
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def weights(self, name: str, given: Packed) -> list[str]:
        """Add the constants of a product."""
        parts = zip(("weight", "scales", "points"), given[:3], strict=True)
        return [self.constant(f"{name}.{part}", array) for part, array in parts]

    def product(self, x: str, weights: list[str], out: str, **sizes: int) -> str:
        """Add a product with weights [N, K] of some bits."""
        how = {"block_size": BLOCK, "accuracy_level": LEVEL, **sizes}
        return self.add("MatMulNBits", [x, *weights], out, **how)

    def dense(self, x: str, name: str, weights: Array, out: str) -> str:
        """Add a product with weights [n, k], which are quantized."""
        made = packed(weights)
        n, k = weights.shape
        return self.product(x, self.weights(name, made), out, N=n, K=k, bits=made.bits)

    def embed(self, table: Packed, shared: list[str]) -> None:
        """Add the embeddings of the tokens."""
        sizes = self._sizes
        if self._dtype is np.float16:
            shape = self.constant("table_shape", np.array([sizes.vocabulary, sizes.width]))
            rows = self.add("Reshape", [shared[0], shape], "table")
            how = {"bits": table.bits, "block_size": BLOCK, "gather_axis": 0, "quantize_axis": 1}
            self.add("GatherBlockQuantized", [rows, "input_ids", *shared[1:]], "x", **how)
            return
        # The build of ONNX Runtime Web that transformers.js uses on wasm does not have this
        # operation for the processor.
        rows, scales = (self.add("Gather", [one, "input_ids"], f"{one}_rows") for one in shared[:2])
        numbers = self.add("Cast", [rows], "row_numbers", to=TensorProto.FLOAT)
        point = self.constant("middle", np.array(MIDDLE, np.float32))
        centred = self.add("Sub", [numbers, point], "row_steps")
        axis = self.constant("last_axis", np.array([-1]))
        steps = self.add("Unsqueeze", [scales, axis], "row_scales")
        values = self.add("Mul", [centred, steps], "row_values")
        shape = self.constant("rows_shape", np.array([1, -1, sizes.width]))
        self.add("Reshape", [values, shape], "x")

    def begin(self, table: Packed) -> list[str]:
        """Add the embeddings and the lengths. Return the constants that the last layer shares."""
        sizes = self._sizes
        shared = self.weights("embedding", table)
        self.embed(table, shared)
        one = self.constant("one", np.array([1]))
        count = self.add("ReduceSum", ["attention_mask", one], "count", keepdims=1)
        last = self.add("Sub", [count, one], "last")
        self.add("Cast", [last], "seqlens", to=TensorProto.INT32)
        shape = self.add("Shape", ["attention_mask"], "mask_shape")
        whole = self.add("Gather", [shape, self.constant("axis", np.array(1))], "whole")
        self.add("Cast", [whole], "total", to=TensorProto.INT32)
        angles = np.arange(POSITIONS)[:, None] * sizes.theta ** (
            -np.arange(0, sizes.head, 2) / sizes.head
        )
        self.constant("cos", np.cos(angles))
        self.constant("sin", np.sin(angles))
        return shared

    def layer(self, file: GgufFile, number: int, x: str, normed: str) -> tuple[str, str]:
        """Add a layer. Return the sum that the next layer continues, and the result before it."""
        sizes, name = self._sizes, f"layer{number}"

        def read(part: str) -> Array:
            return file.read(f"blk.{number}.{part}.weight")

        joined = [halves(read("attn_q"), sizes.heads), halves(read("attn_k"), sizes.keys)]
        qkv = self.dense(
            normed, f"{name}.qkv", np.concatenate([*joined, read("attn_v")]), f"{name}_qkv"
        )
        caches = [f"past_key_values.{number}.{part}" for part in ("key", "value")]
        given = [qkv, "", "", *caches, "seqlens", "total", "cos", "sin"]
        outputs = [f"{name}_attended", f"present.{number}.key", f"present.{number}.value"]
        how = {"num_heads": sizes.heads, "kv_num_heads": sizes.keys, "do_rotary": 1}
        attended = self.add("GroupQueryAttention", given, *outputs, **how)
        projected = self.dense(attended, f"{name}.o", read("attn_output"), f"{name}_o")
        x, normed = self.norm(x, projected, read("ffn_norm"), f"{name}_ffn")
        for part in ("gate", "up"):
            self.dense(normed, f"{name}.{part}", read(f"ffn_{part}"), f"{name}_{part}")
        opened = self.add("Sigmoid", [f"{name}_gate"], f"{name}_sigmoid")
        swish = self.add("Mul", [f"{name}_gate", opened], f"{name}_swish")
        inner = self.add("Mul", [swish, f"{name}_up"], f"{name}_inner")
        return x, self.dense(inner, f"{name}.down", read("ffn_down"), f"{name}_down")

    def norm(self, x: str, added: str, weights: Array, name: str) -> tuple[str, str]:
        """Add a sum and its normalization, and return the names of both."""
        scale = self.constant(f"{name}.scale", weights)
        outputs = [f"{name}_normed", "", "", f"{name}_sum"]
        self.add(SKIP, [x, added, scale], *outputs, epsilon=self._sizes.epsilon)
        return outputs[3], outputs[0]

    def end(self, normed: str, shared: list[str], bits: int) -> None:
        """Add the logits of the last position."""
        sizes = self._sizes
        at = self.constant("last_position", np.array([-1]))
        final = self.add("Gather", [normed, at], "final", axis=1)
        how = {"N": sizes.vocabulary, "K": sizes.width, "bits": bits}
        self.product(final, shared, "logits", **how)

    def save(self, path: Path) -> None:
        sizes = self._sizes
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(self._dtype))
        new, whole = [1, "new"], [1, "whole"]
        inputs: dict[str, tuple[int, list[Any]]] = {
            "input_ids": (TensorProto.INT64, new),
            "attention_mask": (TensorProto.INT64, whole),
        }
        outputs: dict[str, tuple[int, list[Any]]] = {"logits": (kind, [1, 1, sizes.vocabulary])}
        for number in range(sizes.layers):
            for part in ("key", "value"):
                inputs[f"past_key_values.{number}.{part}"] = (
                    kind,
                    [1, sizes.keys, "past", sizes.head],
                )
                outputs[f"present.{number}.{part}"] = (kind, [1, sizes.keys, "whole", sizes.head])
        described = [
            [helper.make_tensor_value_info(name, *how) for name, how in group.items()]
            for group in (inputs, outputs)
        ]
        graph = helper.make_graph(self._nodes, path.stem, *described, self._constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
        save(helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION), path)


def write_model(file: GgufFile, dtype: type[np.floating[Any]], path: Path) -> None:
    """Write one ONNX file."""
    sizes = sizes_of(file)
    decoder = Decoder(sizes, dtype)
    table = stored(file, "token_embd.weight")
    shared = decoder.begin(table)
    scale = decoder.constant("layer0.scale", file.read("blk.0.attn_norm.weight"))
    epsilon = {"epsilon": sizes.epsilon}
    x, normed = "x", decoder.add("SimplifiedLayerNormalization", ["x", scale], "normed", **epsilon)
    for number in range(sizes.layers):
        x, added = decoder.layer(file, number, x, normed)
        follows = number + 1 < sizes.layers
        name = f"blk.{number + 1}.attn_norm.weight" if follows else "output_norm.weight"
        x, normed = decoder.norm(x, added, file.read(name), f"layer{number}_end")
    decoder.end(normed, shared, table.bits)
    decoder.save(path)


def write_gguf(source: Path, path: Path) -> None:
    """Copy a GGUF file, with weights in Q4_1 replaced by the weights of the ONNX files."""
    shutil.copyfile(source, path)
    with source.open("rb") as opened, path.open("r+b") as changed:
        file = GgufFile(opened)
        for name, tensor in file.tensors.items():
            if tensor.blocks.name == "Q4_1":
                numbers, scales, points = quantized(file.read(name))
                blocks = np.zeros(scales.shape, tensor.blocks.layout)
                blocks["d"] = scales
                blocks["m"] = -points.astype(np.float32) * scales.astype(np.float32)
                blocks["qs"] = numbers[..., : BLOCK // 2] | numbers[..., BLOCK // 2 :] << 4
                changed.seek(tensor.begin)
                changed.write(blocks.tobytes())


def config(sizes: Sizes) -> dict[str, Any]:
    """Return the configuration that transformers.js reads."""
    return {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "num_hidden_layers": sizes.layers,
        "num_attention_heads": sizes.heads,
        "num_key_value_heads": sizes.keys,
        "hidden_size": sizes.width,
        "intermediate_size": sizes.inner,
        "vocab_size": sizes.vocabulary,
        "head_dim": sizes.head,
        "transformers.js_config": {"kv_cache_dtype": {"q4f16": "float16", "fp16": "float16"}},
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.onnx_decoder", description=__doc__)
    parser.add_argument("model", type=Path, help="GGUF file of a Llama with embeddings in Q8_0")
    parser.add_argument("folder", type=Path, help="folder for the files")
    options = parser.parse_args()
    (options.folder / "onnx").mkdir(parents=True, exist_ok=True)
    with options.model.open("rb") as opened:
        file = GgufFile(opened)
        text = json.dumps(config(sizes_of(file)))
        (options.folder / "config.json").write_text(text, encoding="utf-8")
        for name, dtype in FILES.items():
            write_model(file, dtype, options.folder / "onnx" / name)
    write_gguf(options.model, options.folder / "model.gguf")


if __name__ == "__main__":
    main()
