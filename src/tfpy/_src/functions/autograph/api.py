"""`tf.autograph`: Python's `if`, `while` and `for` on tensors, inside `tf.function`.

`convert.py` rewrites the syntax tree of a function so that control flow becomes calls of the
functions in `operators/`. These decide at run time: a symbolic tensor becomes an equation, and
everything else runs as plain Python.
"""

from __future__ import annotations

import functools
import os
import types
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.functions.autograph import operators
from tfpy._src.functions.autograph.build import OPERATORS
from tfpy._src.functions.autograph.convert import converted_code
from tfpy._src.functions.autograph.marks import is_marked
from tfpy._src.functions.autograph.operators.builtins import BUILTINS, LazyRange
from tfpy._src.functions.trace.converting import CONVERTERS
from tfpy._src.tensors.array import ranges


def call(function: Any) -> Any:
    """Return the callable that converted code calls in place of a function."""
    if isinstance(function, types.FunctionType):
        return converted(function) if _is_the_users(function) else function
    if isinstance(function, types.MethodType):
        inner = function.__func__
        if isinstance(inner, types.FunctionType) and _is_the_users(inner):
            return types.MethodType(converted(inner), function.__self__)
        return function
    if isinstance(function, types.BuiltinFunctionType | type):
        return BUILTINS.get(function, function)
    if isinstance(function, functools.partial):
        return functools.partial(call(function.func), *function.args, **function.keywords)
    method = vars(type(function)).get("__call__")
    if isinstance(method, types.FunctionType) and _is_the_users(method):
        return types.MethodType(converted(method), function)
    return function


def iterated(function: Any) -> Any:
    """Return the callable that replaces a function in the header of a `for` loop."""
    is_range = ranges.range in (function, getattr(function, "__wrapped__", None))
    if is_range and tracing.local.active:
        return LazyRange.of
    return call(function)


def _is_the_users(function: types.FunctionType) -> bool:
    """Return True if a function is converted, as the functions of most libraries are."""
    module = f"{function.__module__ or ''}."
    if is_marked(function) or module.startswith(_UNCONVERTED):
        return False
    return not _is_standard(function.__code__.co_filename)


_UNCONVERTED = (
    *("PIL.", "absl.logging.", "keras.", "matplotlib.", "numpy.", "pandas.", "tensorflow."),
    *("tensorflow_datasets.core.", "tensorflow_probability.", "tf_keras.", "tfpy."),
)
"""Packages whose functions TensorFlow does not convert either."""


@lru_cache(maxsize=1024)
def _is_standard(filename: str) -> bool:
    """Return True for a file of tfpy or of the standard library."""
    package, library = Path(__file__).parents[3], Path(os.__file__).parent
    if filename.startswith(("<frozen", f"{package}/")):
        return True
    return filename.startswith(f"{library}/") and "-packages/" not in filename


_statements = {name: getattr(operators, name) for name in operators.__all__}
_operators = types.CellType(types.SimpleNamespace(call=call, iterated=iterated, **_statements))
"""Functions that converted code accesses under the name `OPERATORS`."""


def converted(function: types.FunctionType) -> types.FunctionType:
    """Return the function with converted control flow, or the function itself without a source."""
    code = converted_code(function)
    if code is None:
        return function
    cells: dict[str, Any] = dict(
        zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )
    cells[OPERATORS] = _operators
    closure = tuple(cells[n] for n in code.co_freevars)
    made = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    made.__doc__, made.__dict__ = function.__doc__, dict(function.__dict__)
    return made


CONVERTERS.append(call)


def to_graph(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: object = None,
) -> Callable[..., Any]:
    """Convert the `if`, `while` and `for` statements of a function, so that they accept tensors.

    `tf.function` does this automatically. Functions that the function calls are converted as well.

    Args:
        entity: Python function or method to convert.
        recursive: Has no effect.
        experimental_optional_features: Has no effect.

    Returns:
        The converted function.

    Example:
        >>> import tfpy as tf
        >>> def signed(x):
        ...     if x > 0:
        ...         return x
        ...     return -x
        >>> converted = tf.function(tf.autograph.to_graph(signed), autograph=False)
        >>> converted(tf.constant(-3)).numpy().tolist()
        3

    See also: `tf.autograph.to_code`, `tf.function`.
    """
    function: Callable[..., Any] = call(entity)
    return function


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Do nothing. In TensorFlow, this sets how much AutoGraph logs; here it logs nothing.

    Args:
        level: Has no effect.
        alsologtostdout: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> tf.autograph.set_verbosity(3)
    """


def trace(*args: object) -> None:
    """Print values while a function is traced, but not when the compiled function runs.

    Args:
        *args: Values to print, as for `print`.

    Example:
        >>> import tfpy as tf
        >>> @tf.function
        ... def doubled(x):
        ...     tf.autograph.trace("traced for", x.dtype)
        ...     return x * 2
        >>> doubled(tf.constant(1)).numpy().tolist(), doubled(tf.constant(2)).numpy().tolist()
        traced for <dtype: 'int32'>
        (2, 4)

    See also: `tf.print`.
    """
    print(*args)
