"""Private modules of TensorFlow with operations, such as `tensorflow.python.ops.gen_sparse_ops`.

Their functions are those of `tf.raw_ops` with positional arguments and names in snake case.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

_KINDS = (
    *("array", "bitwise", "control_flow", "data_flow", "image", "io", "linalg", "list", "logging"),
    *("lookup", "math", "nn", "parsing", "ragged_array", "random", "sparse", "special_math"),
    *("spectral", "state", "stateless_random", "stateless_random_ops_v2", "string"),
)


@cache
def _names() -> dict[str, str]:
    """Return the names of the operations by their names in lower case."""
    return {name.lower(): name for name in dir(importlib.import_module("tfpy.raw_ops"))}


def _operation(name: str) -> Callable[..., Any]:
    """Return the function of an operation.

    Raises:
        AttributeError: If there is no such operation.
    """
    known = _names().get(name.replace("_", "").lower())
    if name.startswith("__") or known is None:
        raise AttributeError(f"tfpy does not have TensorFlow's operation {name}")
    function = getattr(importlib.import_module("tfpy.raw_ops"), known)

    def call(*args: Any, **kwargs: Any) -> Any:
        names = (*vars(function)["record"].parameters, "name")
        return function(**dict(zip(names, args, strict=False)), **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


OPERATION_MODULES: dict[str, dict[str, Any]] = {
    f"python.ops.gen_{kind}{'' if kind.endswith('v2') else '_ops'}": {"__getattr__": _operation}
    for kind in _KINDS
}
"""Modules with their names, below the package `tensorflow`."""
