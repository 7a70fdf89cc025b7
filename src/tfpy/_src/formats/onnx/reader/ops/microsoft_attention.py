"""Attention with several heads and rotary embeddings of the domain com.microsoft."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.onnx.reader.ops.attended import attend, check_bias, check_rotation, refuse
from tfpy._src.formats.onnx.reader.ops.attention import heads, rotary_embedding
from tfpy._src.formats.onnx.reader.ops.linear import product
from tfpy._src.formats.onnx.reader.record import Ints, operation
from tfpy._src.formats.onnx.reader.values import like
from tfpy._src.tensors.array.joining import concat, split, stack
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import where

_FILTER = -10000.0
"""Default of the number that is added to the scores of masked keys."""


@operation("com.microsoft.RotaryEmbedding")
def rotary_embedding_microsoft(
    x: Tensor, position_ids: Tensor, cos_cache: Tensor, sin_cache: Tensor, *, interleaved: int = 0,
    is_packed_batching: int = 0, num_heads: int = 0, rotary_embedding_dim: int = 0,
    scale: float = 1.0,
) -> Any:  # fmt: skip
    """Rotate pairs of elements. A single position is the first one of each sequence."""
    op = "RotaryEmbedding"
    refuse(op, scale=scale != 1)
    if x.ndim not in (3, 4) or cos_cache.ndim != 2:
        raise invalid(op, f"the input {x.aval} must have 3 or 4 axes, cos_cache {cos_cache.aval} 2")
    wide = x.aval.shape[-1]
    if x.ndim == 3:
        size = wide // num_heads if num_heads > 0 else 2 * cos_cache.aval.shape[1]
        num_heads = wide // max(size, 1)
        wide = size
    half = check_rotation(op, cos_cache, sin_cache, wide, rotary_embedding_dim)
    batch, count = x.aval.shape[0], x.aval.shape[-2]
    at = position_ids
    if at.size == 1:
        at = reshape(at, [1, 1]) + np.arange(count, dtype=np.int32)
    elif at.aval.shape != (batch, count):
        raise invalid(op, f"position_ids {at.aval} must have the shape {[batch, count]}")
    return rotary_embedding(
        x, cos_cache, sin_cache, at, interleaved=interleaved, num_heads=num_heads,
        rotary_embedding_dim=2 * half,
    )  # fmt: skip


def _masked(
    op: str, mask: Tensor | None, batch: int, count: int, total: int, lowest: float, like_: Tensor
) -> Tensor | None:
    """Return the numbers that a padding mask adds to the scores: [B, 1, S or 1, T].

    Args:
        op: Name of the operation.
        mask: One of the forms of a mask: the number of keys of each example, in front of other
            numbers or of the first keys; or 1 for visible keys [B, T] or [B, S, T].
        batch: Number of examples.
        count: Number of queries.
        total: Number of keys.
        lowest: Number for masked keys.
        like_: Tensor with the dtype of the scores.

    Raises:
        InvalidArgumentError: If the mask has another form.
    """
    if mask is None:
        return None
    sizes = mask.aval.shape
    keys = np.arange(total, dtype=np.int32)
    if len(sizes) == 1 and sizes[0] in (batch, 2 * batch, 3 * batch + 2):
        seen = p.less(keys, reshape(mask[:batch], [-1, 1]))
        if sizes[0] == 2 * batch:
            first = p.greater_equal(keys, reshape(mask[batch:], [-1, 1]))
            seen = p.logical_and(seen, first)
        seen = reshape(seen, [batch, 1, 1, total])
    elif sizes == (batch, total):
        seen = reshape(mask > 0, [batch, 1, 1, total])
    elif sizes == (batch, count, total):
        seen = reshape(mask > 0, [batch, 1, count, total])
    else:
        raise invalid(op, f"the mask {mask.aval} does not match {[batch, count, total]}")
    return where(seen, like(0, like_), like(lowest, like_))


def _bias(
    op: str, q: Tensor, k: Tensor, mask: Tensor | None, added: Tensor | None, lowest: float,
    past: int | None,
) -> Tensor | None:  # fmt: skip
    """Return the sum of the numbers that masks and a bias add to the scores.

    Args:
        op: Name of the operation.
        q: Queries [B, H, S, D].
        k: Keys [B, H, T, D].
        mask: Padding mask.
        added: Bias.
        lowest: Number for masked keys.
        past: Number of earlier keys. If None, a query sees later keys.
    """
    b, h, s, _ = q.aval.shape
    total = k.aval.shape[2]
    check_bias(op, added, (b, h, s, total))
    parts = [_masked(op, mask, b, s, total, lowest, q), added]
    if past is not None and s > 1:
        later = np.arange(total) > np.arange(past, past + s)[:, None]
        least = float(np.finfo(np.float16 if q.dtype.name == "float16" else np.float32).min)
        parts.append(like(np.where(later, np.float32(least), np.float32(0)), q))
    found: Tensor | None = None
    for part in parts:
        if part is not None:
            found = part if found is None else found + part
    return found


def _past_of(op: str, q: Tensor, k: Tensor, new: int) -> int:
    """Return the number of earlier keys; the queries belong to the last `new` keys."""
    if q.aval.shape[2] not in (1, new):
        raise invalid(op, f"{q.aval.shape[2]} unidirectional queries do not match {new} new keys")
    return int(k.aval.shape[2]) - new


def _with_past(op: str, past: Tensor | None, new: Tensor) -> Tensor:
    """Return a cache [B, H, T, D] with new rows behind the earlier ones."""
    if past is None:
        return new
    b, h, _, d = new.aval.shape
    sizes = past.aval.shape
    if len(sizes) != 4 or (sizes[0], sizes[1], sizes[3]) != (b, h, d):
        raise invalid(op, f"the past {past.aval} does not match {new.aval}")
    return concat([past, new], 2)


def _three(
    op: str, query: Tensor, key: Tensor | None, value: Tensor | None, count: int
) -> list[Tensor]:
    """Return queries, keys and values; keys and values may be packed in the inputs before them."""
    if query.ndim == 5 and key is None and value is None:
        packed = [query[:, :, :, i] for i in range(query.aval.shape[3])]
    elif key is not None and key.ndim == 5 and value is None:
        packed = [query, *(key[:, :, :, i] for i in range(key.aval.shape[3]))]
    elif key is not None and value is not None:
        packed = [query, key, value]
    else:
        packed = []
    if len(packed) != 3 or count < 1:
        raise invalid(op, f"the query {query.aval} has no matching key, value and heads ({count})")
    shapes = [x.aval.shape for x in packed]
    if query.ndim == 5 or (key is not None and key.ndim == 5):
        pairs = zip(packed, shapes, strict=True)
        packed = [x if len(n) == 3 else reshape(x, [n[0], n[1], -1]) for x, n in pairs]
    return packed


@operation("com.microsoft.MultiHeadAttention")
def multi_head_attention(
    query: Tensor, key: Tensor | None = None, value: Tensor | None = None,
    bias: Tensor | None = None, key_padding_mask: Tensor | None = None,
    attention_bias: Tensor | None = None, past_key: Tensor | None = None,
    past_value: Tensor | None = None, past_sequence_length: Tensor | None = None,
    cache_indirection: Tensor | None = None, *, mask_filter_value: float = _FILTER,
    num_heads: int, scale: float = 0.0, unidirectional: int = 0,
) -> Any:  # fmt: skip
    """Attend to keys and values, which may follow the keys and values of a cache."""
    op = "MultiHeadAttention"
    refuse(op, past_sequence_length=past_sequence_length, cache_indirection=cache_indirection)
    packed = _three(op, query, key, value, num_heads)
    if bias is not None:
        packed = _biased(op, packed, bias, num_heads)
    q, k, v = (heads(x, num_heads, op) for x in packed)
    before = k.aval.shape[2]
    k, v = _with_past(op, past_key, k), _with_past(op, past_value, v)
    _check_heads(op, q, k, v)
    past = _past_of(op, q, k, before) if unidirectional else None
    added = _bias(op, q, k, key_padding_mask, attention_bias, mask_filter_value, past)
    found = attend(q, k, v, added, scale)
    return found.output, k, v, found.scores


def _biased(op: str, packed: list[Tensor], bias: Tensor, count: int) -> list[Tensor]:
    """Add the biases of projections. Keys and values that have heads already contain them."""
    sizes = [x.aval.shape[-1] * (count if x.ndim == 4 else 1) for x in packed]
    if bias.aval.shape != (sum(sizes),):
        raise invalid(op, f"the bias {bias.aval} does not match inputs of the sizes {sizes}")
    pairs = zip(packed, split(bias, sizes, 0), strict=True)
    return [x if x.ndim == 4 else x + one for x, one in pairs]


def _check_heads(op: str, q: Tensor, k: Tensor, v: Tensor) -> None:
    b, h, _, d = q.aval.shape
    shape = (b, h, k.aval.shape[2])
    if k.aval.shape != (*shape, d) or v.aval.shape[:3] != shape:
        raise invalid(op, f"the queries {q.aval}, keys {k.aval} and values {v.aval} do not match")


@operation("com.microsoft.Attention")
def attention_microsoft(
    x: Tensor, weights: Tensor, bias: Tensor | None = None, mask_index: Tensor | None = None,
    past: Tensor | None = None, attention_bias: Tensor | None = None,
    past_sequence_length: Tensor | None = None, *, do_rotary: int = 0,
    mask_filter_value: float = _FILTER, num_heads: int, past_present_share_buffer: int = 0,
    qkv_hidden_sizes: Ints | None = None, rotary_embedding_dim: int = 0, scale: float = 0.0,
    unidirectional: int = 0,
) -> Any:  # fmt: skip
    """Project the input to queries, keys and values, and attend."""
    op = "Attention"
    refuse(
        op, do_rotary=do_rotary, past_present_share_buffer=past_present_share_buffer,
        past_sequence_length=past_sequence_length,
    )  # fmt: skip
    wide = weights.aval.shape[-1]
    sizes = qkv_hidden_sizes or (wide // 3,) * 3
    if num_heads < 1 or len(sizes) != 3 or min(sizes) < 1 or any(n % num_heads for n in sizes):
        raise invalid(op, f"qkv_hidden_sizes are {list(sizes)[:8]}, for {num_heads} heads")
    if x.ndim != 3 or weights.aval.shape != (x.aval.shape[-1], sum(sizes)):
        raise invalid(op, f"the weights {weights.aval} do not match {x.aval} and {list(sizes)}")
    y = product(x, weights)
    y = y if bias is None else y + bias
    q, k, v = (heads(one, num_heads, op) for one in split(y, list(sizes), -1))
    before = k.aval.shape[2]
    if past is not None:
        if past.ndim != 5 or past.aval.shape[0] != 2:
            raise invalid(op, f"the past {past.aval} must have 5 axes, the first one of size 2")
        k, v = _with_past(op, past[0], k), _with_past(op, past[1], v)
    _check_heads(op, q, k, v)
    later = _past_of(op, q, k, before) if unidirectional else None
    added = _bias(op, q, k, mask_index, attention_bias, mask_filter_value, later)
    y = attend(q, k, v, added, scale).output
    return y, stack([k, v]) if k.aval == v.aval else None
