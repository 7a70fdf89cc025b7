"""Dispatch of a function to the implementations that are registered for types of arguments.

Functions of tfpy that have no implementations cost nothing: a registration replaces the code of
the function object, so that all references to the function are dispatched, also those that
other modules of tfpy have imported.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy._src.core.operand import Composite, FieldRecord
from tfpy._src.core.operators import DISPATCHED

Function = Callable[..., Any]
Signature = Mapping[str | int, Any]
Checker = Callable[[Any], bool]

_OPERATORS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv",
    "floordiv": "floordiv", "floormod": "mod", "pow": "pow", "matmul": "matmul",
}  # fmt: skip
"""Names of functions of `tf.math`, and the operators that call them."""


class Dispatcher:
    """The implementations of one function, and the function without dispatch.

    Args:
        api: Function of tfpy. Its code is replaced while it has implementations.
    """

    def __init__(self, api: types.FunctionType) -> None:
        self.api = api
        self.signature = inspect.signature(api)
        self._names = list(self.signature.parameters)
        self._default = types.FunctionType(
            api.__code__, api.__globals__, api.__name__, api.__defaults__, api.__closure__
        )
        self._default.__kwdefaults__ = api.__kwdefaults__
        self._rules: list[tuple[dict[int, Checker], Function]] = []
        self._own = api.__code__
        self._entry = _entry(api.__code__, self)
        if api.__name__ in _OPERATORS:
            DISPATCHED.setdefault(_OPERATORS[api.__name__], api)

    def register(self, signature: Signature, target: Function) -> None:
        """Add an implementation for calls whose arguments match a signature."""
        self._rules.append((self.checkers(signature), target))
        vars(self.api)["__signature__"] = self.signature
        self.api.__code__ = self._entry

    def unregister(self, target: Function) -> bool:
        """Remove an implementation. Return False if it was not registered."""
        kept = [(checkers, other) for checkers, other in self._rules if other is not target]
        found = len(kept) < len(self._rules)
        self._rules = kept
        if not kept:
            self.api.__code__ = self._own
        return found

    def checkers(self, signature: Signature) -> dict[int, Checker]:
        """Return a function that checks an argument, for each position in a signature.

        Raises:
            TypeError: If the signature is not a dict with names or positions as keys.
            ValueError: If a parameter does not exist, is not positional, or has an annotation that
                is not supported.
        """
        if not isinstance(signature, dict) or not all(isinstance(k, str | int) for k in signature):
            raise TypeError(
                "signatures must be dictionaries mapping parameter names to type annotations."
            )
        found = {}
        for key, annotation in signature.items():
            name = self._names[key] if isinstance(key, int) and key < len(self._names) else key
            parameter = self.signature.parameters.get(str(name))
            if parameter is None:
                raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
            positional = (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
            if parameter.kind not in positional:
                raise ValueError(
                    "Dispatch currently only supports type annotations for positional parameters; "
                    f"can't handle annotation for {parameter.kind!r} parameter {name}."
                )
            found[self._names.index(str(name))] = checker(annotation)
        return found

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the implementation for the arguments, or the function without dispatch.

        Raises:
            ValueError: If several implementations match.
        """
        if self._rules:
            args = tuple(map(_listed, args))
            kwargs = {name: _listed(value) for name, value in kwargs.items()}
            if any(map(_is_dispatchable, (*args, *kwargs.values()))):
                target = self._target(args, kwargs)
                if target is not None:
                    return target(*args, **kwargs)
        return self._default(*args, **kwargs)

    def _target(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Function | None:
        found: Function | None = None
        for checkers, target in self._rules:
            if target is found or not self._matches(checkers, args, kwargs):
                continue
            if found is not None:
                raise ValueError(
                    "Multiple dispatch targets that were registered with tf.dispatch_for "
                    f"({found} and {target}) match the arguments to {self.api.__name__}"
                )
            found = target
        return found

    def _matches(
        self, checkers: Mapping[int, Checker], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> bool:
        """Return True if all arguments match, and one of them is an extension type or composite."""
        dispatchable = False
        for place, check in checkers.items():
            name = self._names[place]
            if place < len(args):
                value = args[place]
            elif name in kwargs:
                value = kwargs[name]
            else:
                value = self.signature.parameters[name].default
            if not check(value):
                return False
            dispatchable = dispatchable or _is_dispatchable(value)
        return dispatchable


def _listed(value: Any) -> Any:
    """Return an iterator as a list, because a check of its items would consume them."""
    return list(value) if isinstance(value, types.GeneratorType) else value


def _is_dispatchable(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_is_dispatchable, value))
    return isinstance(value, FieldRecord | Composite)


def checker(annotation: Any) -> Checker:
    """Return a function that checks whether a value matches a type, `Union` or `List`.

    Raises:
        ValueError: If another annotation is passed.
    """
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        options = list(map(checker, arguments))
        return lambda value: any(option(value) for option in options)
    if origin is list:
        item = checker(arguments[0])
        return lambda value: isinstance(value, list | tuple) and all(map(item, value))
    if annotation is None:
        return lambda value: value is None
    if isinstance(annotation, type) and not arguments:
        return lambda value: isinstance(value, annotation)
    raise ValueError(
        f"Type annotation {annotation} is not currently supported by dispatch.  Supported "
        "annotations: type objects,  List[...], and Union[...]"
    )


_PLACE = "the dispatcher of the function"


def _template(*args: Any, **kwargs: Any) -> Any:
    dispatcher: Any = "the dispatcher of the function"
    return dispatcher(args, kwargs)


def _entry(code: types.CodeType, dispatcher: Dispatcher) -> types.CodeType:
    """Return code that calls a dispatcher, with the name, position and closure of other code."""
    own = _template.__code__
    return own.replace(
        co_consts=tuple(dispatcher if value == _PLACE else value for value in own.co_consts),
        co_freevars=code.co_freevars,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
    )


_DISPATCHERS: dict[Any, Dispatcher] = {}


def dispatcher_of(api: Any) -> Dispatcher:
    """Return the dispatcher of a function of tfpy.

    Raises:
        ValueError: If the object is not such a function, or takes `*args` or `**kwargs`.
    """
    known = _DISPATCHERS.get(api)
    if known is not None:
        return known
    is_own = isinstance(api, types.FunctionType) and api.__module__.startswith("tfpy.")
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    if not is_own or any(p.kind in variadic for p in inspect.signature(api).parameters.values()):
        raise ValueError(f"{api} does not support dispatch.")
    made = _DISPATCHERS[api] = Dispatcher(api)
    return made


def all_dispatchers() -> list[Dispatcher]:
    """Return the dispatchers of all functions that have had an implementation."""
    return list(_DISPATCHERS.values())
