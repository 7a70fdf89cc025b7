"""Mixtures of experts: a router selects the networks that compute the output of a token.

All experts compute all tokens, because shapes must not depend on values. The share of an expert
that the router did not select is zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.errors import invalid
from tfpy._src.core import primitives as p
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import Node
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.onnx.reader.ops.activations import gelu, swish
from tfpy._src.formats.onnx.reader.ops.attended import refuse
from tfpy._src.formats.onnx.reader.ops.packed_products import BlockwiseMatrix, turned, zero_points
from tfpy._src.formats.onnx.reader.ops.stored import Inputs, check_blocks, check_bytes, signed
from tfpy._src.formats.onnx.reader.record import Known, operation
from tfpy._src.formats.onnx.reader.values import like, shape_of
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape, squeeze
from tfpy._src.tensors.array.slicing import gather, one_hot
from tfpy._src.tensors.array.sorting import top_k
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.reductions import reduce_sum
from tfpy._src.tensors.nn.activations import softmax

_MAX_EXPERTS = 1024  # each expert adds equations

Layer = Callable[[int, Tensor], Tensor]
"""A function of the number of an expert and its input."""

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": p.relu,
    "gelu": lambda x: gelu(x, approximate="tanh"),
    "silu": swish,
    "identity": lambda x: x,
}


class _Mixture(NamedTuple):
    """The attributes of a mixture of experts."""

    op: str
    selected: int
    """Number of experts that compute a token."""
    activation: str
    normalizes: bool
    """True if the shares of the selected experts are divided by their sum."""
    fusion: int
    """Layout of the halves of a gated layer: 0 for two layers, 1 if they alternate, 2 in turn."""
    alpha: float
    beta: float
    limit: float

    def check(self, x: Tensor, router: Tensor, experts: int, first: int, has_third: bool) -> int:
        """Return the size of the inner layer.

        Args:
            x: Inputs.
            router: Scores of the experts [tokens, experts].
            experts: Number of experts.
            first: Number of columns of the first layer.
            has_third: True if there is a third layer.

        Raises:
            InvalidArgumentError: If attributes or sizes are not supported.
        """
        op, gated = self.op, self.activation == "swiglu"
        if not gated and self.activation not in _ACTIVATIONS:
            known = ["swiglu", *_ACTIVATIONS]
            raise invalid(op, f"activation_type must be in {known}, got {self.activation!r}")
        if self.fusion not in (0, 1, 2) or has_third != (gated and not self.fusion):
            raise invalid(
                op, f"{self.activation} with swiglu_fusion={self.fusion} does not match the layers"
            )
        tokens = math.prod(x.aval.shape[:-1])
        if x.ndim not in (2, 3) or router.aval.shape != (tokens, experts):
            raise invalid(op, f"router_probs {router.aval} must have the shape [{tokens}, experts]")
        if experts > _MAX_EXPERTS:
            raise invalid(op, f"there must be at most {_MAX_EXPERTS} experts, got {experts}")
        if not 0 < self.selected <= experts:
            raise invalid(op, f"k must be positive and at most {experts}, got {self.selected}")
        inner, left = divmod(first, 2 if gated and self.fusion else 1)
        if left or not inner:
            raise invalid(op, f"a gated layer cannot have {first} columns")
        return inner

    def shares(self, router: Tensor, weights: Tensor | None = None) -> Tensor:
        """Return the shares of experts [tokens, experts] in the output.

        Args:
            router: Scores that select the experts.
            weights: Shares before the selection. Default: the softmax of the scores.
        """
        scores = softmax(cast(router, "float32"), -1)
        _, chosen = top_k(scores, self.selected)
        given = scores if weights is None else cast(weights, "float32")
        kept = gather(given, chosen, axis=1, batch_dims=1)
        if self.normalizes:
            kept = kept / reduce_sum(kept, -1, True)
        places = one_hot(chosen, router.aval.shape[1])
        return squeeze(matmul(reshape(kept, [-1, 1, self.selected]), places), [1])

    def inner(self, y: Tensor, third: Callable[[], Tensor] | None) -> Tensor:
        """Return the activated inner layer."""
        if self.activation != "swiglu":
            return _ACTIVATIONS[self.activation](y)
        if third is not None:
            gate, linear = y, third()
        elif self.fusion == 1:
            gate, linear = y[:, 0::2], y[:, 1::2]
        else:
            half = y.aval.shape[-1] // 2
            gate, linear = y[:, :half], y[:, half:]
        if math.isfinite(self.limit):
            most = like(self.limit, y)
            gate, linear = p.minimum(gate, most), p.maximum(p.minimum(linear, most), -most)
        return swish(gate, alpha=self.alpha) * (linear + like(self.beta, y))

    def run(
        self, x: Tensor, shares: Tensor, first: Layer, second: Layer, third: Layer | None
    ) -> Tensor:
        """Return the sum of the outputs of all experts, weighted by their shares."""
        rows = reshape(x, [-1, x.aval.shape[-1]])
        shares = cast(reshape(shares, [rows.aval.shape[0], -1]), x.dtype)
        total: Any = None
        for e in range(shares.aval.shape[1]):
            gated = None if third is None else (lambda e=e: third(e, rows))
            y = second(e, self.inner(first(e, rows), gated)) * shares[:, e : e + 1]
            total = y if total is None else total + y
        return reshape(total, x.aval.shape)


def _check_shapes(op: str, given: dict[str, tuple[Any, tuple[int, ...]]]) -> None:
    for name, (value, shape) in given.items():
        if value is not None and shape_of(value) != shape:
            raise invalid(op, f"{name} must have the shape {[*shape]}, got {[*shape_of(value)]}")


@operation("com.microsoft.MoE")
def moe(
    x: Tensor, router_probs: Tensor, fc1: Tensor, fc1_bias: Tensor | None = None,
    fc2: Tensor | None = None, fc2_bias: Tensor | None = None, fc3: Tensor | None = None,
    fc3_bias: Tensor | None = None, *, activation_alpha: float = 1.0, activation_beta: float = 0.0,
    activation_type: str = "relu", k: int = 1, normalize_routing_weights: int = 0,
    swiglu_fusion: int = 0, swiglu_limit: float = math.inf, swiglu_limit_after_activation: int = 0,
    use_sparse_mixer: int = 0,
) -> Any:  # fmt: skip
    """Compute a mixture of experts with weights of floats."""
    op = "MoE"
    refuse(op, use_sparse_mixer=use_sparse_mixer, limit_after=swiglu_limit_after_activation)
    mixture = _Mixture(
        op, k, activation_type, bool(normalize_routing_weights), swiglu_fusion, activation_alpha,
        activation_beta, swiglu_limit,
    )  # fmt: skip
    if fc1.ndim != 3 or fc2 is None:
        raise invalid(op, f"fc1_experts_weights {fc1.aval} must have three axes, with fc2")
    experts, wide, hidden = fc1.aval.shape
    inner = mixture.check(x, router_probs, experts, wide, fc3 is not None)
    _check_shapes(op, {
        "input": (x, (*x.aval.shape[:-1], hidden)), "fc1_experts_bias": (fc1_bias, (experts, wide)),
        "fc2_experts_weights": (fc2, (experts, hidden, inner)),
        "fc2_experts_bias": (fc2_bias, (experts, hidden)),
        "fc3_experts_weights": (fc3, (experts, inner, hidden)),
        "fc3_experts_bias": (fc3_bias, (experts, inner)),
    })  # fmt: skip

    def layer(w: Tensor, bias: Tensor | None) -> Layer:
        def run(e: int, y: Tensor) -> Tensor:
            y = matmul(y, w[e], transpose_b=True)
            return y if bias is None else y + bias[e]

        return run

    third = None if fc3 is None else layer(fc3, fc3_bias)
    shares = mixture.shares(router_probs)
    return mixture.run(x, shares, layer(fc1, fc1_bias), layer(fc2, fc2_bias), third)


class _Packed(NamedTuple):
    """The quantized weights of a layer of all experts."""

    inputs: Inputs
    at: int
    """Position of the weights among the inputs, in front of scales and biases."""
    zeros_at: int
    """Position of the zero points."""
    weights: Any
    scales: Any
    bias: Tensor | None
    zeros: Any
    bits: int
    block: int
    """Number of numbers with a common scale; 0 for all of a column."""

    def check(self, experts: int, columns: int, rows: int) -> None:
        """Check the shapes of the layer.

        Raises:
            InvalidArgumentError: If a shape does not match.
        """
        op, bits = "QMoE", self.bits
        check_blocks(op, bits, self.block or 16)
        groups, left = divmod(rows, self.block or rows)
        check_bytes(op, experts_weights=self.weights, zero_points=self.zeros)
        if left or rows * bits % 8:
            raise invalid(op, f"{rows} rows are not divisible into blocks of {self.block} in bytes")
        scales: tuple[int, ...] = (experts, columns, groups)
        zeros: tuple[int, ...] = (experts, columns, -(-groups * bits // 8))
        if not self.block:
            scales, zeros = (experts, columns), (experts, -(-columns * bits // 8))
        _check_shapes(op, {
            "a layer of experts": (self.weights, (experts, columns, rows * bits // 8)),
            "its scales": (self.scales, scales), "its zero points": (self.zeros, zeros),
            "its bias": (self.bias, (experts, columns)),
        })  # fmt: skip

    def layer(self, columns: int, rows: int) -> Layer:
        """Return the function that computes the layer."""
        inputs, bits = self.inputs, self.bits
        block = self.block or rows
        groups, group = rows // block, np.arange(rows, dtype=np.int32) // np.int32(block)

        def run(e: int, y: Tensor) -> Tensor:
            form = f"{bits} bits of expert {e}, {rows} × {columns}"
            packed = inputs.derived(
                self.at, self.weights, form,
                lambda x: signed(x[e], bits, rows),
            )  # fmt: skip
            scale = inputs.derived(
                self.at + 1, self.scales, form,
                lambda x: turned(x[e].reshape(columns, groups), np.float32),
            )  # fmt: skip
            if self.zeros is None:
                zero = inputs.made(
                    f"{groups} × {columns} zeros", lambda: np.zeros([groups, columns], np.int8)
                )
            elif self.block:
                zero = inputs.derived(
                    self.zeros_at, self.zeros, form,
                    lambda x: zero_points(x[e], bits, columns, groups),
                )  # fmt: skip
            else:
                zero = inputs.derived(
                    self.zeros_at, self.zeros, form,
                    lambda x: zero_points(x[e], bits, 1, columns).reshape(1, columns),
                )  # fmt: skip
            made = cast(
                BlockwiseMatrix(packed, max(bits, 4), scale, zero, group).multiply(y), y.dtype
            )
            return made if self.bias is None else made + self.bias[e]

        return run


@operation("com.microsoft.QMoE")
def q_moe(
    x: Tensor, router_probs: Tensor, fc1: Known, fc1_scales: Any = None,
    fc1_bias: Tensor | None = None, fc2: Known | None = None, fc2_scales: Any = None,
    fc2_bias: Tensor | None = None, fc3: Known | None = None, fc3_scales: Any = None,
    fc3_bias: Tensor | None = None, fc1_zeros: Any = None, fc2_zeros: Any = None,
    fc3_zeros: Any = None, router_weights: Tensor | None = None, *, accuracy_level: int = 0,
    activation_alpha: float = 1.0, activation_beta: float = 0.0, activation_type: str = "relu",
    block_size: int = 0, expert_weight_bits: int = 4, fc1_expert_weight_bits: int = 0,
    fc2_expert_weight_bits: int = 0, fc3_expert_weight_bits: int = 0, k: int = 1, node: Node,
    normalize_routing_weights: int = 0, quant_type: str = "int", scope: Scope,
    swiglu_fusion: int = 0, swiglu_limit: float = math.inf, swiglu_limit_after_activation: int = 0,
    use_sparse_mixer: int = 0, weights_prepacked: int = -1,
) -> Any:  # fmt: skip
    """Compute a mixture of experts with weights of 2, 4 or 8 bits."""
    op = "QMoE"
    # As in ONNX Runtime, only shares that are given can stay as they are.
    normalizes = router_weights is None or bool(normalize_routing_weights)
    refuse(
        op, use_sparse_mixer=use_sparse_mixer, limit_after=swiglu_limit_after_activation,
        quant_type=quant_type != "int", weights_prepacked=weights_prepacked == 1,
    )  # fmt: skip
    mixture = _Mixture(
        op, k, activation_type, normalizes, swiglu_fusion, activation_alpha, activation_beta,
        swiglu_limit,
    )  # fmt: skip
    if len(shape_of(fc1)) != 3 or fc2 is None or fc1_scales is None or fc2_scales is None:
        raise invalid(op, "fc1_experts_weights must have three axes, and fc2 and scales are needed")
    (experts, wide, _), hidden = shape_of(fc1), x.aval.shape[-1]
    inner = mixture.check(x, router_probs, experts, wide, fc3 is not None)
    if router_weights is not None and router_weights.aval.shape != router_probs.aval.shape:
        raise invalid(op, f"router_weights {router_weights.aval} differ from router_probs")
    inputs, block = Inputs(node, scope), max(block_size, 0)
    bits = (fc1_expert_weight_bits, fc2_expert_weight_bits, fc3_expert_weight_bits)
    one, two, three = (n or expert_weight_bits for n in bits)
    layers = [
        (_Packed(inputs, 2, 11, fc1, fc1_scales, fc1_bias, fc1_zeros, one, block), wide, hidden),
        (_Packed(inputs, 5, 12, fc2, fc2_scales, fc2_bias, fc2_zeros, two, block), hidden, inner),
    ]
    if fc3 is not None and fc3_scales is not None:
        last = _Packed(inputs, 8, 13, fc3, fc3_scales, fc3_bias, fc3_zeros, three, block)
        layers.append((last, inner, hidden))
    for packed, columns, rows in layers:
        packed.check(experts, columns, rows)
    first, second, *rest = (packed.layer(columns, rows) for packed, columns, rows in layers)
    shares = mixture.shares(router_probs, router_weights)
    return mixture.run(x, shares, first, second, rest[0] if rest else None)
