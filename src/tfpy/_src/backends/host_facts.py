"""Facts about the host, for flags with detected defaults, and flags in the page's URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfpy._src.backends.javascript import bridge, page_facts
from tfpy._src.base.flags.environment import env

_NO_BROWSER: Mapping[str, Any] = {
    "host": {"browser": False, "node": False, "chrome": False, "safari": False, "mobile": False},
    "webgpu": {"adapter": "", "software": False},
    "webgl": {
        "version": 0,
        "renderer": "",
        "software": False,
        "float32Target": False,
        "float16Target": False,
        "maxTextureSize": 0,
        "timers": 0,
    },
    "wasm": {"simd": False, "relaxedSimd": False, "threads": False},
    "hardwareConcurrency": 1,
    "budgets": {"gpu": 0, "wasm": 0, "host": 0},
}
"""Facts about plain CPython, in the format of `web/common/probe.mjs`."""

_PARAMETERS = {"tfpyflags": False, "tfjsflags": True}
"""URL parameter -> True if TensorFlow.js's flags without effect here are ignored."""


async def find() -> Mapping[str, Any]:
    """Return the facts about the host."""
    return await bridge.probe() if bridge.IN_BROWSER else _NO_BROWSER


def install() -> None:
    """Connect the flags to the host, and set the flags in the page's URL.

    Raises:
        ValueError: If a flag does not exist.
    """
    env().found_by(find, bridge.wait)
    for name, text in page_facts.page_parameters():
        if name in _PARAMETERS:
            env().take(text, f"the page's address, {name}", _PARAMETERS[name])
