"""Quantized and fused products, LSTMs, mixtures of experts and signals without a last axis.

The results are compared with ONNX Runtime.
"""

from __future__ import annotations

from itertools import product as combinations
from typing import Any

import numpy as np

from onnx_suite.one_node import Array, Case, floats, octets


def numbers(rng: np.random.Generator, dtype: Any, *shape: int) -> Array:
    return octets(rng, *shape).view(dtype)


def test_products() -> None:
    rng = np.random.default_rng(0)
    for dtype in (np.uint8, np.int8):
        x, w, point = floats(rng, 2, 3, 8), numbers(rng, dtype, 8, 5), numbers(rng, dtype, 5)
        scale, columns, bias = floats(rng, 1), floats(rng, 5), floats(rng, 5)
        for case in (
            Case("DynamicQuantizeMatMul", [x, w, scale]),
            Case("DynamicQuantizeMatMul", [x, w, scale.reshape(()), point[:1].reshape(())]),
            Case("DynamicQuantizeMatMul", [x, w, columns, point, bias]),
            Case("DynamicQuantizeMatMul", [x, w, scale, None, bias]),
            Case("MatMulIntegerToFloat", [octets(rng, 3, 8), w, scale, scale]),
            Case("MatMulIntegerToFloat", [
                octets(rng, 2, 3, 8), w, scale, columns, octets(rng, 1), point, bias
            ]),
        ):  # fmt: skip
            case.check()
        Case("DynamicQuantizeMatMul", [x, w, columns[:4]]).refused("does not match 5 columns")
        Case("MatMulIntegerToFloat", [octets(rng, 3, 8), w, columns, scale]).refused("be scalars")


def test_fused_products() -> None:
    rng = np.random.default_rng(1)
    for turn_a, turn_b, late_a, late_b in combinations((0, 1), repeat=4):
        a, b = floats(rng, 2, 3, 4, 5), floats(rng, 2, 3, 5, 6)
        a, b = (np.swapaxes(x, -1, -2) if turn else x for x, turn in ((a, turn_a), (b, turn_b)))
        a, b = (np.moveaxis(x, -2, 0) if late else x for x, late in ((a, late_a), (b, late_b)))
        given = [np.ascontiguousarray(x) for x in (a, b)]
        flags = {"transA": turn_a, "transB": turn_b, "transBatchA": late_a, "transBatchB": late_b}
        Case("FusedMatMul", given, alpha=0.5, **flags).check()


def memory(
    steps: int = 4, batch: int = 1, per_channel: bool = False, dtype: Any = np.uint8,
    more: Any = None, **attrs: Any,
) -> Case:  # fmt: skip
    """Return DynamicQuantizeLSTM with 6 inputs and 5 units."""
    rng = np.random.default_rng(2)
    ways = 2 if attrs.get("direction") == "bidirectional" else 1
    each = (ways, 20) if per_channel else (ways,)
    scale = rng.uniform(0.001, 0.02, each).astype(np.float32)
    point = np.full(each, 120 if dtype is np.uint8 else 0, dtype)
    inputs: list[Array | None] = [
        floats(rng, steps, batch, 6), numbers(rng, dtype, ways, 6, 20),
        numbers(rng, dtype, ways, 5, 20), floats(rng, ways, 40), None, None, None, None,
        scale, point, scale[..., ::-1].copy(), point,
    ]  # fmt: skip
    for at, value in (more or {}).items():
        inputs[at] = value
    weights = (1, 2, 8, 9, 10, 11)
    return Case("DynamicQuantizeLSTM", inputs, 3, weights, **{"hidden_size": 5, **attrs})


