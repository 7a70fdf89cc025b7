"""The page benchmark.html: it runs works of the benchmark, also under a strict content policy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from buildsys.paths import SITE
from e2e.accessibility import violations
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions

SECONDS = 240.0
SMALL = "work=mlp_training,transformer&repeats=1&seconds=0"
POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline';"
    " script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:"
)
START = """(async (backends) => {
  const run = document.querySelector("#run");
  while (run.disabled) await new Promise((resolve) => setTimeout(resolve, 20));
  for (const box of document.querySelectorAll("input")) {
    box.checked = backends.includes(box.value);
  }
  run.focus();
  run.click();
})"""
ENDED = """(async () => {
  while (document.querySelector("#run").disabled) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    status: document.querySelector("#status").innerText,
    cells: Object.fromEntries([...document.querySelectorAll("td[data-work]")].map(
      (cell) => [`${cell.dataset.backend} ${cell.dataset.work}`, cell.innerText])),
    text: document.querySelector("#text").value,
    frames: document.querySelectorAll("iframe").length,
    focused: document.activeElement.id,
  };
})()"""

CLOCK = "document.querySelector('#clock').textContent"

Open = Callable[..., OpenPage]


@pytest.fixture
def opened(tfpy_sessions: Sessions) -> Iterator[Open]:
    """Open the page in a folder of a server, with replaced files by their paths."""
    closing: list[Any] = []

    def open_page(
        browser: str = "chromium", query: str = SMALL, isolated: bool = False, **replaced: bytes
    ) -> OpenPage:
        made = {f"/site/{path}": content.strip for path, content in replaced.items()}
        headers = {"Content-Security-Policy": POLICY}
        server = SiteServer(
            SITE, isolated=isolated, mounts={"site": SITE}, made=made, headers=headers
        )
        address = f"{server.url}site/benchmark.html?{query}"
        page = tfpy_sessions.browsers.open(browser, ENVIRONMENTS["default"], address)
        closing.extend((server, page))
        return page

    yield open_page
    for one in reversed(closing):
        one.close()


def run(page: OpenPage, *backends: str) -> dict[str, Any]:
    """Press Run, and return what the page shows at the end."""
    page.evaluate(f"{START}({json.dumps(backends)})", SECONDS)
    found: dict[str, Any] = page.evaluate(ENDED, SECONDS)
    return found


@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_a_run(opened: Open, browser: str) -> None:
    page = opened(browser)
    found = run(page, "webgl", "wasm")
    assert found["status"] == "complete"
    assert found["frames"] == 0
    for name in ("wasm mlp_training", "wasm transformer"):
        ratio, times = found["cells"][name].split("\n")
        assert float(ratio.removesuffix(" ×")) > 0
        assert times.endswith(" ms")
        assert times.count(" and ") == 1
    assert found["cells"]["webgl mlp_training"] == "WebGL finds no GPU in this browser."
    assert found["cells"]["webgpu transformer"] == "–"
    lines = found["text"].splitlines()
    assert re.match(r"tfpy \d+\.\d+\.\d+\S* and TensorFlow\.js 4\.", lines[0])
    assert [line.split(" | ")[0] for line in lines[4:]] == ["webgl", "wasm", "wasm"]
    assert "clock advances in steps of" in page.evaluate(CLOCK)
    assert violations(page) == []
    narrow = """(() => {
      document.body.style.maxWidth = "340px";
      const table = document.querySelector("table");
      return [table.scrollWidth, table.parentElement.clientWidth];
    })()"""
    width, inner = page.evaluate(narrow)
    assert 0 < width <= inner <= 340
    assert page.problems == []


def test_an_isolated_page(opened: Open) -> None:
    """Check that the clock of an isolated page is exact, and that the frame is isolated as well."""
    page = opened(query="work=mlp_training&repeats=1&seconds=0", isolated=True)
    assert run(page, "wasm")["cells"]["wasm mlp_training"].endswith(" ms")
    assert page.evaluate(CLOCK) == ""
    assert page.problems == []


def test_webgpu_without_a_gpu(opened: Open) -> None:
    found = run(opened(query="work=transformer"), "webgpu")
    assert found["cells"]["webgpu transformer"] == "WebGPU finds no GPU in this browser."


def test_cancel(opened: Open) -> None:
    page = opened()
    page.evaluate(f"{START}({json.dumps(['wasm'])})", SECONDS)
    running = """(async () => {
      const count = document.querySelectorAll("iframe").length;
      const { id } = document.activeElement;
      document.querySelector("#cancel").click();
      return [count, id];
    })()"""
    assert page.evaluate(running, SECONDS) == [1, "cancel"]
    found = page.evaluate(ENDED, SECONDS)
    assert [found[key] for key in ("status", "frames", "focused")] == ["cancelled", 0, "run"]
    assert run(page, "wasm")["status"] == "complete"


def test_no_backend(opened: Open) -> None:
    assert run(opened())["status"] == "Select a backend."


def test_a_changed_library(opened: Open) -> None:
    """Check that a browser runs no script with another digest, and that tfpy is still measured."""
    changed = {"peers/tf.es2017.min.js": b"globalThis.tf = { changed: true };"}
    found = run(opened(query="work=mlp_training&repeats=1&seconds=0", **changed), "wasm")
    times, note = found["cells"]["wasm mlp_training"].split("\n")
    assert times.endswith(" ms")
    assert note == "TensorFlow.js failed: TensorFlow.js could not be loaded"


@pytest.mark.parametrize(
    ("file", "status"),
    [
        ("bench/page/bench.mjs", "the files of the benchmark could not be loaded"),
        ("benchmark.json", "The list of works could not be loaded"),
    ],
)
def test_a_broken_file(opened: Open, file: str, status: str) -> None:
    page = opened(**{file: b"}"})
    if file == "benchmark.json":
        shown = """(async () => {
          const status = document.querySelector("#status");
          while (!status.className) await new Promise((resolve) => setTimeout(resolve, 20));
          return status.innerText;
        })()"""
        assert status in page.evaluate(shown, SECONDS)
    else:
        assert status in run(page, "wasm")["status"]


def test_copy(opened: Open) -> None:
    """Check that the text is copied, or selected if the browser does not allow copying."""
    page = opened(query="work=mlp_training")
    run(page, "webgl")
    copied = """(async () => {
      const status = document.querySelector("#status");
      document.querySelector("#copy").click();
      while (status.innerText === "complete") await new Promise((done) => setTimeout(done, 20));
      const { value, selectionStart, selectionEnd } = document.querySelector("#text");
      return [status.innerText, value.slice(selectionStart, selectionEnd), value];
    })()"""
    status, selected, text = page.evaluate(copied, SECONDS)
    assert "webgl | 20 training steps of an MLP | –" in text
    assert status == "copied" or selected == text
