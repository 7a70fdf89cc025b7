"""Attention with a cache of keys and values, which decoders of language models use."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.ops.attended import (
    attend,
    check_bias,
    check_rotation,
    refuse,
    root_normalized,
)
from tfpy._src.formats.onnx.reader.ops.attention import heads, rotary_embedding
from tfpy._src.formats.onnx.reader.record import operation
from tfpy._src.formats.onnx.reader.values import bounded, ints, like, tensor
from tfpy._src.tensors.array.joining import pad, split
from tfpy._src.tensors.array.reshaping import reshape, transpose
from tfpy._src.tensors.array.slicing import gather, where

_OP = "GroupQueryAttention"


class _Step(NamedTuple):
    """The sizes of one step of a decoder with a cache."""

    rows: int
    """Number of new rows, with padding."""
    total: int
    """Number of rows of the cache after the step."""
    past: Tensor | None
    """Number of rows before the step, for each example. None if there are none."""
    new: Tensor
    """Number of new rows without padding, for each example."""

    def positions(self) -> Tensor:
        """Return the positions of the new rows: [B or 1, S]."""
        plain = tensor(np.arange(self.rows, dtype=np.int32)[None])
        return plain if self.past is None else reshape(self.past, [-1, 1]) + plain

    def visible(self, causal: bool, window: int) -> Tensor:
        """Return True for the keys that a query can see: [B or 1, 1, S or 1, T].

        Args:
            causal: If True, queries do not see later keys.
            window: Maximum number of keys that a query sees, itself included; -1 for all.
        """
        keys = np.arange(self.total, dtype=np.int32)
        if not causal:
            end = self.new if self.past is None else self.past + self.new
            return p.less(keys, reshape(end, [-1, 1, 1, 1]))
        at = reshape(self.positions(), [-1, 1, self.rows, 1])
        seen = p.less_equal(keys, at)
        return seen if window < 0 else p.logical_and(seen, p.less(at - window, keys))


def _step(
    query: Tensor, past: Tensor | None, lengths: Tensor, total: int, new: Tensor | None
) -> _Step:
    batch, count, _ = query.aval.shape
    known = 0 if past is None else past.aval.shape[2]
    for name, one in (("seqlens_k", lengths), ("query_seqlens", new)):
        if one is not None and one.size != batch:
            raise invalid(_OP, f"{name} must have {batch} elements, got {one.aval}")
    if total < count or (not known and total != count):
        raise invalid(
            _OP, f"total_sequence_length is {total}, with {count} new rows and {known} before them"
        )
    bounded(_OP, (batch, total, *query.aval.shape[2:]))
    after = reshape(lengths, [-1]) + 1
    fresh = p.minimum(after, count) if new is None else reshape(new, [-1])
    return _Step(count, max(total, known), after - fresh if known else None, fresh)


def _cached(past: Tensor | None, new: Tensor, step: _Step) -> Tensor:
    """Return the cache [B, H, T, D] with the new rows [B, H, S, D]."""
    if past is None or step.past is None:
        return new
    at = np.arange(step.total, dtype=np.int32) - reshape(step.past, [-1, 1])
    inside = p.logical_and(at >= 0, at < reshape(step.new, [-1, 1]))
    if step.rows > 1:
        rows = p.minimum(p.maximum(at, 0), step.rows - 1)
        new = gather(transpose(new, [0, 2, 1, 3]), rows, axis=1, batch_dims=1)
        new = transpose(new, [0, 2, 1, 3])
    missing = step.total - past.aval.shape[2]
    if missing:
        past = pad(past, [(0, 0), (0, 0), (0, missing), (0, 0)])
    return where(reshape(inside, [-1, 1, step.total, 1]), new, past)


def _query_heads(
    query: Tensor, key: Tensor | None, value: Tensor | None, count: int, kv_count: int
) -> list[Tensor]:
    """Return the heads [B, H, S, D] of the inputs; the query may contain the other ones."""
    if count < 1 or kv_count < 1 or count % kv_count:
        raise invalid(_OP, f"{count} query heads do not match {kv_count} key heads")
    if query.ndim != 3 or (key is None) != (value is None):
        raise invalid(_OP, f"the query {query.aval} must have three axes, and a key needs a value")
    if key is None or value is None:
        size, left = divmod(query.aval.shape[-1], count + 2 * kv_count)
        if left:
            raise invalid(_OP, f"{query.aval} is not {count} + 2 · {kv_count} heads")
        query, key, value = split(query, [n * size for n in (count, kv_count, kv_count)], -1)
    inputs = ((query, count), (key, kv_count), (value, kv_count))
    q, k, v = (heads(x, n, _OP) for x, n in inputs)
    shape = (q.aval.shape[0], kv_count, *q.aval.shape[2:])
    if k.aval.shape != shape or v.aval.shape != shape:
        raise invalid(_OP, f"the key {k.aval} and the value {v.aval} must be {[*shape]}")
    return [q, k, v]


def _check_cache(past_key: Tensor | None, past_value: Tensor | None, k: Tensor) -> None:
    """Check that the past has the heads of the new keys."""
    b, h, _, d = k.aval.shape
    for one in (past_key, past_value):
        sizes = (b, h, 0, d) if one is None else one.aval.shape
        if len(sizes) != 4 or (*sizes[:2], sizes[3]) != (b, h, d):
            raise invalid(_OP, f"the past {sizes} does not match the keys {k.aval}")
    if (past_key is None) != (past_value is None):
        raise invalid(_OP, "past_key and past_value must be given together")
    if past_key is not None and past_value is not None and past_key.aval != past_value.aval:
        raise invalid(_OP, f"past_key {past_key.aval} differs from past_value {past_value.aval}")


@operation("com.microsoft.GroupQueryAttention")
def group_query_attention(
    query: Tensor, key: Tensor | None = None, value: Tensor | None = None,
    past_key: Tensor | None = None, past_value: Tensor | None = None,
    seqlens_k: Tensor | None = None, total_sequence_length: Array | None = None,
    cos_cache: Tensor | None = None, sin_cache: Tensor | None = None,
    position_ids: Tensor | None = None, attention_bias: Tensor | None = None,
    head_sink: Tensor | None = None, k_scale: Tensor | None = None, v_scale: Tensor | None = None,
    q_norm_weight: Tensor | None = None, k_norm_weight: Tensor | None = None,
    query_seqlens: Tensor | None = None, *, causal: int = 1, do_rotary: int = 0,
    k_norm_epsilon: float | None = None, k_quant_type: str = "NONE", kv_cache_bit_width: int = 0,
    kv_num_heads: int, local_window_size: int = -1, num_heads: int,
    q_norm_epsilon: float | None = None, qk_norm_epsilon: float = 1e-6, qk_output: int = 0,
    rotary_interleaved: int = 0, scale: float = 0.0, sliding_window_cache: int = 0,
    smooth_softmax: int = 0, softcap: float = 0.0, v_quant_type: str = "NONE",
) -> Any:  # fmt: skip
    """Add keys and values to a cache, and attend to it."""
    refuse(
        _OP, k_scale=k_scale, v_scale=v_scale, sliding_window_cache=sliding_window_cache,
        k_quant_type=k_quant_type != "NONE", v_quant_type=v_quant_type != "NONE",
    )  # fmt: skip
    if seqlens_k is None or total_sequence_length is None:
        raise invalid(_OP, "seqlens_k and total_sequence_length are required")
    q, k, v = _query_heads(query, key, value, num_heads, kv_num_heads)
    _check_cache(past_key, past_value, k)
    if past_key is not None and not past_key.aval.shape[2]:
        past_key = past_value = None
    total = ints(total_sequence_length)
    step = _step(query, past_key, seqlens_k, total[0] if len(total) == 1 else 0, query_seqlens)
    if q_norm_weight is not None and k_norm_weight is not None:
        q = root_normalized(q, q_norm_weight, q_norm_epsilon or qk_norm_epsilon)
        k = root_normalized(k, k_norm_weight, k_norm_epsilon or qk_norm_epsilon)
    elif q_norm_weight is not None or k_norm_weight is not None:
        raise invalid(_OP, "q_norm_weight and k_norm_weight must be given together")
    if do_rotary:
        q, k = _rotated(
            q, k, step, cos_cache, sin_cache, position_ids, rotary_interleaved,
            step.rows == total[0] and query_seqlens is None,
        )  # fmt: skip
    k, v = _cached(past_key, k, step), _cached(past_value, v, step)
    visible = step.visible(bool(causal), local_window_size)
    bias = where(visible, like(0, q), like(-math.inf, q))
    if attention_bias is not None:
        b, h, s, _ = q.aval.shape
        check_bias(_OP, attention_bias, (b, h, s, total[0]))
        bias = bias + pad(attention_bias, [(0, 0)] * 3 + [(0, step.total - total[0])])
    if smooth_softmax == 1 and head_sink is None:
        head_sink = like(np.zeros(num_heads, np.float32), q)
    if head_sink is not None and head_sink.aval.shape != (num_heads,):
        raise invalid(_OP, f"head_sink {head_sink.aval} must have {num_heads} elements")
    found = attend(q, k, v, bias, scale, softcap, head_sink)
    shown = found.shares if qk_output == 2 else found.scores
    return found.output, k, v, shown[..., : total[0]]


def _rotated(
    q: Tensor, k: Tensor, step: _Step, cos: Tensor | None, sin: Tensor | None,
    position_ids: Tensor | None, interleaved: int, is_first: bool,
) -> list[Any]:  # fmt: skip
    """Rotate queries and keys by the angles of their positions.

    In the first step, as in ONNX Runtime, `position_ids` contribute only the first position.
    """
    if cos is None or sin is None:
        raise invalid(_OP, "do_rotary requires cos_cache and sin_cache")
    half = check_rotation(_OP, cos, sin, q.aval.shape[-1])
    at, shape = step.positions(), (q.aval.shape[0], step.rows)
    if position_ids is not None and position_ids.aval.shape != shape:
        raise invalid(_OP, f"position_ids {position_ids.aval} must have the shape {[*shape]}")
    if position_ids is not None:
        at = at + position_ids[0, 0] if is_first else position_ids
    if step.past is None and step.rows > cos.aval.shape[0]:
        raise invalid(_OP, f"{step.rows} rows exceed the angles of {cos.aval.shape[0]} positions")
    return [
        rotary_embedding(
            x, cos, sin, at, interleaved=interleaved, rotary_embedding_dim=2 * half
        )
        for x in (q, k)
    ]  # fmt: skip
