"""Attention and rotary embeddings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.onnx.reader.ops.control import steps
from tfpy._src.formats.onnx.reader.record import operation
from tfpy._src.formats.onnx.reader.values import dtype_of, like, tensor
from tfpy._src.tensors.array.joining import concat, pad, repeat, split, stack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import expand_dims, reshape, transpose
from tfpy._src.tensors.array.slicing import gather, where
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.reductions import reduce_max, reduce_sum
from tfpy._src.tensors.nn.activations import softmax


def heads(x: Tensor, count: int | None, op: str) -> Tensor:
    """Reshape [B, T, H·D] to [B, H, T, D]; a tensor with four axes stays as it is."""
    if x.ndim == 4:
        return x
    if x.ndim != 3 or not count or count < 1 or x.aval.shape[-1] % count:
        raise invalid(op, f"an input of shape {list(x.aval.shape)} cannot have {count} heads")
    b, t, wide = x.aval.shape
    return transpose(reshape(x, [b, t, count, wide // count]), [0, 2, 1, 3])


def _distances(queries: int, keys: int, offset: Any) -> Any:
    """Return the distances from keys to queries: [queries, keys], or with a batch axis in front."""
    plain = np.arange(queries)[:, None] - np.arange(keys)[None]
    if isinstance(offset, int):
        return plain + offset
    return reshape(offset, [-1, 1, 1, 1]) + plain.astype(np.int32)


def _bias(
    mask: Tensor | None, shape: tuple[int, int], offset: Any, causal: bool, window: tuple[int, int],
    lengths: Tensor | None, kind: Tensor,
) -> Tensor | None:  # fmt: skip
    """Return the bias of the scores, with -inf at masked keys, or None without a mask."""
    lowest = like(-math.inf, kind)
    found: Tensor | None = None
    if mask is not None:
        missing = shape[1] - mask.aval.shape[-1]
        found = where(mask, like(0, kind), lowest) if mask.dtype.is_bool else cast(mask, kind.dtype)
        if missing > 0:
            pads = [(0, 0)] * (mask.ndim - 1) + [(0, missing)]
            found = pad(found, pads, constant_values=lowest)
    kept: list[Any] = []
    far = _distances(*shape, offset)
    if causal:
        kept.append(far >= 0)
    if window[0] >= 0:
        kept.append(far <= window[0])
    if window[1] >= 0:
        kept.append(far >= -window[1])
    if lengths is not None:
        kept.append(np.arange(shape[1], dtype=np.int32) < reshape(lengths, [-1, 1, 1, 1]))
    for one in kept:
        part = where(tensor(one), like(0, kind), lowest)
        found = part if found is None else found + part
    return found


@operation("Attention")
def attention(
    q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None = None,
    past_key: Tensor | None = None, past_value: Tensor | None = None,
    nonpad_kv_seqlen: Tensor | None = None, *, is_causal: int = 0, kv_num_heads: int | None = None,
    left_window_size: int = -1, q_num_heads: int | None = None, qk_matmul_output_mode: int = 0,
    right_window_size: int = -1, scale: float | None = None, softcap: float = 0.0,
    softmax_precision: int | None = None, node: Node,
) -> Any:  # fmt: skip
    flat = q.ndim == 3
    q, k, v = (
        heads(x, n, "Attention")
        for x, n in ((q, q_num_heads), (k, kv_num_heads), (v, kv_num_heads))
    )
    if past_key is not None and past_value is not None:
        k, v = concat([past_key, k], 2), concat([past_value, v], 2)
    present = k, v
    groups, left = divmod(q.aval.shape[1], k.aval.shape[1])
    if left or k.aval.shape[1] != v.aval.shape[1]:
        raise invalid(
            "Attention", f"{q.aval.shape[1]} query heads do not match {k.aval.shape[1]} key heads"
        )
    if groups > 1:
        k, v = repeat(k, groups, 1), repeat(v, groups, 1)
    shape = q.aval.shape[2], k.aval.shape[2]
    offset: Any = 0 if past_key is None else past_key.aval.shape[2]
    if past_key is None and nonpad_kv_seqlen is not None:
        offset = cast(nonpad_kv_seqlen, "int32") - shape[0]
    factor = like(math.sqrt(1 / math.sqrt(q.aval.shape[-1]) if scale is None else scale), q)
    scores = matmul(q * factor, k * factor, transpose_b=True)
    if softcap > 0:
        scores = p.tanh(scores / like(softcap, q)) * like(softcap, q)
    window = left_window_size, right_window_size
    bias = _bias(attn_mask, shape, offset, bool(is_causal), window, nonpad_kv_seqlen, q)
    shown, biased = scores, scores if bias is None else scores + bias
    if softmax_precision is not None:
        biased = cast(biased, dtype_of(softmax_precision, "Attention"))
    shares = cast(softmax(biased, -1), q.dtype)
    if bias is not None:
        nothing = p.equal(reduce_max(bias, -1, True), like(-math.inf, q))
        shares = where(nothing, like(0, q), shares)
    y = matmul(shares, v)
    if flat:
        y = reshape(transpose(y, [0, 2, 1, 3]), [y.aval.shape[0], y.aval.shape[2], -1])
    shown = {2: biased, 3: shares}.get(qk_matmul_output_mode, shown)
    return y, *present, cast(shown, q.dtype)


@operation("ai.onnx.preview.FlexAttention")
def flex_attention(
    q: Tensor, k: Tensor, v: Tensor, *, prob_mod: NodeGraph | None = None,
    scale: float | None = None, score_mod: NodeGraph | None = None,
    softmax_precision: int | None = None, scope: Scope,
) -> Any:  # fmt: skip
    """Compute attention with subgraphs that modify scores and probabilities."""
    groups = q.aval.shape[1] // k.aval.shape[1]
    if groups > 1:
        k, v = repeat(k, groups, 1), repeat(v, groups, 1)
    kind = dtype_of(softmax_precision or 1, "FlexAttention")
    factor = 1 / math.sqrt(q.aval.shape[-1]) if scale is None else scale
    scores = cast(matmul(q, k, transpose_b=True), kind)
    scores = scores * like(factor, scores)
    if score_mod is not None:
        (scores,) = scope.call_inside(score_mod, [scores])
    shares = softmax(tensor(scores), -1)
    if prob_mod is not None:
        (shares,) = scope.call_inside(prob_mod, [shares])
    return matmul(cast(shares, q.dtype), v)


@operation("LinearAttention")
def linear_attention(
    query: Tensor, key: Tensor, value: Tensor, past: Tensor | None = None,
    decay: Any = None, beta: Tensor | None = None, *, chunk_size: int = 64,
    kv_num_heads: int, q_num_heads: int, scale: float = 0.0, update_rule: str = "gated_delta",
) -> Any:  # fmt: skip
    """Compute attention with a state that each step decays, corrects and updates."""
    dtype, kept = query.dtype, (query if past is None else past).dtype
    q = heads(cast(query, "float32"), q_num_heads, "LinearAttention")
    k, v = (heads(cast(x, "float32"), kv_num_heads, "LinearAttention") for x in (key, value))
    b, _, count, d_k = k.aval.shape
    d_v, groups = v.aval.shape[-1], q_num_heads // kv_num_heads
    gated, corrected = "gated" in update_rule, "delta" in update_rule
    if update_rule not in ("linear", "gated", "delta", "gated_delta"):
        raise invalid("LinearAttention", f"unknown update_rule {update_rule!r}")
    if gated != (decay is not None) or corrected != (beta is not None):
        raise invalid(
            "LinearAttention", f"decay or beta does not match the update_rule {update_rule!r}"
        )
    fades = heads(cast(decay, "float32"), kv_num_heads, "LinearAttention") if gated else None
    rates = None
    if beta is not None:
        rates = heads(cast(beta, "float32"), beta.aval.shape[-1], "LinearAttention")
    state = tensor(np.zeros([b, kv_num_heads, d_k, d_v], np.float32)) if past is None else past
    factor = scale or 1 / math.sqrt(d_k)

    def step(i: Any, states: list[Any]) -> tuple[list[Any], list[Any]]:
        (s,) = states
        q_t, k_t, v_t = (gather(x, i, axis=2) for x in (q, k, v))
        if fades is not None:
            s = s * expand_dims(p.exp(gather(fades, i, axis=2)), -1)
        if rates is not None:
            known = reduce_sum(s * expand_dims(k_t, -1), 2)
            v_t = gather(rates, i, axis=2) * (v_t - known)
        s = s + expand_dims(k_t, -1) * expand_dims(v_t, -2)
        read = repeat(s, groups, 1) if groups > 1 else s
        return [s], [factor * reduce_sum(read * expand_dims(q_t, -1), 2)]

    (last,), (out,) = steps(count, step, [cast(state, "float32")])
    y = reshape(transpose(out, [1, 0, 2, 3]), [b, count, q_num_heads * d_v])
    return cast(y, dtype), cast(last, kept)


@operation("RotaryEmbedding")
def rotary_embedding(
    x: Tensor, cos_cache: Tensor, sin_cache: Tensor, position_ids: Tensor | None = None, *,
    interleaved: int = 0, num_heads: int | None = None, rotary_embedding_dim: int = 0,
) -> Any:  # fmt: skip
    """Rotate pairs of elements by angles that grow with the position."""
    flat = x.ndim == 3
    y = heads(x, num_heads, "RotaryEmbedding")
    y = transpose(y, [0, 2, 1, 3])
    size = rotary_embedding_dim or y.aval.shape[-1]
    turned, rest = y[..., :size], y[..., size:]
    cos, sin = cos_cache, sin_cache
    if position_ids is not None:
        cos, sin = (gather(c, position_ids, axis=0) for c in (cos, sin))
    cos, sin = (expand_dims(c[..., : size // 2], 2) for c in (cos, sin))
    if interleaved:
        a, b = turned[..., 0::2], turned[..., 1::2]
        made = reshape(stack([a * cos - b * sin, b * cos + a * sin], -1), turned.aval.shape)
    else:
        a, b = split(turned, 2, -1)
        made = concat([a * cos - b * sin, b * cos + a * sin], -1)
    y = concat([made, rest], -1) if rest.aval.shape[-1] else made
    return reshape(y, x.aval.shape) if flat else transpose(y, [0, 2, 1, 3])
