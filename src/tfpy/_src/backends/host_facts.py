"""What the host of this program can do, for the flags that are found; the flags of the page."""

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
"""What ``web/common/probe.mjs`` would say of plain CPython."""

_PARAMETERS = {"tfpyflags": False, "tfjsflags": True}
"""Of the page's address: whether TensorFlow.js's flags without a meaning here are passed over."""


async def find() -> Mapping[str, Any]:
    """Asks the host."""
    return await bridge.probe() if bridge.IN_BROWSER else _NO_BROWSER


def install() -> None:
    """Lets flags ask the host, and sets those that the page's address gives.

    Raises:
        ValueError: for flags that there are not.
    """
    env().found_by(find, bridge.wait)
    for name, text in page_facts.page_parameters():
        if name in _PARAMETERS:
            env().take(text, f"the page's address, {name}", _PARAMETERS[name])
