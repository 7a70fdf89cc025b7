"""Attention of the domain com.microsoft, compared with ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onnx_suite.one_node import Array, Case, floats

HEADS, KEYS, SIZE = 4, 2, 16


class Step:
    """Inputs of GroupQueryAttention for one step of a decoder.

    Args:
        new: Number of new rows, with padding.
        ends: Number of rows of the cache after the step, for each example.
        past: Number of rows of the past, or None if there is none.
        packed: If True, the query contains the keys and values.
        valid: Number of new rows without padding, for each example, as an input of the node.
        more: Further inputs by position, and attributes.
    """

    def __init__(
        self, new: int, ends: Sequence[int], past: int | None, packed: bool = False,
        valid: Sequence[int] | None = None, outputs: int = 3, more: Any = None, **attrs: Any,
    ) -> None:  # fmt: skip
        rng, batch = np.random.default_rng(0), len(ends)
        total = max(ends) if past else new
        self._ends = ends
        self._valid = [min(new, end) for end in ends] if valid is None else list(valid)
        wide = HEADS * SIZE, KEYS * SIZE
        inputs: list[Array | None] = [None] * 17
        inputs[0] = floats(rng, batch, new, wide[0] + 2 * wide[1] if packed else wide[0])
        if not packed:
            inputs[1:3] = floats(rng, batch, new, wide[1]), floats(rng, batch, new, wide[1])
        if past is not None:
            cache = batch, KEYS, past, SIZE
            inputs[3:5] = floats(rng, *cache), floats(rng, *cache)
        inputs[5] = np.array(ends, np.int32) - 1
        inputs[6] = np.array([total], np.int32)
        if attrs.get("do_rotary"):
            inputs[7:9] = floats(rng, 40, SIZE // 2), floats(rng, 40, SIZE // 2)
        if valid is not None:
            inputs[16] = np.array(valid, np.int32)
        for at, value in (more or {}).items():
            inputs[at] = value
        while inputs[-1] is None:
            inputs.pop()
        self.inputs, self.outputs = inputs, outputs
        self.attrs = {"num_heads": HEADS, "kv_num_heads": KEYS, **attrs}

    def case(self) -> Case:
        return Case("GroupQueryAttention", self.inputs, self.outputs, **self.attrs)

    def mask(self, output: int, x: Array) -> Array:
        """Clear the rows of padding, and the scores of keys that a query does not see."""
        x = x.copy()
        for b, (end, valid) in enumerate(zip(self._ends, self._valid, strict=True)):
            if output == 0:
                x[b, valid:] = 0
            elif output < 3:
                x[b, :, end:] = 0
            else:
                rows = np.arange(x.shape[2])[:, None]
                later = np.arange(x.shape[3]) > rows + end - valid
                x[b] = np.where(later | (rows >= valid), 0, x[b])
        return x


def test_caches() -> None:
    """Test the first step, growing caches and buffers, with examples of equal and other lengths."""
    for how in ({}, {"do_rotary": 1}, {"do_rotary": 1, "rotary_interleaved": 1}):
        for new, ends, past in (
            (5, [5, 5], None), (5, [5], 0), (5, [5, 5], 12), (5, [5, 3, 4], 12), (1, [7, 7], 6),
            (1, [7, 4], 6), (1, [7, 4], 12), (3, [9], 6), (3, [9], 12), (1, [1], 0),
        ):  # fmt: skip
            step = Step(new, ends, past, **how)
            step.case().check(step.mask)


def test_group_query_attention() -> None:
    rng = np.random.default_rng(1)
    sink = {11: floats(rng, HEADS)}
    for step in (
        Step(3, [9], 6, packed=True, do_rotary=1),
        Step(3, [9], 6, scale=0.7),
        Step(3, [9], 6, softcap=2.0),
        Step(3, [9], 6, smooth_softmax=1),
        Step(3, [9], 6, more=sink),
        Step(4, [4, 3], None, more=sink, softcap=1.5, local_window_size=2),
        *(Step(new, [end], past, local_window_size=4) for new, end, past in (
            (1, 10, 9), (9, 9, None), (3, 12, 20)
        )),
        Step(3, [9], 6, more={10: floats(rng, 1, HEADS, 3, 9)}),
        Step(1, [7, 7], 6, more={10: floats(rng, 2, 1, 1, 7)}),
        Step(3, [3], 12, more={10: floats(rng, 1, 1, 3, 3)}),
        Step(3, [9], 6, causal=0),
        Step(5, [5, 3], 12, causal=0),
        Step(4, [7, 9], 20, valid=[2, 4], do_rotary=1),
        Step(4, [7, 9], 20, valid=[0, 3], do_rotary=1),
        *(Step(3, [9], 6, outputs=4, qk_output=kind, more=sink) for kind in (1, 2)),
        Step(3, [9], 12, outputs=4, qk_output=1, softcap=1.0),
    ):  # fmt: skip
        step.case().check(step.mask)
    for new, ends, past, at in (
        (1, [7, 7], 6, [[3], [9]]), (3, [9], 6, [[3, 9, 1]]), (3, [3, 3], None, [[3, 9, 1]] * 2)
    ):  # fmt: skip
        step = Step(new, ends, past, do_rotary=1, more={9: np.array(at, np.int64)})
        step.case().check(step.mask)


def test_normalized_heads() -> None:
    """Test norms of queries and keys, which ONNX Runtime does not have for CPUs."""
    rng = np.random.default_rng(2)
    weights = floats(rng, SIZE), floats(rng, SIZE)
    plain = Step(3, [9], 6)
    found = Step(3, [9], 6, more=dict(zip((14, 15), weights, strict=True)), qk_norm_epsilon=1e-3)
    for at, weight in enumerate(weights):
        x = plain.inputs[at]
        assert x is not None
        y = x.reshape(*x.shape[:2], -1, SIZE)
        y = y / np.sqrt((y**2).mean(-1, keepdims=True) + 1e-3) * weight
        plain.inputs[at] = y.reshape(x.shape)
    found.case().check(wanted=plain.case().wanted())


def test_refused_group_query_attention() -> None:
    rng = np.random.default_rng(3)
    cache = floats(rng, 1, KEYS, 6, SIZE)
    for message, step in {
        "4 query heads do not match 3 key heads": Step(3, [9], 6, kv_num_heads=3),
        "0 query heads": Step(3, [9], 6, num_heads=0),
        "cannot have 7 heads": Step(3, [9], 6, num_heads=7, kv_num_heads=7),
        "is not 5 + 2 · 5 heads": Step(3, [9], 6, packed=True, num_heads=5, kv_num_heads=5),
        "sliding_window_cache is not supported": Step(3, [9], 6, sliding_window_cache=1),
        "k_quant_type is not supported": Step(3, [9], 6, k_quant_type="PER_TENSOR"),
        "v_scale is not supported": Step(3, [9], 6, more={13: floats(rng, 1)}),
        "total_sequence_length is 2": Step(3, [9], 6, more={6: np.array([2], np.int32)}),
        "invalid shape": Step(3, [9], 6, more={6: np.array([1 << 30], np.int32)}),
        "with 3 new rows and 0 before": Step(3, [9], None, more={6: np.array([9], np.int32)}),
        "seqlens_k must have 1 elements": Step(3, [9], 6, more={5: np.zeros(2, np.int32)}),
        "query_seqlens must have 1": Step(3, [9], 6, more={16: np.zeros(2, np.int32)}),
        "do_rotary requires": Step(3, [9], 6, do_rotary=1, more={8: None}),
        "must be alike": Step(3, [9], 6, do_rotary=1, more={8: floats(rng, 40, 3)}),
        "9 angles do not match": Step(3, [9], 6, do_rotary=1, more=dict.fromkeys(
            (7, 8), floats(rng, 40, 9)
        )),
        "exceed the angles of 2": Step(3, [3], None, do_rotary=1, more=dict.fromkeys(
            (7, 8), floats(rng, 2, 8)
        )),
        "position_ids": Step(3, [9], 6, do_rotary=1, more={9: np.zeros([1, 2], np.int64)}),
        "attention_bias": Step(3, [9], 6, more={10: floats(rng, 1, 3, 3, 9)}),
        "head_sink": Step(3, [9], 6, more={11: floats(rng, 3)}),
        "does not match the keys": Step(3, [9], 6, more={3: floats(rng, 1, KEYS, 6, 8)}),
        "differs from past_value": Step(3, [9], 6, more={3: floats(rng, 1, KEYS, 7, SIZE)}),
        "past_key and past_value": Step(3, [9], 6, more={3: None, 4: cache}),
        "a key needs a value": Step(3, [9], 6, more={2: None}),
        "must be [1, 2, 3, 16]": Step(3, [9], 6, more={2: floats(rng, 1, 4, KEYS * SIZE)}),
        "must be given together": Step(3, [9], 6, more={14: floats(rng, SIZE)}),
    }.items():  # fmt: skip
        step.case().refused(message)


def multi_head(
    new: int = 3, keys: int = 5, past: int = 0, values: int = 8, has_heads: bool = False,
    has_bias: bool = False, mask: Any = None, bias: tuple[int, int] | None = None,
    outputs: int = 1, **attrs: Any,
) -> Case:  # fmt: skip
    """Return MultiHeadAttention of two examples with two heads of size 8."""
    rng = np.random.default_rng(4)
    q = floats(rng, 2, new, 16)
    if has_heads:
        k, v = floats(rng, 2, 2, keys, 8), floats(rng, 2, 2, keys, values)
    else:
        k, v = floats(rng, 2, keys, 16), floats(rng, 2, keys, 2 * values)
    inputs = [
        q, k, v, floats(rng, 32 + 2 * values) if has_bias else None,
        None if mask is None else np.array(mask, np.int32),
        None if bias is None else floats(rng, *bias, new, keys + past),
        *([floats(rng, 2, 2, past, 8), floats(rng, 2, 2, past, values)] if past else ()),
    ]  # fmt: skip
    return Case("MultiHeadAttention", inputs, outputs, **{"num_heads": 2, **attrs})


MASKS = {
    "lengths": [3, 5],
    "cumulative lengths": [3, 5, 0, 3, 6, 0, 3, 8],
    "keys": [[1, 0, 1, 1, 0], [1, 1, 1, 1, 0]],
    "queries": [[[1, 0, 1, 1, 0]] * 3, [[1, 1, 1, 1, 0], [0, 1, 1, 1, 1], [0, 0, 0, 0, 1]]],
    "nothing": [[0] * 5, [1] * 5],
}


def test_multi_head_attention() -> None:
    for case in (
        multi_head(), multi_head(has_bias=True), multi_head(values=4, has_bias=True),
        multi_head(scale=0.3), multi_head(outputs=3), multi_head(has_heads=True),
        multi_head(past=4, outputs=3, has_bias=True), multi_head(has_heads=True, has_bias=True),
        multi_head(bias=(1, 1)), multi_head(bias=(2, 2), mask=MASKS["lengths"]),
        *(multi_head(mask=mask, mask_filter_value=-1.0, outputs=4) for mask in MASKS.values()),
        multi_head(mask=MASKS["nothing"]), multi_head(bias=(2, 1), outputs=4),
        multi_head(past=2, outputs=3, mask=[[1, 0, 1, 1, 0, 1, 1], [1] * 7]),
        multi_head(new=5, unidirectional=1), multi_head(new=1, unidirectional=1),
        multi_head(new=5, past=3, outputs=3, unidirectional=1),
        multi_head(new=5, unidirectional=1, mask=MASKS["lengths"]),
    ):  # fmt: skip
        case.check()


def test_packed_heads() -> None:
    """Test packed inputs, which ONNX Runtime does not have for CPUs."""
    rng = np.random.default_rng(5)
    packed, bias = floats(rng, 2, 5, 2, 3, 8), floats(rng, 48)
    q, k, v = (packed[:, :, :, i].reshape(2, 5, 16) for i in range(3))
    for more in ([], [None, None, bias]):
        wanted = Case("MultiHeadAttention", [q, k, v, *more[2:]], num_heads=2).wanted()
        Case("MultiHeadAttention", [packed, *more], num_heads=2).check(wanted=wanted)
    wanted = Case("MultiHeadAttention", [q, k, v], num_heads=2).wanted()
    Case("MultiHeadAttention", [q, packed[:, :, :, 1:]], num_heads=2).check(wanted=wanted)


def projected(
    hidden: int = 16, values: int = 16, past: int = 0, mask: Any = None, bias: Any = None,
    outputs: int = 1, **attrs: Any,
) -> Case:  # fmt: skip
    """Return Attention of two examples with two heads."""
    rng = np.random.default_rng(6)
    wide = 2 * hidden + values
    if values != hidden:
        attrs["qkv_hidden_sizes"] = [hidden, hidden, values]
    inputs = [
        floats(rng, 2, 4, 6), floats(rng, 6, wide), floats(rng, wide),
        None if mask is None else np.array(mask, np.int32),
        floats(rng, 2, 2, 2, past, hidden // 2) if past else None,
        None if bias is None else floats(rng, *bias, 4, 4 + past),
    ]  # fmt: skip
    return Case("Attention", inputs, outputs, **{"num_heads": 2, **attrs})


def test_attention() -> None:
    rng = np.random.default_rng(7)
    for case in (
        projected(), projected(values=8), projected(outputs=2), projected(past=3, outputs=2),
        projected(unidirectional=1), projected(unidirectional=1, past=3, outputs=2),
        projected(mask=[2, 4]), projected(mask=[3, 4, 1, 0], mask_filter_value=-1.0),
        projected(mask=[[1, 0, 1, 1], [1, 1, 1, 0]], mask_filter_value=-1.0),
        projected(mask=rng.integers(0, 2, (2, 4, 4)), mask_filter_value=-1.0),
        projected(mask=rng.integers(0, 2, (2, 6)), past=2, outputs=2),
        projected(bias=(2, 2)), projected(bias=(1, 1), unidirectional=1), projected(scale=0.2),
    ):  # fmt: skip
        case.check()


def test_refused_attention() -> None:
    rng = np.random.default_rng(8)
    for message, case in {
        "cannot have 3 heads": multi_head(num_heads=3),
        "(0)": multi_head(num_heads=0),
        "mask int32[3] does not match": multi_head(mask=[1] * 3),
        "mask int32[2,4] does not": multi_head(mask=[[1] * 4] * 2),
        "attention_bias": multi_head(bias=(2, 3)),
        "3 unidirectional queries": multi_head(unidirectional=1),
        "the bias float32[3]": Case(
            "MultiHeadAttention", [*[floats(rng, 2, 3, 16)] * 3, floats(rng, 3)], num_heads=2
        ),
        "the past float32[2,2,4,7] does not match": Case(
            "MultiHeadAttention", [*[floats(rng, 2, 3, 16)] * 3, *[None] * 3,
            *[floats(rng, 2, 2, 4, 7)] * 2], num_heads=2
        ),
        "has no matching key": Case(
            "MultiHeadAttention", [floats(rng, 2, 3, 2, 2, 8)], num_heads=2
        ),
        "and values float32[2,2,4,8] do not match": Case(
            "MultiHeadAttention",
            [floats(rng, 2, 3, 16), floats(rng, 2, 5, 16), floats(rng, 2, 4, 16)], num_heads=2
        ),
        "past_sequence_length is not supported": Case(
            "MultiHeadAttention",
            [*[floats(rng, 2, 3, 16)] * 3, *[None] * 5, np.zeros(1, np.int32)], num_heads=2
        ),
        "do_rotary is not supported": projected(do_rotary=1),
        "past_present_share_buffer is not": projected(past_present_share_buffer=1),
        "qkv_hidden_sizes are [16, 15, 17]": projected(qkv_hidden_sizes=[16, 15, 17]),
        "qkv_hidden_sizes are [16, 16]": projected(qkv_hidden_sizes=[16, 16]),
        "do not match float32[2,4,6]": projected(qkv_hidden_sizes=[16, 16, 32]),
        "must have 5 axes": Case(
            "Attention", [floats(rng, 2, 4, 6), floats(rng, 6, 48), None, None, floats(rng, 2)],
            num_heads=2
        ),
    }.items():  # fmt: skip
        case.refused(message)


def rotary(*shape: int, at: Any, angles: int = 8, **attrs: Any) -> Case:
    rng = np.random.default_rng(9)
    caches = floats(rng, 9, angles), floats(rng, 9, angles)
    return Case("RotaryEmbedding", [floats(rng, *shape), np.array(at), *caches], **attrs)


def test_rotary_embedding() -> None:
    each = [[0, 1, 2], [4, 5, 6]]
    for case in (
        rotary(2, 3, 32, at=each), rotary(2, 3, 32, at=[4]), rotary(2, 2, 3, 16, at=each),
        rotary(2, 3, 32, at=[4], interleaved=1), rotary(2, 3, 32, at=[4], num_heads=2),
        rotary(2, 3, 32, at=[4], angles=4, num_heads=2, rotary_embedding_dim=8),
        rotary(2, 2, 3, 16, at=[4], angles=4, num_heads=2, rotary_embedding_dim=8),
        rotary(2, 3, 32, at=each, is_packed_batching=1), rotary(1, 1, 32, at=[[5]]),
    ):  # fmt: skip
        case.check()
    for message, case in {
        "scale is not supported": rotary(2, 3, 32, at=[4], scale=2.0),
        "must have 3 or 4 axes": rotary(2, 32, at=[4]),
        "position_ids int32[3] must have": rotary(2, 3, 32, at=[1, 2, 3]),
        "8 angles do not match": rotary(2, 2, 3, 8, at=[4]),
        "cannot have 3 heads": rotary(2, 3, 32, at=[4], angles=4, num_heads=3),
        "is not in [0, 9)": rotary(2, 3, 32, at=[8]),
    }.items():
        case.refused(message)


TESTS = (
    test_caches, test_group_query_attention, test_normalized_heads,
    test_refused_group_query_attention, test_multi_head_attention, test_packed_heads,
    test_attention, test_refused_attention, test_rotary_embedding,
)  # fmt: skip

if __name__ == "__main__":
    for test in TESTS:
        test()
