"""Failures while a page loads tfpy: one error explains the cause, and the next attempt works."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.fault_server import Fault, FaultServer
from tfpy.testing.environments import Environment
from tfpy.testing.sessions import OpenPage, Sessions

SITE = Path(__file__).parents[1] / "build" / "site"
LOAD_SECONDS = 120.0
POLICY = "Content-Security-Policy"

MISSING = "404 Not Found"
PAGE = "an HTML page instead of the file"
CHANGED = "it is a different file"
BROKE = "the connection broke"

FILES: dict[str, tuple[Fault, list[str]]] = {
    "module-missing": (Fault(r"/pyodide\.mjs", "missing"), ["/pyodide.mjs: " + MISSING]),
    "module-type": (Fault(r"asm\.mjs", "type"), ["asm.mjs: ", "must send it as text/javascript"]),
    "module-short": (Fault(r"asm\.mjs", "short"), ["asm.mjs: ", CHANGED]),
    "module-cut": (Fault(r"/pyodide\.mjs", "cut"), ["/pyodide.mjs: ", BROKE]),
    "wasm-missing": (Fault(r"asm\.wasm", "missing"), ["asm.wasm: " + MISSING]),
    "wasm-type": (Fault(r"asm\.wasm", "type"), ["asm.wasm: ", "must send it as application/wasm"]),
    "wasm-short": (Fault(r"asm\.wasm", "short"), ["WebAssembly cannot start", CHANGED]),
    "wasm-cut": (Fault(r"asm\.wasm", "cut"), ["WebAssembly cannot start", BROKE]),
    "library-missing": (Fault("stdlib", "missing"), ["python_stdlib.zip: " + MISSING]),
    "library-page": (Fault("stdlib", "page"), ["not a complete zip archive", PAGE]),
    "library-short": (Fault("stdlib", "short"), ["not a complete zip archive", CHANGED]),
    "library-cut": (Fault("stdlib", "cut"), ["python_stdlib.zip: ", BROKE]),
    "lock-missing": (Fault(r"lock\.json", "missing"), ["there is no file at", MISSING]),
    "lock-page": (Fault(r"lock\.json", "page"), ["the file is not JSON", PAGE]),
    "lock-cut": (Fault(r"lock\.json", "cut"), ["the file is not JSON", BROKE]),
    "numpy-missing": (Fault("numpy-", "missing"), ["numpy cannot be loaded", MISSING]),
    "numpy-cut": (Fault("numpy-", "cut"), ["numpy cannot be loaded", BROKE]),
    "wheel-changed": (Fault("/tfpy_web-", "changed"), ["tfpy-web cannot be loaded", CHANGED]),
    "needed-missing": (Fault("absl", "missing"), ["absl-py cannot be loaded", MISSING]),
}
"""Faults, with the expected parts of the error message."""

BROWSERS_OWN = ("module", "wasm", "library")
"""Files that the browser itself starts. Faults of other files look the same in every browser."""

REMEMBERED = ("module-missing", "module-short")
"""Faults that browsers remember for a page's modules, so the next attempt may fail as well."""

POLICIES = {
    "no-wasm": ("script-src 'self'", "add 'wasm-unsafe-eval' to its script-src"),
    "no-fetch": ("connect-src 'none'", "lock.json: add 'self' to its connect-src"),
}

FAULTS = {name: fault for name, (fault, _) in FILES.items()} | {
    name: Fault(headers={POLICY: policy}) for name, (policy, _) in POLICIES.items()
}

WATCH = """(() => {
  globalThis.unhandled = [];
  addEventListener("unhandledrejection", ({ reason }) => unhandled.push(String(reason)));
  addEventListener("error", ({ message }) => unhandled.push(message));
})()"""

LOAD = """import("/NAME/tfpy.mjs").then(({ loadTfpy }) => loadTfpy(OPTIONS)).then(
  (tfpy) => tfpy.run("import tfpy as tf; float((await (tf.ones([3]) + 1.0).data()).sum())"),
  (error) => error instanceof Error ? error.message : `no Error: ${error}`)"""

Opened = Callable[[str, str], OpenPage]


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer(SITE, FAULTS) as started:
        yield started


@pytest.fixture
def opened(server: FaultServer, tfpy_sessions: Sessions) -> Iterator[Opened]:
    """Open an empty page of a browser at the address of a fault."""
    pages = []

    def open_page(browser: str, name: str) -> OpenPage:
        url = f"{server.url}{name}/blank.html"
        pages.append(tfpy_sessions.browsers.open(browser, Environment(), url))
        pages[-1].evaluate(WATCH)
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()


def load(page: OpenPage, name: str) -> Any:
    """Return the sum of some numbers, or the error message."""
    options = {"packages": ["keras"] if name.startswith("needed") else []}
    return page.evaluate(
        LOAD.replace("NAME", name).replace("OPTIONS", json.dumps(options)), LOAD_SECONDS
    )


@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_files(browser: str, server: FaultServer, opened: Opened) -> None:
    """Check that each error names the fault and its file, and no rejection is left unhandled."""
    server.mended.clear()
    page = opened(browser, "none")
    for name, (_, texts) in FILES.items():
        if browser == "firefox" and not name.startswith(BROWSERS_OWN):
            continue
        said = load(page, name)
        for text in texts:
            assert text in str(said), (name, said)
    assert page.evaluate("unhandled") == []
    for name in REMEMBERED:
        server.mended.add(name)
        assert load(page, name) == 6, name


@pytest.mark.parametrize("name", POLICIES)
def test_policies(name: str, opened: Opened) -> None:
    """Check that the error names the missing directive of the content security policy."""
    page = opened("chromium", name)
    said = load(page, name)
    assert "the page's Content-Security-Policy forbids" in said
    assert POLICIES[name][1] in said
    assert page.evaluate("unhandled") == []