def test_memory() -> None:
    rng = np.random.default_rng(3)
    state, peepholes = floats(rng, 1, 1, 5), floats(rng, 1, 15)
    for case in (
        memory(), memory(direction="bidirectional"), memory(direction="reverse", steps=12),
        memory(direction="bidirectional", per_channel=True, dtype=np.int8), memory(batch=3),
        memory(more={5: state, 6: state[..., ::-1].copy()}, steps=12), memory(clip=0.5),
        memory(more={7: peepholes}),
    ):  # fmt: skip
        case.check()
    lengths = memory(batch=2, more={4: np.array([4, 2], np.int32)})
    lengths.check(tolerance=2e-3)  # finished examples change the ranges of states
    for message, case in {
        "must have three axes": memory(more={1: octets(rng, 6, 20)}),
        "do not match X": memory(more={1: octets(rng, 1, 5, 20)}),
        "must have 1 or 20 elements": memory(more={8: floats(rng, 3)}),
        "activation must be one of": memory(activations=["Sigmoid", "Tanh", "Sine"]),
        "direction must be one of": memory(direction="sideways"),
    }.items():
        case.refused(message)


EXPERTS, HIDDEN, INNER = 4, 32, 64


def mixture(activation: str = "silu", fusion: int = 0, more: Any = None, **attrs: Any) -> Case:
    """Return MoE with weights of floats."""
    rng = np.random.default_rng(4)
    wide = 2 * INNER if fusion else INNER
    inputs: list[Array | None] = [
        floats(rng, 3, HIDDEN), floats(rng, 3, EXPERTS), floats(rng, EXPERTS, wide, HIDDEN),
        floats(rng, EXPERTS, wide), floats(rng, EXPERTS, HIDDEN, INNER),
        floats(rng, EXPERTS, HIDDEN),
    ]  # fmt: skip
    if activation == "swiglu":
        gates = {"activation_alpha": 1.7, "activation_beta": 1.0, "swiglu_limit": 2.0}
        attrs = {**gates, "swiglu_fusion": fusion, **attrs}
        if not fusion:
            inputs += [floats(rng, EXPERTS, INNER, HIDDEN), floats(rng, EXPERTS, INNER)]
    for at, value in (more or {}).items():
        inputs[at] = value
    return Case("MoE", inputs, activation_type=activation, **attrs)


def test_mixtures() -> None:
    for activation in ("relu", "gelu", "silu", "identity"):
        mixture(activation).check()
    for k, normalize in ((2, 0), (2, 1), (4, 0)):
        mixture(k=k, normalize_routing_weights=normalize).check()
        mixture("swiglu", 1, k=k, normalize_routing_weights=normalize).check()
    rng = np.random.default_rng(5)
    mixture(more={0: floats(rng, 1, 3, HIDDEN)}, k=2).check()


def test_orders_of_gates() -> None:
    """Test gates in turn and in a separate layer, which ONNX Runtime has only for GPUs."""
    wanted = mixture("swiglu", 1, k=2)
    names = ("i2", "i3")
    gates = {n: wanted.feeds[n] for n in names}
    in_turn = {int(n[1]): np.concatenate([x[:, 0::2], x[:, 1::2]], 1) for n, x in gates.items()}
    own = {int(n[1]): x[:, 0::2].copy() for n, x in gates.items()}
    own |= {int(n[1]) + 4: x[:, 1::2].copy() for n, x in gates.items()}
    rest = {int(n[1]): x for n, x in wanted.feeds.items() if n not in names}
    for fusion, layers in ((2, in_turn), (0, own)):
        case = mixture("swiglu", fusion, more=rest | layers, k=2)
        case.check(wanted=wanted.wanted(), tolerance=1e-4)


