"""The lowering for JAX: a Graph becomes one function, which XLA compiles for a CPU, GPU or TPU.

XLA fuses operations itself, so the fusion passes of other backends do not change the Graph.
Importing this package imports JAX.
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
    """Return the reason why NumPy computes an op instead of JAX, or ""."""
    if op.expr is not None or op.name in RULES:
        return ""
    return op.host_only or "there is no rule for JAX"


add_backend("jax", _lacks)
