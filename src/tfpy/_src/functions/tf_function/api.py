"""`tf.function`, and functions that compile a model ahead of its first call."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar, overload

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.core.typing import Nest
from tfpy._src.functions.tf_function.conforming import check_signature
from tfpy._src.functions.tf_function.open import OpenConcreteFunction
from tfpy._src.functions.tf_function.polymorphic import Function

P = ParamSpec("P")
R = TypeVar("R")


@overload
def function(
    func: Callable[P, R],
    input_signature: Sequence[Nest] | None = ...,
    autograph: bool = ...,
    jit_compile: bool | None = ...,
    reduce_retracing: bool = ...,
    experimental_implements: str | None = ...,
    experimental_autograph_options: object = ...,
    experimental_attributes: Mapping[str, object] | None = ...,
    experimental_relax_shapes: bool | None = ...,
    experimental_compile: bool | None = ...,
    experimental_follow_type_hints: bool | None = ...,
    *,
    quantize: str | None = ...,
) -> Function[P, R]: ...


@overload
def function(
    func: None = None,
    input_signature: Sequence[Nest] | None = ...,
    autograph: bool = ...,
    jit_compile: bool | None = ...,
    reduce_retracing: bool = ...,
    experimental_implements: str | None = ...,
    experimental_autograph_options: object = ...,
    experimental_attributes: Mapping[str, object] | None = ...,
    experimental_relax_shapes: bool | None = ...,
    experimental_compile: bool | None = ...,
    experimental_follow_type_hints: bool | None = ...,
    *,
    quantize: str | None = ...,
) -> Callable[[Callable[P, R]], Function[P, R]]: ...


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Nest] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: object = None,
    experimental_attributes: Mapping[str, object] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    *,
    quantize: str | None = None,
) -> Any:
    """Compile a Python function into one program for the active backend.

    On the first call, the function is traced: Python runs it, and the ops that it calls are
    recorded and compiled. Later calls run the compiled program without the Python code. The
    function is traced again for each new signature, that is, for each new combination of shapes and
    dtypes of tensors and of values of other arguments.

    If a shape depends on the values of tensors, the function cannot be traced. It then runs
    eagerly, without compilation, and a warning is issued.

    Args:
        func: Function to compile. If None, return a decorator.
        input_signature: List with one entry for each argument. An entry is a `tf.TensorSpec`, or a
            nested structure (list, tuple or dict) of specs if the argument is such a structure. A
            dimension of None matches any size. Calls with other shapes or dtypes raise an error.
            Default: every call may have a new signature.
        autograph: If True, `if`, `while` and `for` statements that depend on tensors become part of
            the compiled program, as if they were written with `tf.cond` and `tf.while_loop`. If
            False, such statements raise an error.
        jit_compile: Has no effect.
        reduce_retracing: If True, dimensions in which calls differ become None in the signature, so
            that the function sees None for them.
        experimental_implements: Has no effect.
        experimental_autograph_options: Has no effect.
        experimental_attributes: Has no effect.
        experimental_relax_shapes: Older name of `reduce_retracing`.
        experimental_compile: Older name of `jit_compile`.
        experimental_follow_type_hints: Has no effect.
        quantize: Precision of matrix products and convolutions with weights, for inference on the
            wasm and webgpu backends. The other backends compute in full precision. With `"int8"`,
            weights (Variables, captured tensors and constants) and inputs are rounded to int8,
            which is usually 1.1 to 3.2 times as fast as float32 and changes results by about 1%.
            `"int4"` differs from `"int8"` only on webgpu, and there only in products of weights
            with a matrix of at most four rows, as in text generation: the weights are rounded to
            int4, so that fewer bytes are read. It changes results by about 10%. Default: full
            precision.

    Returns:
        A compiled function, which is called like `func`. If `func` is None, a decorator that
        returns one.

    Raises:
        ValueError: If `quantize` is anything other than None, `"int8"` or `"int4"`.
        TypeError: If `input_signature` contains values that are not specs.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def f(x):
        ...     return tf.reduce_sum(x * x + 1.0)
        >>> print(f(tf.constant([1.0, 2.0])).numpy())
        7.0

    See also: `tf.compile_model`, `tf.TensorSpec`, `tf.config.run_functions_eagerly`.
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
    """Compile a function ahead of its first call.

    The first call then takes as long as later ones. A function without side effects is also run
    once with zeros.

    Args:
        model: A `tf.function`, or any other function or callable, which is made into one.
        *args: Positional arguments of the call to prepare. Instead of a tensor, you can pass a
            `tf.TensorSpec` with a fully defined shape.
        progress: Function that is called with the completed share, from 0.0 to 1.0. Default: do not
            report progress.
        quantize: Precision of matrix products and convolutions with weights, as for `tf.function`.
            Must be None if `model` is a `tf.function`.
        **kwargs: Keyword arguments of the call to prepare.

    Returns:
        The `tf.function`. Calls with arguments of the same shapes and dtypes are not traced or
        compiled again.

    Raises:
        ValueError: If the shape of a `tf.TensorSpec` contains None, or if `quantize` is passed and
            `model` is a `tf.function`.
        tf.errors.NotTraceableError: If a shape depends on the values of tensors.

    Example:
        >>> import tfpy as tf
        >>> model = tf.compile_model(tf.nn.relu, tf.TensorSpec([2]))
        >>> print(model(tf.constant([-1.0, 1.0])).numpy())
        [0. 1.]

    See also: `tf.compile_model_async`, `tf.function`.
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
    """Compile a function ahead of its first call, without blocking the page.

    The function is traced at once. Its programs are then compiled in the background, while the page
    continues to respond. A function without side effects is also run once with zeros.

    Args:
        model: A `tf.function`, or any other function or callable, which is made into one.
        *args: Positional arguments of the call to prepare. Instead of a tensor, you can pass a
            `tf.TensorSpec` with a fully defined shape.
        progress: Function that is called with the completed share, from 0.0 to 1.0. Default: do not
            report progress.
        quantize: Precision of matrix products and convolutions with weights, as for `tf.function`.
            Must be None if `model` is a `tf.function`.
        **kwargs: Keyword arguments of the call to prepare.

    Returns:
        An awaitable that resolves to the `tf.function`. Calls with arguments of the same shapes and
        dtypes are not traced or compiled again.

    Raises:
        ValueError: If the shape of a `tf.TensorSpec` contains None, or if `quantize` is passed and
            `model` is a `tf.function`.
        tf.errors.NotTraceableError: If a shape depends on the values of tensors.

    Example:
        >>> import asyncio
        >>> import tfpy as tf
        >>> model = asyncio.run(tf.compile_model_async(tf.nn.relu, tf.TensorSpec([2])))
        >>> print(model(tf.constant([-1.0, 1.0])).numpy())
        [0. 1.]

    See also: `tf.compile_model`.
    """
    if isinstance(model, Function) and quantize is not None:
        raise ValueError(
            "compile_model: `model` is a tf.function; pass quantize to tf.function instead"
        )
    function = model if isinstance(model, Function) else Function(model, quantize=quantize)
    concrete = function.get_concrete_function(*args, **kwargs)
    if isinstance(concrete, OpenConcreteFunction):
        raise ValueError(
            "compile_model: a TensorSpec leaves a size open; specify every size of its shape"
        )
    await concrete.prepare(progress or (lambda share: None))
    return function
