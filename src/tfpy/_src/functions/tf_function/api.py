"""``tf.function``, and its preparation ahead of the first call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.functions.tf_function.conforming import check_signature
from tfpy._src.functions.tf_function.open import OpenConcreteFunction
from tfpy._src.functions.tf_function.polymorphic import Function

P = ParamSpec("P")
R = TypeVar("R")


@overload
def function(
    func: Callable[P, R],
    input_signature: Any = ...,
    autograph: bool = ...,
    jit_compile: bool | None = ...,
    reduce_retracing: bool = ...,
    experimental_implements: str | None = ...,
    experimental_autograph_options: Any = ...,
    experimental_attributes: Any = ...,
    experimental_relax_shapes: bool | None = ...,
    experimental_compile: bool | None = ...,
    experimental_follow_type_hints: bool | None = ...,
    *,
    quantize: str | None = ...,
) -> Function[P, R]: ...


@overload
def function(
    func: None = None,
    input_signature: Any = ...,
    autograph: bool = ...,
    jit_compile: bool | None = ...,
    reduce_retracing: bool = ...,
    experimental_implements: str | None = ...,
    experimental_autograph_options: Any = ...,
    experimental_attributes: Any = ...,
    experimental_relax_shapes: bool | None = ...,
    experimental_compile: bool | None = ...,
    experimental_follow_type_hints: bool | None = ...,
    *,
    quantize: str | None = ...,
) -> Callable[[Callable[P, R]], Function[P, R]]: ...


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    *,
    quantize: str | None = None,
) -> Any:
    """Compiles a function into one program of the active backend (``tf.function``).

    Args:
        input_signature: nests of ``tf.TensorSpec``, one for each argument.
        autograph: whether Python's ``if``, ``while`` and ``for`` on tensors are converted.
        reduce_retracing, experimental_relax_shapes: whether sizes in which calls differ are left
            open, so that the function sees None for them.
        jit_compile, experimental_compile: of no effect: every trace is compiled.
        experimental_implements, experimental_attributes: of no effect.
        experimental_autograph_options, experimental_follow_type_hints: of no effect.
        quantize: "int8" computes products and convolutions with weights in int8 where the
            backend can (wasm, webgpu): for inference, up to 3.2 times as fast, results about 1 %
            off. "int4" does so, too, and where the backend can (webgpu) multiplies few rows, as in
            decoding, with weights in int4: fewer bytes to read, results some 10 % off.

    Raises:
        ValueError: for another ``quantize``.
        TypeError: when ``input_signature`` holds anything but specs.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def f(x):
        ...     return tf.reduce_sum(x * x + 1.0)
        >>> print(f(tf.constant([1.0, 2.0])).numpy())
        7.0
    """
    check_signature(input_signature)
    if func is None:
        return functools.partial(
            function,
            input_signature=input_signature,
            autograph=autograph,
            reduce_retracing=reduce_retracing,
            experimental_relax_shapes=experimental_relax_shapes,
            quantize=quantize,
        )
    reduces = reduce_retracing or bool(experimental_relax_shapes)
    return Function(func, input_signature, autograph, quantize, reduces)


def compile_model(
    model: Callable[P, R],
    *args: Any,
    progress: Callable[[float], None] | None = None,
    quantize: str | None = None,
    **kwargs: Any,
) -> Function[P, R]:
    """Compiles a function for some arguments ahead of its first call.

    Args:
        model: a ``tf.function``, or a callable that is made one.
        args, kwargs: as for a call; a ``tf.TensorSpec`` of a whole shape may stand for a tensor.
        progress: called with the share that is done, from 0.0 to 1.0.
        quantize: as for ``tf.function``. A ``tf.function`` has said it itself.

    Returns:
        The function; a call with arguments of that signature starts at once.

    Raises:
        ValueError: for a TensorSpec with open sizes, and for ``quantize`` with a ``tf.function``.

    Example:
        >>> import tfpy as tf
        >>> model = tf.compile_model(tf.nn.relu, tf.TensorSpec([2]))
        >>> print(model(tf.constant([-1.0, 1.0])).numpy())
        [0. 1.]
    """
    return wait(
        compile_model_async(model, *args, progress=progress, quantize=quantize, **kwargs),
        "write `await tf.compile_model_async(model, ...)`",
    )


@awaitable("tf.compile_model_async(model, ...)")
async def compile_model_async(
    model: Callable[P, R],
    *args: Any,
    progress: Callable[[float], None] | None = None,
    quantize: str | None = None,
    **kwargs: Any,
) -> Function[P, R]:
    """Await what :func:`compile_model` returns.

    Args and errors are those of :func:`compile_model`.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> model = asyncio.run(tf.compile_model_async(tf.nn.relu, tf.TensorSpec([2])))
        >>> print(model(tf.constant([-1.0, 1.0])).numpy())
        [0. 1.]
    """
    if isinstance(model, Function) and quantize is not None:
        raise ValueError("compile_model: give quantize to the tf.function itself")
    function = model if isinstance(model, Function) else Function(model, quantize=quantize)
    concrete = function.get_concrete_function(*args, **kwargs)
    if isinstance(concrete, OpenConcreteFunction):
        raise ValueError("compile_model: every size must be given; a TensorSpec leaves some open")
    await concrete.prepare(progress or (lambda share: None))
    return function
