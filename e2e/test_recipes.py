"""The programs of docs/recipes.md, run unchanged in Chromium."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from guides.documents import ROOT, block

from e2e.served import SECONDS, Show, printed
from tfpy.testing.sessions import OpenPage

HELPERS = """
  const element = (selector) => document.querySelector(selector);
  const until = async (test) => {
    while (!test()) {
      const error = element(".tfpy-error")?.textContent;
      if (error) throw new Error(error);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const text = () => element(".tfpy-output")?.textContent ?? "";
"""


def act(page: OpenPage, code: str) -> Any:
    """Return the result of JavaScript that acts as a user of a page."""
    return page.evaluate(f"(async () => {{ {HELPERS} {code} }})()", SECONDS)


def reloaded(page: OpenPage) -> None:
    """Wait until a document without the mark `isOld` is loaded."""
    while act(page, "return globalThis.isOld ?? false;"):
        time.sleep(0.2)


SAVED = """
  await until(() => !element("#save").disabled);
  element("#save").click();
  await until(() => text().includes("saved in this browser"));
  let link;
  HTMLAnchorElement.prototype.click = function () { link = this; };
  element("#download").click();
  await until(() => link);
  const data = await (await fetch(link.href)).arrayBuffer();
  const picked = new DataTransfer();
  picked.items.add(new File([data], link.download));
  element("#picker").files = picked.files;
  element("#picker").dispatchEvent(new Event("change"));
  await until(() => text().includes("loaded from"));
  setTimeout(() => location.reload(), 100);
  globalThis.isOld = true;
  return text();
"""


def test_a_model_is_kept(show: Show) -> None:
    """Store a model and load it after a reload, and download it and select it again."""
    page = show({"page.html": block("docs/recipes.md", "html", "A model that stays")}, "page.html")
    trained, saved, picked = act(page, SAVED).splitlines()
    source, _, value = trained.partition(": ")
    assert source == "trained"
    assert 6.5 < float(value.rpartition(" ")[2]) < 7.5
    assert (saved, picked) == ("saved in this browser", f"loaded from line.keras: {value}")
    reloaded(page)
    assert printed(page, "loaded") == f"loaded from this browser: {value}\n"


FILMED = """
  await until(() => !element("#stop").disabled);
  const counts = [];
  let ticks = 0;
  setInterval(() => ticks++, 10);
  const seen = new MutationObserver(() => {
    const found = element("#brightness").value.match(/brightness [\\d.]+, (\\d+) tensors/);
    if (found) counts.push(Number(found[1]));
  });
  seen.observe(element("#brightness"), { childList: true, characterData: true, subtree: true });
  await until(() => counts.length > 10);
  const stream = element("#video").srcObject;
  element("#stop").click();
  await until(() => text().includes("stopped after"));
  const isOff = stream.getTracks().every((track) => track.readyState === "ended");
  return { counts, ticks, isOff, text: text() };
"""


def test_a_camera_is_stopped(show: Show) -> None:
    """Check that the page stays responsive, that no tensors leak, and that Stop ends the loop."""
    page = show({"page.html": block("docs/recipes.md", "html", "webcam")}, "page.html")
    found = act(page, FILMED)
    counts = found["counts"]
    assert found["ticks"] >= len(counts)
    assert max(counts[5:]) <= max(counts[:5])
    assert found["isOff"]
    assert int(found["text"].split()[2]) >= len(counts)


def test_a_model_of_a_table_with_labels(show: Show) -> None:
    """Load a file relative to the page, whose folder is not the folder of the worker."""
    text = block("docs/recipes.md", "html", "daylight.csv").replace('"tfpy.mjs"', '"../tfpy.mjs"')
    table = (ROOT / "docs/figures/daylight.csv").read_text(encoding="utf-8")
    page = show({"own/page.html": text, "own/daylight.csv": table}, "own/page.html")
    assert float(printed(page, "wrong by").split()[2]) < 0.3


PICK = """
  const pick = (selector, name, parts) => {
    const files = new DataTransfer();
    files.items.add(new File(parts, name));
    element(selector).files = files.files;
    element(selector).dispatchEvent(new Event("change"));
  };
"""
LEARNED = """
  await until(() => !element("#table").disabled);
  const table = await (await fetch("fruit.csv")).text();
  pick("#table", "fruit.csv", [table + "red,150,7,\\n"]);
  await until(() => text().includes("of the validation rows"));
  if (!document.querySelector("svg")) throw new Error("there is no plot");
  element("#save").click();
  await until(() => text().includes("saved in this browser"));
  let link;
  HTMLAnchorElement.prototype.click = function () { link = this; };
  element("#download").click();
  await until(() => link);
  pick("#picker", link.download, [await (await fetch(link.href)).arrayBuffer()]);
  await until(() => text().includes("loaded from"));
  pick("#rows", "new.csv", [NEW]);
  await until(() => text().includes("["));
  setTimeout(() => location.reload(), 100);
  globalThis.isOld = true;
  return text();
"""
PREDICTED = """
  await until(() => text().includes("loaded from this browser"));
  pick("#rows", "new.csv", [NEW]);
  await until(() => text().includes("["));
  return text();
"""


def test_a_model_that_predicts_names(show: Show) -> None:
    """Learn from text, empty cells and names as labels; save, load and download; predict names."""
    table = (ROOT / "docs/figures/fruit.csv").read_text(encoding="utf-8")
    text = block("docs/recipes.md", "html", "StringLookup")
    page = show({"page.html": text, "fruit.csv": table}, "page.html")
    rows = block("docs/recipes.md", "text", "yellow,118")
    helpers = f"const NEW = {json.dumps(rows)}; {PICK}"
    accuracy, saved, loaded, names = act(page, helpers + LEARNED).splitlines()
    assert int(accuracy.partition("%")[0]) > 85
    assert (saved, loaded) == ("saved in this browser", "loaded from fruit.keras")
    assert names == "['banana', 'apple']"
    reloaded(page)
    assert act(page, helpers + PREDICTED) == "loaded from this browser\n['banana', 'apple']\n"


def test_an_endless_loop_is_stopped(show: Show) -> None:
    page = show({"page.html": block("docs/recipes.md", "html", "tfpy-interrupt")}, "page.html")
    act(page, 'await until(() => text().includes("training")); element("#stop").click();')
    assert "\nstopped after " in printed(page, "stopped after")


def test_both_pages_of_a_program(show: Show) -> None:
    """Run the original with TensorFlow.js; test_documents.py runs the port."""
    library = ROOT / "node_modules/@tensorflow/tfjs/dist/tf.min.js"
    if not library.is_file():
        pytest.skip("needs node_modules: python build.py demo")
    original = (ROOT / "examples/tensorflow_js/learn_a_curve.html").read_text(encoding="utf-8")
    files = {"page.html": original, "tf.min.js": library.read_text(encoding="utf-8")}
    page = show(files, "page.html")
    found = act(page, 'await until(() => element("output").value.startsWith("step 240")); '
                      'return element("output").value;')  # fmt: skip
    assert float(found.split()[-1]) < 0.02


LOADED = """(async () => {
  const { loadTfpy } = await import("/tfpy.mjs");
  globalThis.tfpy = await loadTfpy({ backend: "cpu", packages: ["keras"] });
})()"""
BEFORE = """
import js, tfpy as tf

keras = tf.keras
model = keras.Sequential([keras.Input([2]), keras.layers.Dense(1)])
"""


def test_lines_of_the_first_recipe(show: Show) -> None:
    """Run them one after the other, and check the errors of the browser's storage."""
    page = show({"page.html": "<!doctype html><input id=picker type=file>"}, "page.html")
    page.evaluate(LOADED, SECONDS)

    def run(*programs: str) -> Any:
        return page.evaluate(f"tfpy.run({json.dumps(chr(10).join(programs))})", SECONDS)

    def failure(program: str) -> str:
        caught = f"tfpy.run({json.dumps(program)}).then(String, (error) => error.message)"
        return str(page.evaluate(caught, SECONDS)).strip().splitlines()[-1]

    stored = block("docs/recipes.md", "py", "list_models_async")
    same = "str([model.count_params(), [w.shape for w in model.get_weights()]])"
    assert run(BEFORE, stored, same) == "[3, [(2, 1), (1,)]]"
    page.evaluate("void (HTMLAnchorElement.prototype.click = function () { window.link = this; })")
    run(block("docs/recipes.md", "py", "downloads"))
    assert page.evaluate("link.download") == "line.keras"
    page.evaluate("""(async () => {
      const files = new DataTransfer();
      files.items.add(new File([await (await fetch(link.href)).arrayBuffer()], "any name"));
      document.querySelector("#picker").files = files.files;
    })()""")
    assert run(block("docs/recipes.md", "py", "picker"), same) == "[3, [(2, 1), (1,)]]"
    assert run('str(await tf.io.remove_model_async("indexeddb://line"))') == "None"
    missing = failure('await tf.models.load_async("indexeddb://line")')
    assert missing.endswith("cannot fetch indexeddb://line: 404 this browser has not stored it")
    again = failure('await tf.io.remove_model_async("indexeddb://line")')
    assert again.endswith("indexeddb://line does not exist: this browser has not stored it")
    assert "must begin with" in failure('await tf.io.remove_model_async("line")')
    page.evaluate("""void (IDBObjectStore.prototype.put = () => {
      throw new DOMException("full", "QuotaExceededError");
    })""")
    full = failure('await model.save_async("indexeddb://line")')
    assert "ResourceExhaustedError" in full
    assert "indexeddb://line: the browser's storage failed" in full
