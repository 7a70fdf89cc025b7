"""Attention recognized in Graphs traced from public functions, and its kernel's parameters."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from passes.attention import attend
from passes.fusing import Greedy, kinds, random_inputs, traced

import tfpy as tf
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.fusion import fusion
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.passes.fuse.attention import fuse_attention

Shape = tuple[int, ...]


def attention_of(graph: Graph) -> Eqn:
    """Return the only remaining equation with a kernel: the fused attention."""
    after = fuse_attention(graph, Greedy())
    verify(after)
    (eqn,) = (e for e in after.eqns if e.op is fusion)
    inputs = random_inputs(graph)
    for got, wanted in zip(evaluate(after, inputs), evaluate(graph, inputs), strict=True):
        np.testing.assert_array_equal(got, wanted)
    assert {"matmul", "exp", "transpose"}.isdisjoint(kinds(after))
    return eqn


def check(function: Callable[..., Any], *shapes: Shape) -> dict[str, Any]:
    """Check that the kernel's parameters describe the function."""
    eqn = attention_of(traced(function, *shapes))
    attrs = dict(eqn.attrs)
    assert attrs["kind"] == "attention"
    body: Graph = attrs["body"]
    arrays = random_inputs(body)
    (wanted,) = evaluate(body, arrays)
    params = dict(attrs["pattern"].params)
    got = attend(params, dict(zip(attrs["pattern"].inputs, arrays, strict=True)))
    np.testing.assert_allclose(got, wanted.ravel(), 1e-4, 1e-5)
    return params


def attention(q: Any, k: Any, v: Any) -> Any:
    return tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True)), v)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_batches(batch: Shape) -> None:
    params = check(attention, (*batch, 5, 4), (*batch, 6, 4), (*batch, 6, 7))
    assert (params["outer"] * params["inner"], params["m"], params["n"]) == (np.prod(batch), 5, 6)
    assert (params["depth"], params["width"]) == (4, 7)


def test_shared_keys_have_no_stride_along_the_batch() -> None:
    params = check(attention, (3, 5, 4), (6, 4), (6, 7))
    assert params["k_strides"] == (0, 0, 4, 1)


def test_transposed_keys_are_read_by_strides() -> None:
    def function(q: Any, k: Any, v: Any) -> Any:
        return tf.matmul(tf.nn.softmax(tf.matmul(q, k)), v)

    assert check(function, (2, 5, 4), (2, 4, 6), (2, 6, 7))["k_strides"] == (0, 24, 1, 6)


@pytest.mark.parametrize(
    ("scaled", "factor", "scaling"),
    [
        (lambda q, k: tf.matmul(q, k, transpose_b=True) * 0.5, 0.5, "none"),
        (lambda q, k: 0.5 * tf.matmul(q, k, transpose_b=True), 0.5, "none"),
        (lambda q, k: tf.matmul(q, k, transpose_b=True) / 4.0, 0.25, "none"),
        (lambda q, k: tf.matmul(q * 0.5, k, transpose_b=True), 0.5, "none"),
        (lambda q, k: tf.matmul(q * 0.5, k * 0.5, transpose_b=True) * 2.0, 0.5, "none"),
    ],
)
def test_numbers_that_scale(scaled: Callable[..., Any], factor: float, scaling: str) -> None:
    def function(q: Any, k: Any, v: Any) -> Any:
        return tf.matmul(tf.nn.softmax(scaled(q, k)), v)

    params = check(function, (3, 5, 4), (3, 6, 4), (3, 6, 7))
    assert params["factor_bits"] == struct.unpack("<i", struct.pack("<f", factor))[0]
    assert params["scaling"] == scaling


@pytest.mark.parametrize("scaling", ["multiply", "divide"])
def test_tensors_that_scale(scaling: str) -> None:
    def function(q: Any, k: Any, v: Any, scale: Any) -> Any:
        scores = tf.matmul(q, k, transpose_b=True)
        scores = scores * scale if scaling == "multiply" else scores / scale
        return tf.matmul(tf.nn.softmax(scores), v)

    assert check(function, (3, 5, 4), (3, 6, 4), (3, 6, 7), ())["scaling"] == scaling


@pytest.mark.parametrize(
    "mask", [(2, 3, 5, 6), (2, 1, 5, 6), (2, 1, 1, 6), (1, 1, 5, 6), (5, 6), (6,), (3, 5, 1)]
)
def test_masks(mask: Shape) -> None:
    def function(q: Any, k: Any, v: Any, mask: Any) -> Any:
        scores = tf.matmul(q, k, transpose_b=True) * 0.5 + mask
        return tf.matmul(tf.nn.softmax(scores), v)

    params = check(function, (2, 3, 5, 4), (2, 3, 6, 4), (2, 3, 6, 7), mask)
    assert params["masked"] == "true"


