"""Concrete functions for signatures that no single trace serves."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tfpy._src.base.errors import NotTraceableError
from tfpy._src.core import nest
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.core.typing import Nest
from tfpy._src.functions.tf_function.arguments import spread
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.conforming import conform
from tfpy._src.functions.tf_function.description import parameters_of, structured
from tfpy._src.functions.tf_function.inspection import Unregistered
from tfpy._src.functions.tf_function.signature import Call, TensorSpec


class RestrictedFunction(Unregistered):
    """A `tf.function` restricted to one signature, which has no single trace.

    There are two reasons. A trace depends on the partitions and indices of ragged and sparse
    tensors, so each such value has its own trace. And a function whose shapes depend on values runs
    op by op. In both cases the output is unknown before a call.

    Args:
        function: The `tf.function`.
        signature: Parameters of the Python function.
        call: Specs, tensors and Python values by parameter name.
        error: Reason why the function cannot be traced. None for ragged and sparse tensors.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        signature: inspect.Signature,
        call: Call,
        error: NotTraceableError | None = None,
    ) -> None:
        self._function, self._signature, self._error = function, signature, error
        self._arguments = nest.map_structure(_spec, call.arguments)
        self.name = getattr(function, "name", "function")

    def __getattr__(self, name: str) -> Any:
        if self._error is None or name.startswith("_") or not hasattr(ConcreteFunction, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise self._error

    def __call__(self, *args: Nest, **kwargs: Nest) -> Any:
        """Call the function.

        Raises:
            TypeError: If an argument does not match its spec, or if a Python value differs.
        """
        given = self._signature.bind_partial(*args, **kwargs).arguments
        arguments = dict(self._arguments)
        for name, spec in arguments.items():
            has_specs = any(isinstance(leaf, TypeSpec) for leaf in nest.flatten(spec))
            value = given.get(name, spec)
            if has_specs and name not in given:
                raise TypeError(f"{self.name} is missing the argument '{name}', {spec!r}")
            if not has_specs and value is not spec and value != spec:
                raise TypeError(
                    f"{self.name} was specified for {name}={spec!r}, got {value!r}; call the "
                    "tf.function itself with other Python values"
                )
            arguments[name] = conform(name, value, spec)
        positional, named = spread(self._signature, arguments)
        return self._function(*positional, **named)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments, with specs in place of tensors."""
        return structured(parameters_of(self._signature, self._arguments))


def _spec(leaf: Any) -> Any:
    return TensorSpec.from_tensor(leaf) if isinstance(leaf, Tensor) else leaf
