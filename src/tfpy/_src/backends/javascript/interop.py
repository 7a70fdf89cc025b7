"""Tests and conversions of JavaScript values in Python.

CPython has no such values: callers check `bridge.IN_BROWSER` before they call these functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.backends.javascript.bridge import IN_BROWSER

if IN_BROWSER:
    import js
    from pyodide.ffi import JsArray, JsBuffer, JsException, create_proxy, jsnull, to_js


def is_js(value: Any) -> bool:
    """Return True for an object of JavaScript.

    The classes of such objects share a name. Comparing it is faster than `isinstance`.
    """
    return type(value).__name__ == "JsProxy"


def is_null(value: Any) -> bool:
    """Return True for JavaScript's `null`. Pyodide converts only `undefined` to None."""
    return value is jsnull


def kind(value: Any) -> str:
    """Return the name of the value's class, for a JavaScript object its JavaScript class."""
    return str(value.constructor.name) if is_js(value) else type(value).__name__


def is_js_array(value: Any) -> bool:
    """Return True for an array of JavaScript, typed or not."""
    return is_js(value) and isinstance(value, JsArray)


def array_values(array: Any) -> Any:
    """Return the values of a JavaScript array.

    A typed array becomes a NumPy array of the same dtype by one copy. Another array becomes a list,
    in which typed arrays are NumPy arrays.
    """
    if isinstance(array, JsBuffer):
        return np.asarray(array.to_memoryview())
    return [array_values(v) if is_js_array(v) else v for v in array]


def holds_objects(array: Any) -> bool:
    """Return True if a JavaScript array contains objects that are not arrays."""
    if isinstance(array, JsBuffer):
        return False
    return any(holds_objects(v) if is_js_array(v) else is_js(v) for v in array)


def members(value: Any) -> dict[str, Any]:
    """Return the members of a JavaScript object."""
    return dict(js.Object.entries(value))


def as_objects(value: Any) -> Any:
    """Convert lists, dicts and NumPy arrays to JavaScript arrays, objects and typed arrays."""
    return to_js(value, dict_converter=js.Object.fromEntries)


def javascript_function(function: Callable[..., Any]) -> Any:
    """Return a function that JavaScript can call until `destroy()` is called on it.

    Raises:
        RuntimeError: If JavaScript is not available.
    """
    if not IN_BROWSER:
        raise RuntimeError("JavaScript is not available here: it needs Pyodide.")
    return create_proxy(function)


class Failure(NamedTuple):
    """An error of JavaScript."""

    name: str
    text: str


async def settled(promise: Any) -> tuple[Any, Failure | None]:
    """Return the value of a promise, or its error."""
    try:
        return await promise, None
    except JsException as error:
        return None, Failure(str(error.name), str(error))
