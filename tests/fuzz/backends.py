"""Backends that programs run on. Each one is active inside its context."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from wasm import node_backend

from . import page_device

BACKENDS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "cpu": nullcontext,
    "wasm": partial(node_backend.active, "relaxed", "auto"),
    "wasm-code": partial(node_backend.active, "simd", "always"),
    "webgl": partial(page_device.active, "webgl"),
    "webgpu": partial(page_device.active, "webgpu"),
}
"""Backends by name: NumPy; wasm in node, with code generated where it pays or always; Chromium."""
