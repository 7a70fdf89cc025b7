"""The fusions that wasm kernels support: a bias for each channel and a clamp."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from tfpy._src.base.dtypes import DEVICE_DTYPES, float32
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.kernel import Epilogue, KernelCall, Param, float_bits
from tfpy._src.compiler.ir.strides import collapse
from tfpy._src.compiler.lower import fused

FEW_ROWS = 8
"""Number of rows up to which attention does not pack k and v."""

MIN_WEIGHTS = 4096
"""Number of weights from which int8 pays."""

MIN_USES = 64
"""Smallest number of multiplications per element of the activations, to pay for its
quantization."""

MIN_DEPTH = 32
"""Number of channels from which windows of several pixels pay, because each pixel is a separate
row."""

_CHANNELS = {
    "conv2d": "out_c",
    "quantized_conv2d": "out_c",
    "depthwise_conv2d": "out_c",
    "matmul": "n",
    "quantized_matmul": "n",
}
"""Kernels with bias and clamp, and the parameter with the number of their channels."""


class WasmTarget:
    """The target of wasm; see :class:`tfpy._src.compiler.lower.target.Target`."""

    fuses_loops = True
    fuses_prologues = False
    dtypes = DEVICE_DTYPES
    max_inputs = 16

    def __init__(self) -> None:
        self.kernels = fused.kernels_of("wasm")

    def takes(self, call: KernelCall) -> bool:
        """Return the answer of the kernel's record."""
        return fused.takes("wasm", call)

    def takes_epilogue(self, call: KernelCall, arrays: int) -> bool:
        """Return True for a float32 bias of shape [channels] and a clamp."""
        assert call.epilogue is not None
        return call.name in _CHANNELS and _finish_of(call, call.epilogue) is not None

    def takes_prologue(self, call: KernelCall, arrays: int) -> bool:
        return False


def takes_attention(call: KernelCall) -> bool:
    """Return True if the kernel supports an attention and pays.

    Columns of the result must be adjacent. Packing k and v pays only for several rows; otherwise
    their columns must be adjacent, so that they can be read in place.
    """
    p: dict[str, Any] = dict(call.params)
    adjacent = p["out_strides"][3] == 1 or p["width"] == 1
    in_place = p["k_strides"][3] == p["v_strides"][3] == 1
    return bool(adjacent and (p["m"] > FEW_ROWS or in_place))


def takes_quantized_product(call: KernelCall) -> bool:
    """Return True if a product of floats is slower."""
    p: dict[str, Any] = dict(call.params)
    return bool(p["n"] * p["k"] >= MIN_WEIGHTS and p["n"] >= MIN_USES)


def takes_quantized_convolution(call: KernelCall) -> bool:
    """Return True if a convolution of floats is slower."""
    p: dict[str, Any] = dict(call.params)
    weights = p["filter_h"] * p["filter_w"] * p["in_c"] * p["out_c"]
    multiplied = p["out_h"] * p["out_w"] * weights
    enough = multiplied >= MIN_USES * p["in_h"] * p["in_w"] * p["in_c"]
    return bool(enough and weights >= MIN_WEIGHTS and p["in_c"] >= MIN_DEPTH)


@dataclass(frozen=True)
class _Finish:
    has_bias: bool
    low: float = -math.inf
    high: float = math.inf


def with_parameters(call: KernelCall) -> KernelCall:
    """Return the call with its epilogue as parameters of the runtime's kernel."""
    if call.epilogue is None:
        return call
    finish = _finish_of(call, call.epilogue)
    assert finish is not None, "the target does not support this epilogue"
    params: dict[str, Param] = {**call.params, "bias": "true" if finish.has_bias else "false"}
    if finish.low > -math.inf:
        params["clamp_min_bits"] = float_bits(finish.low)
    if finish.high < math.inf:
        params["clamp_max_bits"] = float_bits(finish.high)
    inputs = (*call.inputs, "bias") if finish.has_bias else call.inputs
    return replace(call, inputs=inputs, params=params, epilogue=None)


def _finish_of(call: KernelCall, epilogue: Epilogue) -> _Finish | None:
    """Return the bias and clamp of an epilogue, or None if it contains anything else."""
    if epilogue.result != float32 or epilogue.out.dtype != float32:
        return None
    root, limits = epilogue.root, []
    while root.op in ("min", "max"):
        number = next((a for a in root.args if a.op == "const"), None)
        if number is None or number.value != number.value:
            return None
        (inner,) = (a for a in root.args if a is not number)
        limits.append((root.op, float(number.value or 0.0)))
        root = inner
    finish = _Finish(_adds_bias(root, epilogue, call))
    if not finish.has_bias and root.op != "input":
        return None
    for op, number_ in reversed(limits):  # from the inside out
        limit = max if op == "max" else min
        finish = replace(finish, low=limit(finish.low, number_), high=limit(finish.high, number_))
    return finish if finish.low < finish.high else None


def _adds_bias(root: ex.Expr, epilogue: Epilogue, call: KernelCall) -> bool:
    if root.op != "add" or len(epilogue.views) != 1 or epilogue.views[0].offset:
        return False
    if sorted((a.op, a.value) for a in root.args) != [("input", 0), ("input", 1)]:
        return False
    channels = call.params[_CHANNELS[call.name]]
    dims, (strides,) = collapse(epilogue.out.shape, epilogue.views)
    if channels == 1:
        return not any(strides)
    return dims[-1] == channels and strides == [*[0] * (len(dims) - 1), 1]
