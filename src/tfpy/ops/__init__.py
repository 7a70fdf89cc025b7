"""The op table. Importing this package fills :data:`OPS` with every primitive."""

from tfpy.ops import (
    activation,
    complex,
    contraction,
    decomposition,
    elementwise,
    indexing,
    movement,
    patches,
    pooling,
    random,
    reduction,
    resample,
    spectral,
    window,
)
from tfpy.ops.op import OPS, UNSUPPORTED, KernelCall, Op, register

__all__ = [
    "OPS",
    "UNSUPPORTED",
    "KernelCall",
    "Op",
    "activation",
    "complex",
    "contraction",
    "decomposition",
    "elementwise",
    "indexing",
    "movement",
    "patches",
    "pooling",
    "random",
    "reduction",
    "register",
    "resample",
    "spectral",
    "window",
]
