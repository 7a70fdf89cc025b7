"""The op table. Importing this package fills :data:`OPS` with every primitive."""

from tfpy.ops import (
    activation,
    contraction,
    elementwise,
    indexing,
    movement,
    pooling,
    random,
    reduction,
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
    "pooling",
    "random",
    "reduction",
    "register",
    "window",
]
