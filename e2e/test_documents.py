"""The programs for pages in README.md and docs/, run unchanged in Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from guides.documents import ROOT, block

from e2e.served import SECONDS, Show, printed
from tfpy.testing.sessions import OpenPage

FETCHED = """(() => {
  const files = performance.getEntriesByType("resource");
  const read = files.find(({ name }) => name.endsWith("/tfpy.mjs")).responseEnd;
  return files.filter(({ name }) => /pyodide.asm.(wasm|mjs)$/.test(name))
    .map(({ startTime }) => startTime < read);
})()"""
"""JavaScript that returns one bool for each request of the files that a page's head names.

True means that the request began before the loader's script was received. True means that the file
was requested once only, before the first script was read.
"""


def test_a_page_and_its_head(show: Show) -> None:
    """Check that the files in the head are fetched once and used.

    Otherwise the console would show a warning.
    """
    head = block("docs/pages.md", "html", "preload")
    page = show({"page.html": head + block("docs/pages.md", "html", "reduce_sum")}, "page.html")
    assert printed(page, "tf.Tensor").startswith("tf.Tensor(3.0, ")
    assert page.evaluate(FETCHED) == [True, True]


def test_a_page_that_learns(show: Show) -> None:
    page = show({"page.html": block("docs/install.md", "html")}, "page.html")
    assert "y = 3.00 x + 1.00, learned on wasm" in printed(page, "learned on")


def test_a_ported_app(show: Show) -> None:
    page = show({"page.html": block("docs/coming_from.md", "html", "tfpy.mjs")}, "page.html")
    assert "step 240: loss 0.0" in printed(page, "step 240")


def test_a_page_with_keras(show: Show) -> None:
    """Check that the network learns the spiral, and the page draws its regions and its loss."""
    page = show({"page.html": block("README.md", "html", "keras")}, "page.html")
    *_, loss = printed(page, "validation loss").split()
    assert float(loss) < 0.2
    assert page.evaluate(COLORS) > 100
    assert page.evaluate("document.querySelectorAll('#plot svg').length") == 1


COLORS = """(() => {
  const { data } = document.querySelector("#plane").getContext("2d").getImageData(0, 0, 200, 200);
  return new Set(new Uint32Array(data.buffer)).size;
})()"""
"""JavaScript that returns the number of colors on the canvas of README.md's page."""


TRAINED = """(async (table) => {
  const picker = document.querySelector("#picker");
  const link = document.querySelector("#download");
  const until = async (test) => {
    while (!test()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const texts = (selector) => [...document.querySelectorAll(selector)].map((e) => e.textContent);
  await until(() => texts(".tfpy-output").join().includes("Pick a CSV file"));
  const files = new DataTransfer();
  files.items.add(new File([table], "table.csv"));
  picker.files = files.files;
  await until(() => link.href || texts(".tfpy-error").length);
  const head = new Uint8Array(await (await fetch(link.href)).arrayBuffer(), 0, 2);
  return [...texts(".tfpy-error"), String.fromCharCode(...head)];
})"""
"""Picks a file in the page of the first guide; the first bytes of the model that it offers."""


def test_a_model_of_a_table_that_is_picked(show: Show) -> None:
    page = show({"page.html": block("docs/first_model.md", "html")}, "page.html")
    table = (ROOT / "docs/figures/daylight.csv").read_text()
    assert page.evaluate(f"{TRAINED}({json.dumps(table)})", SECONDS) == ["PK"]
    said = printed(page, "Done.")
    assert "600 rows: hours from latitude, day\n" in said
    assert float(said.split()[-1]) < 0.5
    assert page.evaluate("document.querySelectorAll('.tfpy-picture svg').length") == 1


def test_a_long_loop_is_stopped(show: Show) -> None:
    page = show({"page.html": block("docs/pages.md", "html", "worker")}, "page.html")
    page.evaluate("""(async () => {
      const stop = document.querySelector("#stop");
      while (stop.disabled) await new Promise((resolve) => setTimeout(resolve, 20));
      stop.click();
    })()""", SECONDS)  # fmt: skip
    assert printed(page, "step").startswith("stopped after step ")


MODULE = '<link rel="icon" href="data:,"><script type="module">{}</script>'
LINES = "const lines = []; console.log = (...values) => lines.push(values);"
SAID = """(async () => {
  while (!globalThis.said) await new Promise((resolve) => setTimeout(resolve, 20));
  return globalThis.said;
})()"""


def test_functions_for_javascript(show: Show) -> None:
    program = block("docs/pages.md", "js", "def softmax") + block("docs/pages.md", "js", "on_step")
    said = "globalThis.said = [lines.slice(-3), data.constructor.name, ...data];"
    page = show({"page.html": MODULE.format(LINES + program + said)}, "page.html")
    steps, kind, *values = page.evaluate(SAID, SECONDS)
    assert steps == [[0, 1], [1, 0.5], [2, pytest.approx(1 / 3)]]
    assert kind == "Float32Array"
    assert [round(value, 3) for value in values] == [0.09, 0.245, 0.665]


def test_a_worker_from_javascript(show: Show) -> None:
    program = block("docs/pages.md", "js", "import { startWorker }")
    reporting = f"{{ {block('docs/pages.md', 'js', 'def report')} }}"
    said = "globalThis.said = [lines.slice(-3), ...data];"
    received = "while (lines.at(-1)[0] !== 2) await new Promise((resolve) => setTimeout(resolve));"
    program = LINES + program + reporting + received + said
    page = show({"page.html": MODULE.format(program)}, "page.html")
    steps = [[0, 1], [1, 0.5], [2, pytest.approx(1 / 3)]]
    assert page.evaluate(SAID, SECONDS) == [steps, 2.0]


