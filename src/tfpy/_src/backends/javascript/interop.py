"""Values of JavaScript in Python: what they are, and how they convert.

CPython has none: callers check :data:`bridge.IN_BROWSER` before they call these functions.
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
    """Whether it is an object of JavaScript. The classes of such objects share a name, which is
    asked for sooner than ``isinstance`` answers.
    """
    return type(value).__name__ == "JsProxy"


def is_null(value: Any) -> bool:
    """Whether it is ``null`` of JavaScript, which Pyodide tells from ``undefined``, None here."""
    return value is jsnull


def kind(value: Any) -> str:
    """The name of its class, in JavaScript where it is from there."""
    return str(value.constructor.name) if is_js(value) else type(value).__name__


def is_js_array(value: Any) -> bool:
    """Whether it is an array of JavaScript, typed or not."""
    return is_js(value) and isinstance(value, JsArray)


def array_values(array: Any) -> Any:
    """The values of an array of JavaScript: a NumPy array of a typed array's dtype, by one copy of
    its bytes; of another one a list, in which typed arrays are NumPy arrays.
    """
    if isinstance(array, JsBuffer):
        return np.asarray(array.to_memoryview())
    return [array_values(v) if is_js_array(v) else v for v in array]


def holds_objects(array: Any) -> bool:
    """Whether an array of JavaScript holds objects that are no arrays."""
    if isinstance(array, JsBuffer):
        return False
    return any(holds_objects(v) if is_js_array(v) else is_js(v) for v in array)


def members(value: Any) -> dict[str, Any]:
    """The members of an object of JavaScript."""
    return dict(js.Object.entries(value))


def as_objects(value: Any) -> Any:
    """Arrays, objects and typed arrays of JavaScript for lists, dicts and NumPy arrays."""
    return to_js(value, dict_converter=js.Object.fromEntries)


def javascript_function(function: Callable[..., Any]) -> Any:
    """A function that JavaScript can call until it ends it (``destroy()``).

    Raises:
        RuntimeError: where there is no JavaScript.
    """
    if not IN_BROWSER:
        raise RuntimeError("there is no JavaScript here: only Pyodide has it")
    return create_proxy(function)


class Failure(NamedTuple):
    """An error of JavaScript."""

    name: str
    text: str


async def settled(promise: Any) -> tuple[Any, Failure | None]:
    """What a promise gives, or its error."""
    try:
        return await promise, None
    except JsException as error:
        return None, Failure(str(error.name), str(error))
