"""`tf.device_info()`: facts about the machine, the browser and the backends."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from tfpy._src.backends import registry
from tfpy._src.backends.javascript import bridge, page_facts
from tfpy._src.base.flags.environment import env
from tfpy._src.base.version import __version__
from tfpy._src.display.report import Report

_BROWSERS = {
    "Edge": r"Edg/([\d.]+)",
    "Opera": r"OPR/([\d.]+)",
    "Firefox": r"Firefox/([\d.]+)",
    "Chrome": r"Chrom(?:e|ium)/([\d.]+)",
    "Safari": r"Version/([\d.]+).* Safari/",
    "Node.js": r"Node\.js/([\d.]+)",
    "Deno": r"Deno/([\d.]+)",
    "Bun": r"Bun/([\d.]+)",
}
"""Patterns of user agents. The first match counts: most browsers also name Chrome and Safari."""

_NONE = "none"


def device_info() -> dict[str, dict[str, Any]]:
    """Return facts about the machine, the browser and the backends, for bug reports.

    Returns:
        A dict of dicts that prints as a table. Its keys are `"tfpy"` (version and active backend),
        `"python"` (versions of Python and NumPy), `"host"` (browser or operating system) and the
        name of each backend (status, device and limits).

    Raises:
        RuntimeError: If the browser has not been queried yet, and cannot suspend Python (JSPI)
            meanwhile. Await `tf.ready()` first.

    Example:
        >>> import tfpy as tf
        >>> sorted(tf.device_info()["tfpy"])
        ['backend', 'version']

    See also: `tf.backend_report`, `tf.memory`.
    """
    facts = env().facts_now('write "await tf.ready()" before it')
    own = {"webgpu": _webgpu, "webgl": _webgl, "wasm": _wasm}
    found = {"tfpy": _tfpy(), "python": _python(), "host": _host(facts)}
    for name, report in registry.facts_of_backends().items():
        told = own[name](facts) if name in own and bridge.IN_BROWSER else {}
        found[name] = {**_backend(report), **told}
    return Report(found, ("what", "fact", "value"), is_spread=True)


def _tfpy() -> dict[str, Any]:
    """Return the facts about tfpy."""
    active = registry.active
    return {"version": __version__, "backend": _NONE if active is None else active.name}


def _python() -> dict[str, Any]:
    """Return the facts about Python."""
    pyodide = sys.modules.get("pyodide")
    found = {
        "version": platform.python_version(),
        "implementation": platform.python_implementation(),
        "NumPy": np.__version__,
    }
    return found if pyodide is None else {**found, "Pyodide": pyodide.__version__}


def _host(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about the browser or the machine."""
    if not bridge.IN_BROWSER:
        return {"system": platform.platform(), "cores": os.cpu_count() or 1}
    agent = page_facts.user_agent()
    found = {name: re.search(pattern, agent) for name, pattern in _BROWSERS.items()}
    names = (f"{name} {match[1]}" for name, match in found.items() if match is not None)
    return {
        "browser": next(names, agent),
        "user agent": agent,
        "mobile": facts["host"]["mobile"],
        "thread": "worker" if facts["worker"] else "page",
        "cross-origin isolated": facts["crossOriginIsolated"],
        "Python waits for promises": bridge.can_wait(),
        "cores": facts["hardwareConcurrency"],
        "bytes of Python's memory": page_facts.heap_bytes(),
        "bytes of tensors it takes over": _budget("TFPY_HOST_MEMORY_BUDGET"),
    }


def _backend(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the status of one backend."""
    shown = ("status", "variant", "reason")
    return {name: report[name] for name in shown if report[name]}


def _webgpu(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about the WebGPU adapter."""
    found = facts["webgpu"]
    if not found["adapter"]:
        return {"adapter": _NONE}
    return {
        "adapter": found["adapter"],
        "vendor": found["vendor"],
        "architecture": found["architecture"],
        "computes on the CPU": found["software"],
        "budget in bytes": _budget("TFPY_GPU_MEMORY_BUDGET"),
        "features": found["features"],
        **found["limits"],
    }


def _webgl(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about the WebGL renderer."""
    found = facts["webgl"]
    if not found["version"]:
        return {"renderer": _NONE}
    return {
        "renderer": found["renderer"],
        "vendor": found["vendor"],
        "version": found["version"],
        "computes on the CPU": found["software"],
        "budget in bytes": _budget("TFPY_GPU_MEMORY_BUDGET"),
        "float32 textures": found["float32Target"],
        "maxTextureSize": found["maxTextureSize"],
        "times of kernels": bool(found["timers"]),
    }


def _wasm(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about WebAssembly."""
    found = facts["wasm"]
    backend = registry.find_backend("wasm")
    threads = {} if backend is None else {"threads in use": backend.memory().get("threads", 1)}
    return {
        "SIMD": found["simd"],
        "relaxed SIMD": found["relaxedSimd"],
        "threads": found["threads"],
        **threads,
        "budget in bytes": _budget("TFPY_WASM_MEMORY_BUDGET"),
    }


def _budget(flag: str) -> Any:
    """Return a memory budget, or "unlimited"."""
    value = env().get_number(flag)
    return "unlimited" if value < 0 else value
