"""Loading of the JavaScript runtime into a page, which may have registered it."""

from __future__ import annotations

import asyncio
import importlib
import sys
from typing import Any

from tfpy._src.base import assets

IN_BROWSER = sys.platform == "emscripten"
if IN_BROWSER:
    import js
    from pyodide.code import run_js
    from pyodide.ffi import JsException, create_once_callable, to_js

_MODULE = "tfpy_runtime"  # name under which a page may register the runtime itself


def asset(name: str) -> bytes:
    """Return a built file of the package: the JavaScript runtime, a wasm module, a shader.

    Raises:
        FileNotFoundError: If the package was built without it.
    """
    return assets.read(name)


async def load() -> Any:
    """Return the runtime; see `bridge.runtime`."""
    registered = sys.modules.get(_MODULE) or _import_registered()
    if registered is not None:
        return registered

    source = asset("runtime.js").decode()
    try:
        return run_js(source)
    except JsException as refused:
        first = str(refused)
    try:
        return await _run_blob(source)
    except Exception as second:
        raise RuntimeError(
            "The page's Content-Security-Policy keeps tfpy's JavaScript runtime from loading. "
            "Add 'unsafe-eval' or blob: to script-src, or import the runtime in the page and call "
            f"pyodide.registerJsModule({_MODULE!r}, runtime). ({first}; {second})"
        ) from second


def _import_registered() -> Any:
    try:
        return importlib.import_module(_MODULE)
    except ImportError:
        return None


async def _run_blob(source: str) -> Any:
    """Run the runtime as a script element with a Blob URL.

    Raises:
        RuntimeError: If the page forbids it, or in a worker, which has no script elements.
    """
    if not hasattr(js, "document"):
        raise RuntimeError("a worker cannot run a Blob as a script")
    parts = to_js([f"globalThis.__tfpyRuntime = {source}"])
    blob = js.Blob.new(parts, to_js({"type": "text/javascript"}))
    url = js.URL.createObjectURL(blob)
    try:
        await _load_script(url)
        return js.__tfpyRuntime
    finally:
        js.URL.revokeObjectURL(url)


async def _load_script(url: str) -> None:
    """Run a classic script element and wait for it.

    Raises:
        RuntimeError: If the page forbids it.
    """
    done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    element = js.document.createElement("script")
    element.onload = create_once_callable(lambda event: done.set_result(True))
    element.onerror = create_once_callable(lambda event: done.set_result(False))
    element.src = url
    js.document.head.appendChild(element)
    loaded = await done
    element.remove()
    if not loaded:
        raise RuntimeError("the page rejected the Blob script")
