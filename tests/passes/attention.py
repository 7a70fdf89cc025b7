"""The semantics of the parameters of the kernel "attention", in NumPy."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np


def attend(params: dict[str, Any], operands: dict[str, Any]) -> Any:
    """Return the elements that the kernel writes, computed from its parameters."""
    (factor,) = struct.unpack("<f", struct.pack("<i", params["factor_bits"]))
    sizes = dict.fromkeys("q", (params["m"], params["depth"]))
    sizes |= {"k": (params["n"], params["depth"]), "v": (params["n"], params["width"])}
    sizes |= {"mask": (params["m"], params["n"]), "out": (params["m"], params["width"])}

    def places(name: str) -> Any:
        dims = (params["outer"], params["inner"], *sizes[name])
        steps = [np.arange(n) for n in dims]
        if name in "kv":
            steps[1] //= params.get("group", 1)
        return sum(
            step.reshape(-1, *[1] * (3 - axis)) * stride
            for axis, (step, stride) in enumerate(
                zip(steps, params[f"{name}_strides"], strict=True)
            )
        )

    q, k, v = (operands[name].ravel()[places(name)] for name in "qkv")
    scores = factor * (q @ k.swapaxes(-1, -2))
    if params["scaling"] != "none":
        scale = operands["scale"].ravel()[0]
        scores = scores * scale if params["scaling"] == "multiply" else scores / scale
    if params["masked"] == "true":
        scores = scores + operands["mask"].ravel()[places("mask")]
    e = np.exp(scores - scores.max(-1, keepdims=True))
    out = np.full(int(np.prod([params[x] for x in ("outer", "inner", "m", "width")])), np.nan)
    share = e / e.sum(-1, keepdims=True)
    if params.get("blind") == "zero":
        share = np.where(scores.max(-1, keepdims=True) > -5e8, share, 0)
    out[places("out")] = share @ v
    return out
