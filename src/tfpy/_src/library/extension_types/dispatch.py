"""`tf.experimental.dispatch_for_api` and the other decorators that register implementations."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tfpy._src.core.name_scope import name_scope
from tfpy._src.library.extension_types import elementwise
from tfpy._src.library.extension_types.dispatcher import (
    Signature,
    all_dispatchers,
    checker,
    dispatcher_of,
)

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

_HANDLERS: dict[Any, tuple[Function, list[Function]]] = {}
"""Elementwise handlers with the implementations that call them, by kind and types."""


def dispatch_for_api(api: Function, *signatures: Signature) -> Callable[[F], F]:
    """Return a decorator that registers an implementation of a function for types of arguments.

    The function then calls the implementation if the arguments match a signature, and at least one
    of them is an extension type, a ragged tensor, a sparse tensor, or a list with one of these.

    Args:
        api: A function of TensorFlow, such as `tf.add`.
        *signatures: Dicts from names or positions of parameters to types. A type can be a class, a
            `Union` or a `List`. A signature matches if all of its parameters match. Default: the
            annotations of the implementation.

    Returns:
        A decorator. The implementation must have the parameters of `api`, but can omit `name`.

    Raises:
        ValueError: If the function cannot be dispatched, or a signature or the parameters of the
            implementation do not match those of the function.
        TypeError: If a signature is not a dict, or the implementation is not callable.

    Example:
        >>> import tfpy as tf
        >>> class Labeled(tf.experimental.ExtensionType):
        ...     values: tf.Tensor
        ...     label: str
        >>> @tf.experimental.dispatch_for_api(tf.math.l2_normalize, {"x": Labeled})
        ... def normalized(x, axis=None, epsilon=1e-12):
        ...     return Labeled(tf.math.l2_normalize(x.values, axis, epsilon), x.label)
        >>> print(tf.math.l2_normalize(Labeled([3.0, 4.0], "a")).values.numpy())
        [0.6 0.8]
        >>> tf.experimental.unregister_dispatch_for(normalized)

    See also: `tf.experimental.dispatch_for_unary_elementwise_apis`,
    `tf.experimental.unregister_dispatch_for`.
    """
    dispatcher = dispatcher_of(api)
    for signature in signatures:
        dispatcher.checkers(signature)

    def decorate(target: F) -> F:
        if not callable(target):
            raise TypeError(f"Expected dispatch_target to be callable; got {target!r}")
        implementation: Any = _with_name(target, dispatcher.signature)
        _check_parameters(dispatcher.signature, implementation)
        for signature in signatures or [_annotated(target)]:
            dispatcher.register(signature, implementation)
        return typing.cast(F, implementation)

    return decorate


def _with_name(target: Function, api: inspect.Signature) -> Function:
    """Return an implementation that has the parameter `name` if the function has it."""
    own = inspect.signature(target)
    keywords = any(p.kind is p.VAR_KEYWORD for p in own.parameters.values())
    if "name" not in api.parameters or "name" in own.parameters or keywords:
        return target
    place = list(api.parameters).index("name")

    @functools.wraps(target)
    def named(*args: Any, **kwargs: Any) -> Any:
        name = args[place] if place < len(args) else kwargs.pop("name", None)
        args = args[:place] + args[place + 1 :]
        if name is None:
            return target(*args, **kwargs)
        with name_scope(name):
            return target(*args, **kwargs)

    parameters = [*own.parameters.values(), api.parameters["name"]]
    vars(named)["__signature__"] = own.replace(parameters=parameters)
    return named


def _check_parameters(api: inspect.Signature, target: Function) -> None:
    """Raise a ValueError if an implementation has other parameters than the function."""
    own = inspect.signature(target)
    kinds = [p.kind for p in own.parameters.values()]
    parameter = inspect.Parameter
    if kinds == [parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD]:
        return
    names = [(p.name, p.kind) for p in own.parameters.values()]
    if names != [(p.name, p.kind) for p in api.parameters.values()]:
        raise ValueError(
            f"Dispatch function's signature {_shown(own)} does not match API's signature "
            f"{_shown(api)}."
        )


def _shown(signature: inspect.Signature) -> inspect.Signature:
    """Return a signature without annotations."""
    empty = inspect.Parameter.empty
    parameters = [p.replace(annotation=empty) for p in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=empty)


def _annotated(target: Function) -> dict[str | int, Any]:
    """Return the annotations of the parameters of an implementation."""
    try:
        hints = typing.get_type_hints(target)
    except NameError:  # a class in a function's scope
        hints = {n: p.annotation for n, p in inspect.signature(target).parameters.items()}
    empty = inspect.Parameter.empty
    names = inspect.signature(target).parameters
    found: dict[str | int, Any] = {n: hints[n] for n in names if hints.get(n, empty) is not empty}
    if not found:
        raise ValueError(
            "The dispatch_for_api decorator must be called with at least one signature, or applied "
            "to a function that has type annotations on its parameters."
        )
    return found


def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[F], F]:
    """Return a decorator that registers a handler for all elementwise functions of one tensor.

    These functions include `tf.abs`, `tf.cast`, `tf.nn.relu`, `tf.ones_like`, `tf.sin`, and others.

    Args:
        x_type: Type of the first argument: a class, a `Union` or a `List`.

    Returns:
        A decorator of a function `handler(api_func, x)`. `api_func` is the called function with its
        other arguments, and `x` is the first argument.

    Raises:
        ValueError: If a handler is registered for the type.

    Example:
        >>> import tfpy as tf
        >>> class Masked(tf.experimental.ExtensionType):
        ...     values: tf.Tensor
        ...     mask: tf.Tensor
        >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
        ... def unary(api_func, x):
        ...     return Masked(api_func(x.values), x.mask)
        >>> print(tf.abs(Masked([1, -2, -3], [True, False, True])).values.numpy())
        [1 2 3]
        >>> tf.experimental.unregister_dispatch_for(unary)

    See also: `tf.experimental.dispatch_for_binary_elementwise_apis`.
    """
    return _elementwise("unary elementwise", elementwise.unary, (x_type,))


def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[F], F]:
    """Return a decorator that registers a handler for all elementwise functions of two tensors.

    These functions include `tf.add`, `tf.maximum`, `tf.equal`, `tf.pow`, and others.

    Args:
        x_type: Type of the first argument: a class, a `Union` or a `List`.
        y_type: Type of the second argument.

    Returns:
        A decorator of a function `handler(api_func, x, y)`. `api_func` is the called function with
        its other arguments.

    Raises:
        ValueError: If a handler is registered for the types.

    Example:
        >>> import tfpy as tf
        >>> class Masked(tf.experimental.ExtensionType):
        ...     values: tf.Tensor
        ...     mask: tf.Tensor
        >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
        ... def binary(api_func, x, y):
        ...     return Masked(api_func(x.values, y.values), x.mask & y.mask)
        >>> total = tf.add(Masked([1, 2], [True, False]), Masked([10, 20], [True, True]))
        >>> print(total.values.numpy(), total.mask.numpy())
        [11 22] [ True False]
        >>> tf.experimental.unregister_dispatch_for(binary)

    See also: `tf.experimental.dispatch_for_unary_elementwise_apis`.
    """
    return _elementwise("binary elementwise", elementwise.binary, (x_type, y_type))


def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[F], F]:
    """Return a decorator that registers a handler for all elementwise assertions of two tensors.

    These functions are `tf.debugging.assert_equal`, `assert_greater`, `assert_greater_equal`,
    `assert_less`, `assert_less_equal`, `assert_near` and `assert_none_equal`.

    Args:
        x_type: Type of the first argument: a class, a `Union` or a `List`.
        y_type: Type of the second argument.

    Returns:
        A decorator of a function `handler(assert_func, x, y)`. `assert_func` is the called function
        with its other arguments.

    Raises:
        ValueError: If a handler is registered for the types.

    Example:
        >>> import tfpy as tf
        >>> class Masked(tf.experimental.ExtensionType):
        ...     values: tf.Tensor
        ...     mask: tf.Tensor
        >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
        ... def compared(assert_func, x, y):
        ...     both = x.mask & y.mask
        ...     return assert_func(x.values[both], y.values[both])
        >>> tf.debugging.assert_equal(
        ...     Masked([1, 2], [True, False]), Masked([1, 3], [True, True])
        ... )
        >>> tf.experimental.unregister_dispatch_for(compared)

    See also: `tf.experimental.dispatch_for_binary_elementwise_apis`.
    """
    return _elementwise("binary elementwise assert", elementwise.assertions, (x_type, y_type))


def _elementwise(
    kind: str, apis: Callable[[], Sequence[Function]], given: tuple[Any, ...]
) -> Callable[[F], F]:
    """Return a decorator that registers a handler for functions of one kind."""
    for annotation in given:
        checker(annotation)

    def decorate(handler: F) -> F:
        shown = given[0] if len(given) == 1 else f"({', '.join(map(str, given))})"
        key = (kind, *given)
        if key in _HANDLERS:
            raise ValueError(
                f"A {kind} dispatch handler ({_HANDLERS[key][0]}) has already been "
                f"registered for {shown}."
            )
        targets = []
        for api in apis():
            target = _target(api, handler, len(given))
            dispatch_for_api(api, dict(enumerate(given)))(target)
            targets.append(target)
        _HANDLERS[key] = handler, targets
        return handler

    return decorate


def _target(api: Function, handler: Function, count: int) -> Function:
    """Return an implementation that calls an elementwise handler with the first arguments."""
    names = list(inspect.signature(api).parameters)

    def target(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip(names, args, strict=False)) | kwargs
        name = given.pop("name", None)
        operands = [given.pop(n) for n in names[:count]]
        with_rest = functools.partial(_called, api, given) if given else api
        if name is None:
            return handler(with_rest, *operands)
        with name_scope(name):
            return handler(with_rest, *operands)

    return target


def _called(api: Function, rest: Mapping[str, Any], *operands: Any) -> Any:
    return api(*operands, **rest)


def unregister_dispatch_for(dispatch_target: Function) -> None:
    """Remove an implementation or a handler that a decorator of this module has registered.

    Args:
        dispatch_target: The registered function.

    Raises:
        ValueError: If the function is not registered.

    Example:
        >>> import tfpy as tf
        >>> class Wrapped(tf.experimental.ExtensionType):
        ...     values: tf.Tensor
        >>> @tf.experimental.dispatch_for_api(tf.size, {"input": Wrapped})
        ... def size(input, out_type=tf.int32):
        ...     return tf.size(input.values, out_type)
        >>> tf.size(Wrapped([1, 2, 3])).numpy().tolist()
        3
        >>> tf.experimental.unregister_dispatch_for(size)

    See also: `tf.experimental.dispatch_for_api`.
    """
    targets = [dispatch_target]
    for key, (handler, own) in list(_HANDLERS.items()):
        if handler is dispatch_target:
            targets += own
            del _HANDLERS[key]
    removed = [d.unregister(target) for target in targets for d in all_dispatchers()]
    if not any(removed):
        raise ValueError(
            f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator."
        )
