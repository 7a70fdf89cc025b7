"""The backend that a program gets, depending on the browser's GPU."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

import tfpy as tf
from tfpy._src.backends import opening, registry, wasm_files
from tfpy._src.backends.javascript import bridge
from tfpy._src.base.flags.environment import Environment

GPU = {"adapter": "some vendor", "software": False}
ADAPTER_ON_CPU = {"adapter": "swiftshader", "software": True}
NO_ADAPTER = {"adapter": "", "software": False}

RENDERER = {"version": 2, "renderer": "some vendor", "software": False, "maxTextureSize": 16384}
RENDERER_ON_CPU = {**RENDERER, "renderer": "llvmpipe", "software": True}

LIMITS = {
    "inputs": 8,
    "workgroupBytes": 1 << 15,
    "hardware": 1,
    "float16": 0,
    "targets": 4,
    "block": 0,
    "byteMatrices": 0,
    "halfMatrices": 0,
}


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the properties of a browser in which each device can be opened."""
    facts: dict[str, Any] = {
        "host": {"browser": True, "node": False, "chrome": True, "safari": False, "mobile": False},
        "webgpu": GPU,
        "webgl": {**RENDERER, "float32Target": True, "float16Target": True, "timers": 0},
        "wasm": {"simd": True, "relaxedSimd": True, "threads": False},
        "hardwareConcurrency": 4,
        "budgets": {"gpu": 1 << 30, "wasm": 3 << 30, "host": 1 << 32},
    }

    async def found() -> dict[str, Any]:
        return facts

    async def runtime() -> None: ...

    async def module(variant: str) -> bytes:
        return b""

    async def device(kind: str, options: dict[str, Any], wasm: bytes = b"") -> Any:
        return SimpleNamespace(
            variant=kind,
            limits=LIMITS,
            run=None,
            memory=lambda: {"threads": 1},
            lost=lambda: "",
        )

    flags = Environment()
    flags.found_by(found, bridge.wait)
    monkeypatch.setattr(opening, "env", lambda: flags)
    monkeypatch.setattr(registry, "env", lambda: flags)
    monkeypatch.setattr(bridge, "runtime", runtime)
    monkeypatch.setattr(bridge, "open_device", device)
    monkeypatch.setattr(wasm_files, "module", module)
    known = {name: registry._entries[name] for name in ("webgpu", "webgl", "wasm", "cpu")}
    fresh = {name: registry.BackendEntry(one.factory, one.priority) for name, one in known.items()}
    monkeypatch.setattr(registry, "_entries", fresh)
    monkeypatch.setattr(registry, "active", None)
    return facts


@pytest.mark.parametrize(
    ("adapter", "renderer", "chosen"),
    [
        (GPU, RENDERER, "webgpu"),
        (NO_ADAPTER, RENDERER, "webgl"),
        (ADAPTER_ON_CPU, RENDERER, "webgl"),
        (ADAPTER_ON_CPU, RENDERER_ON_CPU, "wasm"),
        (NO_ADAPTER, RENDERER_ON_CPU, "wasm"),
    ],
)
def test_a_gpu_comes_first_and_numpy_last(
    browser: dict[str, Any], adapter: dict[str, Any], renderer: dict[str, Any], chosen: str
) -> None:
    """Check that a software rasterizer does not count as a GPU."""
    browser["webgpu"] = adapter
    browser["webgl"] |= renderer
    asyncio.run(tf.ready())
    assert tf.get_backend() == chosen
    report = tf.backend_report()
    assert list(report) == ["webgpu", "webgl", "wasm", "cpu"]
    assert report["cpu"]["status"] == "not tried"
    for name, found in (("webgpu", adapter), ("webgl", renderer)):
        if name in list(report)[: list(report).index(chosen)]:
            reason = "slower than wasm" if found["software"] else "no adapter"
            assert report[name]["status"] == "skipped"
            assert reason in report[name]["reason"]


def test_without_simd_numpy_is_left(browser: dict[str, Any]) -> None:
    browser["webgpu"], browser["wasm"] = NO_ADAPTER, {**browser["wasm"], "simd": False}
    browser["webgl"] |= RENDERER_ON_CPU
    asyncio.run(tf.ready())
    assert tf.get_backend() == "cpu"
    assert "no WebAssembly SIMD" in tf.backend_report()["wasm"]["reason"]
