"""Lowering for JAX: a Graph becomes one function, which XLA compiles for a CPU, GPU or TPU.

XLA fuses what fits together, so the passes that do so for other backends leave the Graph as it is.
Importing this imports JAX.
"""

from tfpy._src.compiler.ir.op import Op, add_backend
from tfpy._src.compiler.lower.jax import (  # noqa: F401  (they enter their rules)
    control,
    indexing,
    linalg,
    movement,
    random,
    reduction,
    replicas,
    sharding,
    window,
)
from tfpy._src.compiler.lower.jax.program import JaxProgram as JaxProgram
from tfpy._src.compiler.lower.jax.table import RULES


def _lacks(op: Op) -> str:
    """Why NumPy computes an op in place of JAX."""
    if op.expr is not None or op.name in RULES:
        return ""
    return op.host_only or "there is no rule for JAX"


add_backend("jax", _lacks)
