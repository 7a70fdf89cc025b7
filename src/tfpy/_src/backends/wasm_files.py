"""Where the modules of the wasm backend come from: the wheel, the site, or given addresses.

A page takes one of the four, so the site's wheel has none of them: they stand in the site's folder
``run``.
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
"""The file of the wheel that has the modules' digests, as pages write them (``integrity``)."""

_OF_SITE = "../run/"
"""Where the site has the modules, from the lock file's folder."""

_address: Callable[[str], str] | None = None
"""The address of a file, where it is not to come from the wheel."""


def set_wasm_path(path: str) -> None:
    """Fetches the wasm backend's module from an address, whichever of them this browser takes.

    Args:
        path: the file's address, or that relative to the page.

    Raises:
        RuntimeError: when the backend is open already.
    """
    _set(lambda name: path)


def set_wasm_paths(paths: str | Mapping[str, str]) -> None:
    """Fetches the wasm backend's modules from addresses, not from the wheel.

    A module runs only if it is, byte by byte, the one that belongs to this version of tfpy.

    Args:
        paths: the address of the folder that has them, or that of each file by name:
            "xnnpack-simd.wasm", "xnnpack-simd-threads.wasm", "xnnpack-relaxed.wasm",
            "xnnpack-relaxed-threads.wasm"; those that are left out come from the wheel.

    Raises:
        ValueError: for a name that no module has.
        RuntimeError: when the backend is open already.

    Example::

        tf.set_wasm_paths("https://example.org/tfpy-0.1.0/")
        await tf.ready()
    """
    if isinstance(paths, str):
        folder = paths if paths.endswith("/") else f"{paths}/"
        return _set(lambda name: f"{folder}{name}")
    given = dict(paths)
    for name in given:
        if name not in FILES:
            raise ValueError(f"set_wasm_paths: there is no {name!r}, but {', '.join(FILES)}")
    return _set(lambda name: given.get(name, ""))


def _set(address: Callable[[str], str]) -> None:
    global _address
    if find_backend("wasm") is not None:
        text = "the wasm backend is open, and its module is loaded"
        raise RuntimeError(f"set_wasm_paths: {text}; call it before tf.ready()")
    _address = address


async def module(variant: str) -> bytes:
    """The bytes of a module.

    Raises:
        NotFoundError, UnavailableError: when an address does not give them.
        DataLossError: when what it gives is another file.
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
            url += f"?{quote(_digest(name))}"  # so that no cache gives another version's
    stream = await open_address(url)
    try:
        (found,) = await read_together([stream])
    except UnavailableError as error:
        raise UnavailableError(None, error.op, f"{url}: {error.message}") from None
    check(name, url, found)
    return found


def _digest(name: str) -> str:
    digest: str = json.loads(loading.asset(_DIGESTS))[name]
    return digest


def check(name: str, url: str, found: bytes) -> None:
    """Raises DataLossError unless the bytes are those of the module of this name."""
    digest = f"sha384-{base64.b64encode(sha384(found)).decode()}"
    wanted = _digest(name)
    if digest != wanted:
        text = f"{url} is not the {name} that belongs to this tfpy: its integrity is {digest}"
        raise DataLossError(None, None, f"{text}, not {wanted}; take the file of the same wheel")
