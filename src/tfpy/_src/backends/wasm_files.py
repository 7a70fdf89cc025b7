"""The source of the wasm backend's modules: the wheel, the site, or given URLs.

A page uses one of four modules, so the site's wheel contains none of them: they are in the site's
folder `run`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from urllib.parse import quote

from tfpy._src.backends.javascript import loading
from tfpy._src.backends.javascript.digests import sha384
from tfpy._src.backends.javascript.fetching import open_address, read_together
from tfpy._src.backends.registry import find_backend
from tfpy._src.base.errors import DataLossError, UnavailableError
from tfpy._src.loader import lazy_imports

VARIANTS = ("simd", "simd-threads", "relaxed", "relaxed-threads")
FILES = tuple(f"xnnpack-{variant}.wasm" for variant in VARIANTS)
_DIGESTS = "xnnpack.json"
"""File in the wheel with the digests of the modules, in the format of `integrity` attributes."""

_OF_SITE = "../run/"
"""The site's folder of modules, relative to the lock file's folder."""

_address: Callable[[str], str] | None = None
"""Function that returns the URL of a module that does not come from the wheel."""


def set_wasm_path(path: str) -> None:
    """Set the URL of the WebAssembly module for the wasm backend.

    By default, the module comes from the folder of the site that contains tfpy.

    Args:
        path: URL of the module, absolute or relative to the page. It must be the variant that this
            browser uses, so prefer `tf.set_wasm_paths`, which accepts the URL of a folder.

    Raises:
        RuntimeError: If the wasm backend has already been initialized.

    Example::

        import tfpy as tf

        tf.set_wasm_path("https://example.org/tfpy-0.1.0/xnnpack-simd.wasm")
        await tf.ready()

    See also: `tf.set_wasm_paths`.
    """
    _set(lambda name: path)


def set_wasm_paths(paths: str | Mapping[str, str]) -> None:
    """Set the URLs of the WebAssembly modules for the wasm backend.

    By default, the modules come from the folder of the site that contains tfpy. A module is only
    used if its bytes are those of this version of tfpy.

    Args:
        paths: URL of the folder that contains the modules, or a mapping from file names to URLs.
            The names are "xnnpack-simd.wasm", "xnnpack-simd-threads.wasm", "xnnpack-relaxed.wasm"
            and "xnnpack-relaxed-threads.wasm". The default applies to names that the mapping does
            not contain.

    Raises:
        ValueError: If a name in the mapping is not one of these names.
        RuntimeError: If the wasm backend has already been initialized.

    Example::

        import tfpy as tf

        tf.set_wasm_paths("https://example.org/tfpy-0.1.0/")
        await tf.ready()

    See also: `tf.set_wasm_path`.
    """
    if isinstance(paths, str):
        folder = paths if paths.endswith("/") else f"{paths}/"
        return _set(lambda name: f"{folder}{name}")
    given = dict(paths)
    for name in given:
        if name not in FILES:
            raise ValueError(
                f"set_wasm_paths: unknown module {name!r}. The modules are {', '.join(FILES)}."
            )
    return _set(lambda name: given.get(name, ""))


def _set(address: Callable[[str], str]) -> None:
    global _address
    if find_backend("wasm") is not None:
        text = "the wasm backend is open, and its module is loaded"
        raise RuntimeError(f"set_wasm_paths: {text}. Call this function before tf.ready().")
    _address = address


async def module(variant: str) -> bytes:
    """Return the bytes of a module.

    Raises:
        NotFoundError, UnavailableError: If a URL does not return them.
        DataLossError: If a URL returns a different file.
    """
    name = f"xnnpack-{variant}.wasm"
    url = _address(name) if _address is not None else ""
    if not url:
        try:
            return loading.asset(name)
        except FileNotFoundError:
            url = lazy_imports.address(_OF_SITE + name)
            if lazy_imports.is_on_host():
                return lazy_imports.host_file(url)
            url += f"?{quote(_digest(name))}"  # keeps caches from returning another version
    stream = await open_address(url)
    try:
        (found,) = await read_together([stream])
    except UnavailableError as error:
        raise UnavailableError(None, error.op_name, f"{url}: {error.message}") from None
    check(name, url, found)
    return found


def _digest(name: str) -> str:
    digest: str = json.loads(loading.asset(_DIGESTS))[name]
    return digest


def check(name: str, url: str, found: bytes) -> None:
    """Raise DataLossError unless the bytes are those of the named module."""
    digest = f"sha384-{base64.b64encode(sha384(found)).decode()}"
    wanted = _digest(name)
    if digest != wanted:
        text = f"{url} is not the {name} that belongs to this tfpy: its integrity is {digest}"
        raise DataLossError(None, None, f"{text}, not {wanted}. Use the file of the same wheel.")