@pytest.mark.parametrize("fill", [-1e9, -np.inf])
@pytest.mark.parametrize("mask", [(2, 3, 5, 6), (2, 1, 5, 6), (2, 1, 1, 6), (5, 6)])
def test_masks_that_choose(mask: Shape, fill: float) -> None:
    def function(q: Any, k: Any, v: Any, mask: Any) -> Any:
        scores = tf.matmul(q, k, transpose_b=True) * 0.5
        return tf.matmul(tf.nn.softmax(tf.where(mask > -1, scores, fill)), v)

    def turned(q: Any, k: Any, v: Any, mask: Any) -> Any:
        scores = tf.matmul(q, k, transpose_b=True) * 0.5
        return tf.matmul(tf.nn.softmax(tf.where(mask < -1, fill, scores)), v)

    for chosen in (function, turned):
        params = check(chosen, (2, 3, 5, 4), (2, 3, 6, 4), (2, 3, 6, 7), mask)
        assert params["masked"] == "true"


def test_zeros_where_nothing_is_seen() -> None:
    """Check that fully masked rows are zeros, as in Keras's layer Softmax."""

    def function(q: Any, k: Any, v: Any, mask: Any) -> Any:
        seen = tf.logical_and(mask > -1, [[True], [False], [True]])
        scores = tf.where(seen, tf.matmul(q, k, transpose_b=True), -1e9)
        return tf.matmul(tf.where(seen, tf.nn.softmax(scores), 0.0), v)

    eqn = attention_of(traced(function, (2, 3, 4), (2, 6, 4), (2, 6, 7), (2, 3, 6)))
    attrs = dict(eqn.attrs)
    seen = np.random.default_rng(0).uniform(size=(2, 3, 6)) > 0.4
    seen[:, 1] = False
    *arrays, _, _ = random_inputs(attrs["body"])
    arrays.append(np.where(seen, 0, -1e9).astype(np.float32))
    (wanted,) = evaluate(attrs["body"], [*arrays, seen])
    params = dict(attrs["pattern"].params)
    got = attend(params, dict(zip(attrs["pattern"].inputs, arrays, strict=True)))
    np.testing.assert_allclose(got, wanted.ravel(), 1e-4, 1e-5)
    assert params["blind"] == "zero"
    assert not wanted[:, 1].any()


def test_zeros_elsewhere_are_no_attention() -> None:
    def function(q: Any, k: Any, v: Any, mask: Any) -> Any:
        scores = tf.where(mask > 0, tf.matmul(q, k, transpose_b=True), -1e9)
        return tf.matmul(tf.where(mask > 1, tf.nn.softmax(scores), 0.0), v)

    graph = traced(function, (2, 6, 6), (2, 6, 6), (2, 6, 6), (6, 6))
    assert kinds(fuse_attention(graph, Greedy())) == kinds(graph)


def test_softmax_of_wider_floats() -> None:
    def function(q: Any, k: Any, v: Any) -> Any:
        q, k, v = (tf.cast(x, tf.float16) for x in (q, k, v))
        scores = tf.cast(tf.matmul(q, k, transpose_b=True), tf.float32) * 0.5
        return tf.matmul(tf.cast(tf.nn.softmax(scores), tf.float16), v)

    after = fuse_attention(traced(function, (2, 5, 4), (2, 6, 4), (2, 6, 7)), Greedy())
    assert [name.split("(")[0] for name in kinds(after)] == ["cast", "cast", "cast", "attention"]


def test_numbers_that_hide_nothing_are_no_mask() -> None:
    def function(q: Any, k: Any, v: Any, mask: Any) -> Any:
        scores = tf.matmul(q, k, transpose_b=True)
        return tf.matmul(tf.nn.softmax(tf.where(mask > 0, scores, -10.0)), v)

    graph = traced(function, (2, 6, 6), (2, 6, 6), (2, 6, 6), (6, 6))
    assert kinds(fuse_attention(graph, Greedy())) == kinds(graph)


def test_a_mask_of_several_layers_is_made_once() -> None:
    def function(x: Any, y: Any, z: Any, mask: Any) -> Any:
        for _ in range(2):
            scores = tf.matmul(x, y, transpose_b=True)
            x = tf.matmul(tf.nn.softmax(tf.where(mask > 0, scores, -np.inf)), z)
        return x

    graph = traced(function, (2, 6, 6), (2, 6, 6), (2, 6, 6), (6, 6))
    after = kinds(fuse_attention(graph, Greedy()))
    assert [name.split("(")[0] for name in after] == ["greater", "select", "attention", "attention"]


def test_the_causal_mask_of_keras() -> None:
    """Check that the kernel's mask has no head dimension.

    Keras combines the mask with ones for all heads.
    """

    def function(q: Any, k: Any, v: Any) -> Any:
        logits = tf.einsum("BTNH,BSNH->BNTS", q, k) * 0.5
        seen = tf.linalg.band_part(tf.ones([5, 6], tf.bool), -1, 0)
        mask = tf.logical_and(tf.ones_like(logits, "bool"), seen[None, None])
        probabilities = tf.nn.softmax(tf.where(mask, logits, -2e38))
        return tf.einsum("BNTS,BSNH->BTNH", probabilities, v)

    params = check(function, (2, 5, 3, 4), (2, 6, 3, 4), (2, 6, 3, 4))
    assert params["mask_strides"] == (0, 0, 6, 1)


