"""A Python function as it is traced: its arguments, and its control flow open to tensors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tfpy._src.core.conversion import is_operand
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.conforming import conform
from tfpy._src.functions.tf_function.signature import Call, bind, spread

_BITS = {None: 0, "int8": 8, "int4": 4}
"""For ``quantize``, in how many bits products with weights are computed where that can be."""

CONVERTERS: list[Callable[..., Any]] = [lambda function: function]
"""The last one opens a function's control flow to tensors; ``tfpy.autograph`` adds its own."""


class Settings:
    """Of all functions."""

    eagerly = False


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes every ``tf.function`` run as plain Python, for debugging.

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
    """
    Settings.eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """What :func:`run_functions_eagerly` was told.

    Example:
        >>> import tfpy as tf
        >>> tf.config.functions_run_eagerly()
        False
    """
    return Settings.eagerly


class Traceable:
    """What each trace of a function begins with.

    Args:
        function: the Python function.
        input_signature: specs of its arguments, if it has one.
        autograph: whether its control flow is opened to tensors.
        quantize: see ``_BITS``.

    Raises:
        ValueError: for a ``quantize`` that there is not.
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
        """A call's arguments, as the traces are told apart by them.

        Raises:
            TypeError: when they do not fit the parameters or the input_signature.
        """
        arguments = bind(self.signature, args, kwargs)
        if self.input_signature is not None:
            specs = self._specs()
            for name, spec in specs.items():
                arguments[name] = conform(name, arguments[name], spec)
            self._check_defaults(arguments, specs)
        return Call(arguments)

    def _specs(self) -> dict[str, Any]:
        """The input_signature by parameter; ``*args`` takes what is left of it.

        Raises:
            TypeError: when it does not fit the parameters.
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
        """What the input_signature does not tell is what it is by default."""
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
        """The call that the input_signature stands for, if there is one."""
        return None if self.input_signature is None else self.call(self.input_signature, {})

    def trace(
        self, call: Call, allows_variables: bool, is_shared: bool = False
    ) -> ConcreteFunction:
        """The function, traced for a call; whether it may make Variables.

        Args:
            is_shared: Whether the trace may also serve other Variables.

        Raises:
            NotTraceableError: when a shape, or what Python does, depends on values.
        """
        return ConcreteFunction(
            self.name, self.run, self.signature, call, allows_variables, self._bits, is_shared
        )

    def run(self, arguments: dict[str, Any]) -> Any:
        """What the function gives for arguments by parameter."""
        args, kwargs = spread(self.signature, arguments)
        return self.converted()(*args, **kwargs)

    def converted(self) -> Callable[..., Any]:
        """The Python function, its control flow open to tensors."""
        convert = self._autograph and not Settings.eagerly
        return CONVERTERS[-1](self.function) if convert else self.function
