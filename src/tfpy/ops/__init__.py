"""The op table. Importing this package fills :data:`OPS` with every primitive."""

from tfpy.ops import (
    activation,
    contraction,
    elementwise,
    indexing,
    movement,
    patches,
    pooling,
    random,
    reduction,
    resample,
    scan,
    scatter,
    sorting,
    special,
    window,
)
from tfpy.ops.op import OPS, UNSUPPORTED, KernelCall, Op, register

__all__ = [
    "OPS",
    "UNSUPPORTED",
    "KernelCall",
    "Op",
    "activation",
    "contraction",
    "elementwise",
    "indexing",
    "movement",
    "patches",
    "pooling",
    "random",
    "reduction",
    "register",
    "resample",
    "scan",
    "scatter",
    "sorting",
    "special",
    "window",
]
