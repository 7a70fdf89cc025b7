"""Docstrings of `tf.experimental.numpy`, assembled from shared descriptions of the parameters."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_PARAMETERS = {
    "x": "Tensor, array, number or nested list.",
    "x1": "Tensor, array, number or nested list.",
    "x2": "Tensor, array, number or nested list, which broadcasts with `x1`.",
    "a": "Tensor, array, number or nested list.",
    "b": "Tensor, array, number or nested list.",
    "m": "Tensor, array or nested list.",
    "v": "Tensor, array or nested list.",
    "val": "Tensor, array, number or nested list.",
    "arr": "Tensor, array, number or nested list.",
    "ary": "Tensor or array.",
    "arys": "Tensors, arrays, numbers or nested lists.",
    "arrays": "Sequence of tensors, arrays, numbers or nested lists.",
    "tup": "Sequence of tensors, arrays, numbers or nested lists.",
    "shape": "Shape of the result: an integer, a sequence of integers, or an integer tensor.",
    "dtype": "Dtype of the result. Default: the dtype that follows from the arguments.",
    "axis": "Axis. Negative values count from the end.",
    "keepdims": "If True, keep the reduced axes as dimensions of size 1. Default: False.",
    "out": "Must be None. Tensors cannot be written to.",
    "axis1": "First axis.",
    "axis2": "Second axis.",
    "k": "Number of the diagonal. 0 is the main diagonal, and positive numbers are above it.",
    "size": "Shape of the result, an integer or a sequence of integers.",
    "kind": 'Name of the algorithm: `"quicksort"`.',
    "order": "Must be None. Tensors do not have fields.",
    "num": "Number of values. Default: 50.",
    "start": "First value.",
    "stop": "Last value.",
    "endpoint": "If False, the last value is excluded. Default: True.",
    "copy": "Has no effect, because tensors are immutable.",
}
"""Descriptions of parameters that have the same meaning in most functions."""

ELEMENTWISE = "Tensor of the broadcast shape."
OF_SHAPE_OF_X = "Tensor of the shape of `x`."
REDUCED = "Tensor without the reduced axes, unless `keepdims` is True."


def documented(
    text: str, example: str, prints: str | None, returns: str, *, see: str = "", **parameters: str
) -> Callable[[F], F]:
    """Return a decorator that writes the docstring of a function of `tf.experimental.numpy`.

    Args:
        text: Summary, optionally with further paragraphs.
        example: Expression of the example. Unless it begins with `tnp.`, it is a call of one of
            the functions, whose result is converted to a list.
        prints: Result of the example. None marks an example that tests must not run.
        returns: Description of the result.
        see: Related functions. Default: NumPy's function of the same name.
        parameters: Descriptions of parameters that `_PARAMETERS` does not describe.
    """

    def write(function: F) -> F:
        function.__doc__ = docstring(function, text, example, prints, returns, see, parameters)
        return function

    return write


def docstring(
    function: Callable[..., Any],
    text: str,
    example: str,
    prints: str | None,
    returns: str,
    see: str,
    parameters: dict[str, str],
) -> str:
    """Return the docstring of a function."""
    code = function.__code__
    flags = (code.co_flags & 0x04 != 0) + (code.co_flags & 0x08 != 0)  # *args and **kwargs
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + flags]
    lines = [inspect.cleandoc(text), ""]
    if names:
        described = ({**_PARAMETERS, **parameters}[name] for name in names)
        pairs = zip(names, described, strict=True)
        lines += ["Args:", *(_wrapped(f"{name}: {what}") for name, what in pairs), ""]
    shown = example if example.startswith("tnp.") else f"tnp.{example}.numpy().tolist()"
    code_lines = ["import tfpy as tf", "tnp = tf.experimental.numpy", shown]
    lines += ["Returns:", _wrapped(returns), ""]
    if prints is None:
        lines += ["Example::", "", *(f"    {line}" for line in code_lines)]
    else:
        printed = [f"    {line}" for line in prints.splitlines()]
        lines += ["Example:", *(f"    >>> {line}" for line in code_lines), *printed]
    lines += ["", f"See also: {see or f'`numpy.{function.__name__}`'}."]
    return "\n".join(lines)


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="        ")
