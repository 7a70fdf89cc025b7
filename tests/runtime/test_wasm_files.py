"""Modules of the wasm backend loaded from addresses."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

import tfpy as tf
from tfpy._src.backends import wasm_files
from tfpy._src.backends.javascript import loading
from tfpy._src.loader import lazy_imports

MODULE = b"\0asm of this version"


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Record the requested addresses. Each of them, and the wheel, has the module."""
    digest = f"sha384-{base64.b64encode(hashlib.sha384(MODULE).digest()).decode()}"
    digests = json.dumps(dict.fromkeys(wasm_files.FILES, digest)).encode()
    monkeypatch.setattr(
        loading, "asset", lambda name: digests if name.endswith(".json") else b"of the wheel"
    )
    found: list[str] = []

    async def open_address(url: str) -> Any:
        found.append(url)
        return b"another" if "other" in url else MODULE

    async def read_together(streams: list[Any]) -> list[Any]:
        return streams

    monkeypatch.setattr(wasm_files, "open_address", open_address)
    monkeypatch.setattr(wasm_files, "read_together", read_together)
    yield found
    tf.set_wasm_paths({})


def module(variant: str = "simd") -> bytes:
    return asyncio.run(wasm_files.module(variant))


def test_from_the_wheel(asked: list[str]) -> None:
    assert module() == b"of the wheel"
    assert asked == []


def test_from_the_site(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Load modules from next to the lock file's folder, and verify them.

    The site's wheel does not contain the modules.
    """
    digests = loading.asset(wasm_files._DIGESTS)

    def asset(name: str) -> bytes:
        if not name.endswith(".json"):
            raise FileNotFoundError(name)
        return digests

    monkeypatch.setattr(loading, "asset", asset)
    monkeypatch.setattr(lazy_imports, "is_on_host", lambda: False)
    monkeypatch.setattr(lazy_imports, "address", lambda file: f"/site/pyodide/{file}")
    assert module() == MODULE
    monkeypatch.setattr(lazy_imports, "address", lambda file: f"/other/pyodide/{file}")
    with pytest.raises(
        tf.errors.DataLossError, match=r"xnnpack-simd.wasm\?sha384-\S+ is not the xnn"
    ):
        module()
    assert asked[0].partition("?")[0] == "/site/pyodide/../run/xnnpack-simd.wasm"
    monkeypatch.setattr(lazy_imports, "is_on_host", lambda: True)
    monkeypatch.setattr(lazy_imports, "host_file", lambda path: path.encode())
    assert module() == b"/other/pyodide/../run/xnnpack-simd.wasm"


def test_from_a_folder(asked: list[str]) -> None:
    for folder in ("https://example.org/a", "https://example.org/a/"):
        tf.set_wasm_paths(folder)
        assert module("relaxed-threads") == MODULE
    assert asked == ["https://example.org/a/xnnpack-relaxed-threads.wasm"] * 2


def test_from_an_address_each(asked: list[str]) -> None:
    tf.set_wasm_paths({"xnnpack-simd.wasm": "/x.wasm"})
    assert module() == MODULE
    assert module("relaxed") == b"of the wheel"
    tf.set_wasm_path("/y.wasm")
    assert module("relaxed") == MODULE
    assert asked == ["/x.wasm", "/y.wasm"]


def test_another_file(asked: list[str]) -> None:
    tf.set_wasm_paths("/other")
    with pytest.raises(tf.errors.DataLossError, match=r"/other/xnnpack-simd.wasm is not the xnn"):
        module()


def test_what_cannot_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"unknown module 'tfjs\.wasm'.*xnnpack-simd\.wasm"):
        tf.set_wasm_paths({"tfjs.wasm": "/"})
    with monkeypatch.context() as patched:
        patched.setattr(wasm_files, "find_backend", lambda name: object())
        with pytest.raises(RuntimeError, match=r"before tf\.ready\(\)"):
            tf.set_wasm_path("/x.wasm")
