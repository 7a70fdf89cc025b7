"""A Python function that is ready to be traced: parameters, signature and converted code."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.conversion import is_operand
from tfpy._src.core.operand import Composite, FieldRecord
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.tf_function.arguments import bind, spread
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.conforming import conform
from tfpy._src.functions.tf_function.signature import Call
from tfpy._src.functions.trace.converting import CONVERTERS, converting

_BITS = {None: 0, "int8": 8, "int4": 4}
"""Number of bits for products with weights, by the value of `quantize`. 0 keeps the dtype."""


class Settings:
    """The settings that all functions share."""

    eagerly = False


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Run every `tf.function` as plain Python, so that debuggers and `print` see each value.

    Args:
        run_eagerly: If True, calls of compiled functions run their Python code eagerly, without
            tracing and compilation. If False, they run compiled again.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def doubled(x):
        ...     print("x is", x.numpy())
        ...     return x * 2
        >>> tf.config.run_functions_eagerly(True)
        >>> doubled(tf.constant(3)).numpy().tolist()
        x is 3
        6
        >>> tf.config.run_functions_eagerly(False)

    See also: `tf.config.functions_run_eagerly`, `tf.function`.
    """
    Settings.eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Return True if every `tf.function` runs as plain Python.

    Returns:
        The value that was last passed to `tf.config.run_functions_eagerly`, initially False.

    Example:
        >>> import tfpy as tf
        >>> tf.config.functions_run_eagerly()
        False

    See also: `tf.config.run_functions_eagerly`.
    """
    return Settings.eagerly


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


class Traceable:
    """A Python function and the settings that all of its traces share.

    Args:
        function: The Python function.
        input_signature: Specs of the arguments, or None.
        autograph: If True, convert control flow that depends on tensors.
        quantize: A key of `_BITS`.

    Raises:
        ValueError: If `quantize` is not supported.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        input_signature: tuple[Any, ...] | None,
        autograph: bool,
        quantize: str | None,
    ) -> None:
        if quantize not in _BITS:
            raise ValueError(f"tf.function: quantize is 'int8', 'int4' or None, not {quantize!r}")
        self.function = function
        self.input_signature = input_signature
        self.name = getattr(function, "__name__", type(function).__name__)
        self.signature = inspect.signature(function)
        self._autograph = autograph
        self._bits = _BITS[quantize]

    def call(self, args: Any, kwargs: Any) -> Call:
        """Return the arguments of a call as the key of its trace needs them.

        Raises:
            TypeError: If the arguments do not match the parameters or the `input_signature`.
        """
        arguments = bind(self.signature, args, kwargs)
        if self.input_signature is not None:
            specs = self._specs()
            for name, spec in specs.items():
                arguments[name] = conform(name, arguments[name], spec)
            self._check_defaults(arguments, specs)
        return Call(arguments)

    def _specs(self) -> dict[str, Any]:
        """Return the `input_signature` by parameter name; `*args` takes the remaining specs.

        Raises:
            TypeError: If the `input_signature` does not match the parameters.
        """
        assert self.input_signature is not None
        try:
            return dict(self.signature.bind(*self.input_signature).arguments)
        except TypeError as error:
            raise TypeError(
                f"input_signature of '{self.name}' has {len(self.input_signature)} entries, but "
                f"the function takes ({', '.join(self.signature.parameters)})"
            ) from error

    def _check_defaults(self, arguments: dict[str, Any], specs: Mapping[str, Any]) -> None:
        """Check that arguments outside the `input_signature` have their default values."""
        for name in arguments.keys() - specs.keys():
            parameter = self.signature.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL and arguments[name]:
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `too many positional arguments`: "
                    f"'*{name}' is not in the input_signature of '{self.name}'"
                )
            default = parameter.default
            if default is inspect.Parameter.empty or arguments[name] is default:
                continue
            if is_operand(default) or arguments[name] != default:
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `Can not cast "
                    f"{arguments[name]!r} to Literal[{default!r}]`: '{name}' is not in the "
                    "input_signature and keeps its default"
                )

    def specified(self) -> Call | None:
        """Return the call that the `input_signature` describes, or None."""
        return None if self.input_signature is None else self.call(self.input_signature, {})

    def trace(
        self, call: Call, allows_variables: bool, is_shared: bool = False
    ) -> ConcreteFunction:
        """Trace the function for a call.

        Args:
            call: Arguments or their specs.
            allows_variables: If True, the function may make Variables.
            is_shared: If True, the trace may also serve other Variables.

        Raises:
            NotTraceableError: If a shape or a decision in Python depends on the values of tensors.
        """
        return ConcreteFunction(
            self.name, self.run, self.signature, call, allows_variables, self._bits, is_shared
        )

    def run(self, arguments: dict[str, Any]) -> Any:
        """Run the Python function on arguments by parameter name."""
        args, kwargs = spread(self.signature, arguments)
        with converting(self._autograph):
            return self.converted()(*args, **kwargs)

    def converted(self) -> Callable[..., Any]:
        """Return the Python function, with its control flow converted if AutoGraph is on."""
        convert = self._autograph and not Settings.eagerly
        return CONVERTERS[-1](self.function) if convert else self.function


def bound_method(
    function: Callable[..., Any], converted: Callable[[], Callable[..., Any]], instance: Any
) -> Callable[..., Any]:
    """Return the method of an instance, with only a weak reference to the instance.

    Args:
        function: The Python function of the class.
        converted: Returns the converted function.
        instance: The object to which the method is bound.
    """
    reference = weakref.ref(instance)

    @functools.wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        return converted()(reference(), *args, **kwargs)

    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[1:]
    vars(method)["__signature__"] = signature.replace(parameters=parameters)
    return method


def stays_open(args: Any, kwargs: Any) -> bool:
    """Return True if arguments belong to the current trace without being tensors."""
    return any(
        isinstance(x, TensorArray | Composite | FieldRecord) for x in nest.flatten((args, kwargs))
    )
