"""JavaScript functions that call Python functions, with conversion of arguments and results."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.backends.javascript import interop
from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import nest
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.operand import Composite, Operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.browser.pixels import from_pixels

__all__ = ["as_javascript"]

_PICTURES = frozenset(
    ["HTMLCanvasElement", "HTMLImageElement", "HTMLVideoElement", "ImageBitmap", "ImageData",
     "OffscreenCanvas", "VideoFrame"]
)  # fmt: skip


def as_javascript(function: Callable[..., object]) -> Any:
    """Create a JavaScript function that calls a Python function and returns a promise.

    The arguments are converted from JavaScript to Python:

    - Numbers, strings and booleans are passed unchanged, and `null` becomes None.
    - A typed array becomes a tensor of its dtype. Any other array of numbers, booleans or strings,
      which can be nested, becomes a tensor of dtype float32, bool or string.
    - An object `{data, shape, dtype}` with an array `data` becomes a tensor; `shape` and `dtype`
      are optional.
    - Images, videos and canvases are converted by `tf.browser.from_pixels`.
    - Other plain objects become dicts, and arrays of objects become lists.

    The result is awaited if it is an awaitable, and then converted from Python to JavaScript:

    - A tensor becomes an object `{dtype, shape, data}`, in which `data` is a typed array, or an
      array of strings. Bools are stored as bytes, and complex numbers as pairs of floats.
    - Lists and tuples become arrays, and dicts become objects.

    In JavaScript, call `destroy()` on the function when it is no longer needed. Arguments and
    results are freed automatically.

    Args:
        function: Python function (which can be async), `tf.function` or model that takes positional
            arguments.

    Returns:
        A JavaScript function that returns a promise of the converted result.

    Raises:
        TypeError: If `function` cannot be called.
        RuntimeError: If called outside of a browser.

    Example::

        js.predict = tf.browser.as_javascript(model)
        # In JavaScript: const {data} = await predict({data: [1, 2, 3], shape: [1, 3]});

    See also: `tf.browser.from_pixels`.
    """
    if not callable(function):
        raise TypeError(f"as_javascript: {function!r} cannot be called")

    async def call(*arguments: Any) -> Any:
        found = function(*map(_given, arguments))
        if inspect.isawaitable(found):
            found = await found
        return interop.as_objects(await _read(found))

    return interop.javascript_function(call)


def _given(value: Any) -> Any:
    """Convert a value from JavaScript to Python."""
    if interop.is_js_array(value):
        return [_given(v) for v in value] if interop.holds_objects(value) else _tensor(value)
    if not interop.is_js(value):
        return None if interop.is_null(value) else value
    kind = interop.kind(value)
    if kind in _PICTURES:
        return from_pixels(value)
    if kind != "Object":
        return value
    members = interop.members(value)
    if interop.is_js_array(members.get("data")):
        return _tensor(**members)
    return {name: _given(v) for name, v in members.items()}


def _tensor(data: Any, dtype: str | None = None, shape: Any = None) -> Tensor:
    """Convert a JavaScript array to a tensor."""
    values = interop.array_values(data)
    if dtype == "complex64":
        values = np.asarray(values, np.float32).view(np.complex64)
    elif isinstance(values, list):
        values = np.asarray(values)
        if values.dtype.kind == "i":
            values = values.astype(np.float32)
    tensor = constant(values)
    if dtype is not None:
        tensor = cast(tensor, dtypes.as_dtype(dtype))
    return tensor if shape is None else reshape(tensor, list(shape))


async def _read(found: Any) -> Any:
    """Return a result with arrays in place of tensors; all tensors are read together."""
    leaves = nest.flatten(found)
    values = await asyncio.gather(*map(_value, leaves))
    return nest.pack_sequence_as(found, values)


async def _value(leaf: Any) -> Any:
    """Read the value of a leaf of a result."""
    if isinstance(leaf, Composite):
        raise TypeError(
            f"as_javascript: a {type(leaf).__name__} cannot be converted to JavaScript. Return its "
            "components or a dense tensor."
        )
    if isinstance(leaf, Operand):
        leaf = await convert_to_tensor(leaf).data()
    if not isinstance(leaf, np.ndarray | np.generic):
        return leaf
    array = np.asarray(leaf)
    dtype = "string" if array.dtype == object else array.dtype.name
    return {"dtype": dtype, "shape": list(array.shape), "data": _elements(array)}


def _elements(array: Array) -> Any:
    """Convert an array to one with a typed array in JavaScript.

    Bools become bytes, smaller floats float32, and complex numbers pairs of float32.
    """
    flat = array.reshape(-1)
    if flat.dtype == object:
        return [v.decode() if isinstance(v, bytes) else v for v in flat]
    if flat.dtype == bool:
        return flat.view(np.uint8)
    if flat.dtype == np.complex64:
        return flat.view(np.float32)
    if flat.dtype.kind in "iu" or flat.dtype in (np.float32, np.float64):
        return flat
    return flat.astype(np.float32)