def packed_mixture(
    bits: int = 4, block: int = 32, has_zeros: bool = False, weighted: bool = False,
    more: Any = None, **attrs: Any,
) -> Case:  # fmt: skip
    """Return QMoE with gates that alternate."""
    rng = np.random.default_rng(6)
    inputs: list[Array | None] = [None] * 15
    inputs[:2] = floats(rng, 3, HIDDEN), floats(rng, 3, EXPERTS)
    for at, point, columns, rows in ((2, 11, 2 * INNER, HIDDEN), (5, 12, HIDDEN, INNER)):
        blocks = rows // block if block else 1
        scales = rng.uniform(0.01, 0.05, (EXPERTS, columns, blocks)).astype(np.float32)
        inputs[at] = octets(rng, EXPERTS, columns, rows * bits // 8)
        inputs[at + 1] = scales if block else scales[:, :, 0].copy()
        inputs[at + 2] = floats(rng, EXPERTS, columns)
        if has_zeros:
            sizes = (columns, -(-blocks * bits // 8)) if block else (-(-columns * bits // 8),)
            inputs[point] = octets(rng, EXPERTS, *sizes)
    if weighted:
        inputs[14] = rng.uniform(0.1, 1, (3, EXPERTS)).astype(np.float32)
    for at, value in (more or {}).items():
        inputs[at] = value
    while inputs[-1] is None:
        inputs.pop()
    attrs = {
        "k": 2, "normalize_routing_weights": 1, "activation_type": "swiglu", "swiglu_fusion": 1,
        "activation_alpha": 1.7, "activation_beta": 1.0, "expert_weight_bits": bits, **attrs,
    }  # fmt: skip
    if block:
        attrs["block_size"] = block
    return Case("QMoE", inputs, 1, (2, 3, 4, 5, 6, 7, 11, 12), **attrs)


def test_packed_mixtures() -> None:
    for bits, block, has_zeros in combinations((4, 8, 2), (0, 16, 32), (False, True)):
        # ONNX Runtime converts the inputs of some of these products to int8.
        exact = bits == 4 or not block or (bits, block) == (2, 16)
        packed_mixture(bits, block, has_zeros).check(tolerance=1e-5 if exact else 3e-2)
    packed_mixture(normalize_routing_weights=0).check()
    packed_mixture(weights_prepacked=0).check()
    for normalize in (0, 1):
        packed_mixture(weighted=True, normalize_routing_weights=normalize).check()


def test_refused_mixtures() -> None:
    rng = np.random.default_rng(7)
    for message, case in {
        "activation_type must be in": mixture("sine"),
        "does not match the layers": mixture("swiglu", 1, swiglu_fusion=0),
        "at most 4, got 5": mixture(k=5),
        "router_probs float32[3,5]": mixture(more={1: floats(rng, 3, 5)}),
        "input must have the shape [3, 32]": mixture(more={0: floats(rng, 3, 31)}),
        "at most 1024 experts": Case("MoE", [
            floats(rng, 1, 1), floats(rng, 1, 1025), floats(rng, 1025, 1, 1), None,
            floats(rng, 1025, 1, 1),
        ]),
        "fc2_experts_weights must have": mixture(more={4: floats(rng, EXPERTS, HIDDEN, 63)}),
        "fc1_experts_bias must have": mixture(more={3: floats(rng, EXPERTS, 63)}),
        "use_sparse_mixer is not supported": mixture(use_sparse_mixer=1),
        "quant_type is not supported": packed_mixture(quant_type="fp4"),
        "weights_prepacked is not supported": packed_mixture(weights_prepacked=1),
        "bits must be 2, 4 or 8, got 3": packed_mixture(expert_weight_bits=3),
        "at least 16, got 24": packed_mixture(block=24),
        "blocks of 128": packed_mixture(block=128),
        "must be uint8": packed_mixture(more={2: np.zeros([EXPERTS, 128, 16], np.int8)}),
        "a layer of experts must have": packed_mixture(more={5: octets(rng, EXPERTS, 32, 31)}),
        "its scales must have": packed_mixture(more={6: floats(rng, EXPERTS, 32, 3)}),
        "its zero points must": packed_mixture(more={12: octets(rng, EXPERTS, 32, 2)}),
        "router_weights float32[3,3]": packed_mixture(more={14: floats(rng, 3, 3)}),
    }.items():  # fmt: skip
        case.refused(message)


def test_signals_without_a_last_axis() -> None:
    rng = np.random.default_rng(8)
    step, length = np.array(5), np.array(20)
    for signal in (floats(rng, 2, 64), floats(rng, 2, 64, 1)):
        Case("STFT", [signal, step, floats(rng, 20), length], 1, (1, 3), domain="").check()


TESTS = (
    test_signals_without_a_last_axis, test_products, test_fused_products, test_memory,
    test_mixtures, test_orders_of_gates, test_packed_mixtures, test_refused_mixtures,
)  # fmt: skip

if __name__ == "__main__":
    for test in TESTS:
        test()