@pytest.mark.parametrize(("batch", "group"), [(1, None), (3, 2)])
def test_heads_that_share_keys(batch: int, group: int | None) -> None:
    """Check that pairs of the four heads share keys.

    With one example, the heads are two dimensions of the batch.
    """

    def function(q: Any, k: Any, v: Any) -> Any:
        k, v = tf.repeat(k, 2, axis=2), tf.repeat(v, 2, axis=2)
        scores = tf.einsum("BTNH,BSNH->BNTS", q, k) * 0.5
        return tf.einsum("BNTS,BSNH->BTNH", tf.nn.softmax(scores), v)

    params = check(function, (batch, 5, 4, 8), (batch, 6, 2, 8), (batch, 6, 2, 8))
    assert params.get("group") == group


def test_keys_that_all_heads_share() -> None:
    params = check(attention, (2, 3, 5, 4), (2, 1, 6, 4), (2, 1, 6, 4))
    assert params["k_strides"] == (24, 0, 4, 1)


def test_heads_are_not_moved() -> None:
    def heads(x: Any) -> Any:
        return tf.transpose(tf.reshape(x, [5, 3, 4]), [1, 0, 2])

    def function(q: Any, k: Any, v: Any) -> Any:
        mixed = attention(heads(q), heads(k), heads(v))
        return tf.reshape(tf.transpose(mixed, [1, 0, 2]), [5, 12])

    params = check(function, (5, 12), (5, 12), (5, 12))
    for name in ("q", "k", "v", "out"):
        assert params[f"{name}_strides"] == (0, 4, 12, 1)


def test_batches_of_heads() -> None:
    def heads(x: Any) -> Any:
        return tf.transpose(tf.reshape(x, [2, 5, 3, 4]), [0, 2, 1, 3])

    def function(q: Any, k: Any, v: Any) -> Any:
        return tf.transpose(attention(heads(q), heads(k), heads(v)), [0, 2, 1, 3])

    params = check(function, (2, 5, 12), (2, 5, 12), (2, 5, 12))
    assert (params["outer"], params["inner"]) == (2, 3)
    assert params["out_strides"] == (60, 4, 12, 1)


def test_the_einsums_of_multi_head_attention() -> None:
    def function(q: Any, k: Any, v: Any, mask: Any) -> Any:
        scores = tf.einsum("aecd,abcd->acbe", k, q * 0.5) + (1.0 - mask) * -1e9
        return tf.einsum("acbe,aecd->abcd", tf.nn.softmax(scores), v)

    params = check(function, (2, 5, 3, 4), (2, 6, 3, 4), (2, 6, 3, 7), (2, 1, 5, 6))
    assert params["q_strides"] == (60, 4, 12, 1)
    assert params["out_strides"] == (105, 7, 21, 1)
    assert params["mask_strides"] == (30, 0, 6, 1)


@pytest.mark.parametrize(
    "function",
    [
        lambda q, k, v: tf.nn.softmax(tf.matmul(q, k, transpose_b=True)),
        lambda q, k, v: tf.matmul(tf.nn.softmax(q), v),
        lambda q, k, v: tf.matmul(v, tf.nn.softmax(tf.matmul(q, k, transpose_b=True))),
        lambda q, k, v: tf.matmul(tf.nn.relu(tf.matmul(q, k, transpose_b=True)), v),
        lambda q, k, v: tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * v), v),
        lambda q, k, v: tf.matmul(
            tf.nn.softmax(tf.matmul(q, k, transpose_b=True), 1), v
        ),  # along columns
        *(
            lambda q, k, v, x=x: tf.matmul(tf.nn.softmax(tf.cast(x(q, k), tf.float32)), v)
            for x in (  # scores that were integers or bools, as in quantized models
                lambda q, k: tf.cast(q, tf.int32),
                lambda q, k: tf.cast(tf.matmul(q, k), tf.int32),
                lambda q, k: q > k,
            )
        ),
    ],
)
def test_what_is_no_attention(function: Callable[..., Any]) -> None:
    graph = traced(function, (2, 6, 6), (2, 6, 6), (2, 6, 6))
    assert kinds(fuse_attention(graph, Greedy())) == kinds(graph)


def test_weights_that_others_read_are_computed() -> None:
    def function(q: Any, k: Any, v: Any) -> Any:
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True))
        return tf.matmul(weights, v), weights

    graph = traced(function, (2, 6, 6), (2, 6, 6), (2, 6, 6))
    assert kinds(fuse_attention(graph, Greedy())) == kinds(graph)


def test_targets_that_refuse_the_sizes() -> None:
    class Refusing(Greedy):
        def takes(self, call: Any) -> bool:
            return False

    graph = traced(attention, (2, 6, 6), (2, 6, 6), (2, 6, 6))
    assert kinds(fuse_attention(graph, Refusing())) == kinds(graph)
