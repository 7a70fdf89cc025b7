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

    The function is traced at the first call with each signature: shapes and dtypes of tensors, and
    values of Python arguments. If a shape depends on the values of tensors, the function cannot
    be traced. It then runs op by op, with a warning.

    Args:
        func: Function to compile. If None, return a decorator.
        input_signature: Sequence with a `tf.TensorSpec`, or a nest of them, for each argument. A
            size of None accepts every size. Default: one trace for each signature that calls have.
        autograph: If True, convert `if`, `while` and `for` statements that depend on tensors.
        jit_compile: Has no effect, because every trace is compiled.
        reduce_retracing: If True, leave sizes open in which calls differ. The function sees None
            for an open size.
        experimental_implements: Has no effect.
        experimental_autograph_options: Has no effect.
        experimental_attributes: Has no effect.
        experimental_relax_shapes: Older name of `reduce_retracing`.
        experimental_compile: Older name of `jit_compile`.
        experimental_follow_type_hints: Has no effect.
        quantize: Precision of products and convolutions with weights, for inference. `"int8"` uses
            int8 on wasm and webgpu. It is up to 3.2 times as fast, and results differ by about
            1 %. `"int4"` also stores the weights of products with few rows in int4 on webgpu, as
            in the decoding of text. It reads fewer bytes, and results differ by about 10 %.

    Returns:
        A `Function`, which is called like `func`. If `func` is None, a decorator that makes one.

    Raises:
        ValueError: If `quantize` is not None, `"int8"` or `"int4"`.
        TypeError: If `input_signature` contains anything but specs.

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
    """Compile a function for some arguments ahead of its first call.

    Args:
        model: A `tf.function`, or a callable that becomes one.
        *args: Positional arguments as for a call. A `tf.TensorSpec` with a fully defined shape can
            replace a tensor.
        progress: Function that is called with the completed share, from 0.0 to 1.0.
        quantize: As for `tf.function`. Must be None if `model` is a `tf.function`.
        **kwargs: Keyword arguments as for a call.

    Returns:
        The `tf.function`. A call with arguments of this signature does not trace or compile.

    Raises:
        ValueError: If a `tf.TensorSpec` has open sizes, or if `quantize` is given together with a
            `tf.function`.

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

    Args:
        model: A `tf.function`, or a callable that becomes one.
        *args: Positional arguments as for a call. A `tf.TensorSpec` with a fully defined shape can
            replace a tensor.
        progress: Function that is called with the completed share, from 0.0 to 1.0.
        quantize: As for `tf.function`. Must be None if `model` is a `tf.function`.
        **kwargs: Keyword arguments as for a call.

    Returns:
        The `tf.function`. A call with arguments of this signature does not trace or compile.

    Raises:
        ValueError: If a `tf.TensorSpec` has open sizes, or if `quantize` is given together with a
            `tf.function`.

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
