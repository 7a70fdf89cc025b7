"""What the kernels of the wasm runtime take over: a bias for each channel and a clamp."""

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
"""A product of so few rows is computed without packing, which attention does not do."""

MIN_WEIGHTS = 4096
"""Elements of weights from which on int8 pays."""

MIN_USES = 64
"""How often each element of the activations, which costs its quantisation, must be multiplied."""

MIN_DEPTH = 32
"""Channels from which on windows of several pixels gain: each pixel is a row of its own."""

_CHANNELS = {
    "conv2d": "out_c",
    "quantized_conv2d": "out_c",
    "depthwise_conv2d": "out_c",
    "matmul": "n",
    "quantized_matmul": "n",
}
"""Kernels with bias and clamp, and the parameter that counts their channels."""


class WasmTarget:
    """What fusion passes may do for wasm; see :class:`tfpy._src.compiler.lower.target.Target`."""

    fuses_loops = True
    fuses_prologues = False
    dtypes = DEVICE_DTYPES
    max_inputs = 16

    def __init__(self) -> None:
        self.kernels = fused.kernels_of("wasm")

    def takes(self, call: KernelCall) -> bool:
        """As the kernel's record states."""
        return fused.takes("wasm", call)

    def takes_epilogue(self, call: KernelCall, arrays: int) -> bool:
        """A bias of shape [channels] and a clamp, of float32."""
        assert call.epilogue is not None
        return call.name in _CHANNELS and _finish_of(call, call.epilogue) is not None

    def takes_prologue(self, call: KernelCall, arrays: int) -> bool:
        return False


def takes_attention(call: KernelCall) -> bool:
    """Return True if packing k and v pays for the rows, columns of the result are adjacent, each
    head has its own keys, and rows without visible keys need not be zeros."""
    p: dict[str, Any] = dict(call.params)
    adjacent = p["out_strides"][3] == 1 or p["width"] == 1
    return bool(p["m"] > FEW_ROWS and adjacent and not {"group", "blind"} & p.keys())


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
    """The call with its epilogue as the parameters that the runtime's kernel reads."""
    if call.epilogue is None:
        return call
    finish = _finish_of(call, call.epilogue)
    assert finish is not None, "the target has refused this epilogue"
    params: dict[str, Param] = {**call.params, "bias": "true" if finish.has_bias else "false"}
    if finish.low > -math.inf:
        params["clamp_min_bits"] = float_bits(finish.low)
    if finish.high < math.inf:
        params["clamp_max_bits"] = float_bits(finish.high)
    inputs = (*call.inputs, "bias") if finish.has_bias else call.inputs
    return replace(call, inputs=inputs, params=params, epilogue=None)


def _finish_of(call: KernelCall, epilogue: Epilogue) -> _Finish | None:
    """The bias and clamp that an epilogue is; None when it is something else."""
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