def test_a_page_of_the_gallery(show: Show) -> None:
    files = {
        "gallery/own/index.html": block("docs/gallery.md", "html"),
        "gallery/own/program.py": block("docs/gallery.md", "py"),
    }
    page = show(files, "gallery/own/index.html")
    mean = """(async (rate) => {
      const element = (id) => document.querySelector(`#${id}`);
      const until = async (test) => {
        while (!test()) await new Promise((resolve) => setTimeout(resolve, 20));
      };
      await until(() => document.body.dataset.phase === "ready");
      element("run").click();
      element("rate").value = rate;
      element("rate").dispatchEvent(new Event("input", { bubbles: true }));
      await until(() => Math.abs(element("mean").value - rate / 2) < 0.05);
      return element("run").textContent;
    })(0.8)"""
    assert page.evaluate(mean, SECONDS) == "Stop"


LOADED = """(async () => {
  const { loadTfpy } = await import("/tfpy.mjs");
  globalThis.tfpy = await loadTfpy({ backend: "cpu" });
})()"""
ADDRESSES = """(files) => {
  const own = fetch;
  globalThis.fetch = async (asked, options) => {
    const bytes = files[asked.url ?? asked];
    return bytes === undefined ? own(asked, options) : new Response(bytes);
  };
}"""
DATASETS = f"""
import io, types
import js, numpy as np
from pyodide.code import run_js
from pyodide.ffi import to_js
import tfpy as tf

with tf.io.TFRecordWriter("/tmp/flowers.tfrecord") as writer:
    writer.write(b"rose")
with open("/tmp/flowers.tfrecord", "rb") as file:
    files = {{"https://host/flowers.tfrecord": file.read(), "a.csv": b"x,y\\n1,2\\n"}}
run_js({json.dumps(ADDRESSES)})(to_js(files, dict_converter=js.Object.fromEntries))
page_input = types.SimpleNamespace(files=[js.File.new(to_js([to_js(b"one\\ntwo\\n")]), "a.txt")])
picture = tf.io.encode_base64(tf.io.encode_png(tf.zeros([2, 2, 3], tf.uint8)), pad=True).numpy()
picture = picture.replace(b"-", b"+").replace(b"_", b"/").decode()
urls = [f"data:image/png;base64,{{picture}}"] * 40
told, sizes = [], []
progress = lambda done, whole: told.append(done)
step = lambda batch: sizes.append(batch.shape[0])
"""
ELEMENTS = """
rows = [[x.numpy() async for x in dataset] for dataset in (flowers, lines)]
rows += [[{name: float(x) for name, x in row.items()} async for row in table]]
str([rows, told[-1], sizes])
"""
PANDAS = """
import pathlib
pandas = types.SimpleNamespace(read_csv=lambda path: pathlib.Path(path).read_text())
source = "a.csv"
"""
"""A substitute for pandas, which the site does not contain."""
NOTED = """
import tfpy as tf
environment, at_last = type(tf.env()), []
reset = environment.reset
environment.reset = lambda env: (at_last.append(env.get_flags()), reset(env))
"""
FLAGS = """
environment.reset = reset
names = ["WEBGL_FORCE_F16_TEXTURES", "TFPY_WASM_THREADS_COUNT", "TFPY_WASM_CODEGEN"]
str([[flags[name] for name in names] for flags in (*at_last, tf.env().get_flags())])
"""
VISIT = """
import os, tfpy as tf
checkpoint = tf.train.Checkpoint(step=tf.Variable(7))
"""
AGAIN = """
files.unmount("/kept")
gone = not os.path.exists("/kept/checkpoints")
checkpoint.step.assign(0)
"""
LEFT = """
manager.restore_or_initialize()
str([gone, int(checkpoint.step)])
"""


LOGGED = """
import tfpy as tf
with tf.summary.create_file_writer("/tmp/logs/run").as_default(step=0):
    written = tf.summary.scalar("loss", 0.5)
"""


def test_programs_of_pages(tfpy_page: Callable[[str], OpenPage]) -> None:
    """Run each program together with the context that its guide assumes."""
    page = tfpy_page("tfpy-testing/blank.html")
    page.evaluate(LOADED, SECONDS)

    def run(*programs: str) -> Any:
        return page.evaluate(f"tfpy.run({json.dumps(chr(10).join(programs))})", SECONDS)

    found = run(DATASETS, block("docs/data.md", "py", "flowers"), ELEMENTS)
    assert found == str([[[b"rose"], [b"one", b"two"], [{"x": 1.0, "y": 2.0}]], 8, [32, 8]])
    assert run(PANDAS, block("docs/data.md", "py", "pandas"), "frame") == "x,y\n1,2\n"
    set_and_reset = run(NOTED, block("docs/environment.md", "py"), FLAGS)
    assert set_and_reset == "[[True, 2, 'never'], [False, 0, 'auto']]"
    zipped = block("docs/training.md", "py", "zipfile")
    assert run(LOGGED, zipped, "str(zipfile.is_zipfile(data))") == "True"
    kept = block("docs/training.md", "py", "IDBFS")
    until_restored = kept[: kept.index("...")]
    assert run(VISIT, kept, AGAIN, until_restored, LEFT) == "[True, 7]"
    assert page.problems == []
