"""Python in a worker, from JavaScript: what it has of loadTfpy's face, and how it ends."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tfpy.testing.sessions import OpenPage

OpenPageFixture = Callable[..., OpenPage]
BLANK = "tfpy-testing/blank.html"
LOAD_SECONDS = 120.0

MODULE = """
import tfpy as tf

@tf.function
def halve(x):
    while tf.reduce_sum(x) > 1.0:
        x = x / 2.0
    return {"y": x}

def fails(x):
    return tf.matmul(x, [[1.0, 2.0, 3.0]])
"""

CALLS = """import("/worker.mjs").then(async ({ startWorker }) => {
  const stages = [], lines = [], heard = [];
  const said = (promise) => promise.then(String, (e) => [e.message, String(e.cause?.message)]);
  const wrong = await said(startWorker({ flags: { WASM_SPEED: true } }));
  const tfpy = await startWorker({
    backend: "wasm", stdout: (line) => lines.push(line), onProgress: (e) => stages.push(e.stage) });
  tfpy.worker.onmessage = ({ data }) => heard.push(data);
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 10);
  const value = await tfpy.run(`
import js, time
end = time.time() + 0.5
while time.time() < end:
    pass  # the page goes on meanwhile
print("a", end="")
print("b")
js.postMessage("posted")
{"list": [1, x]}`, { x: 2 });
  clearInterval(ticking);
  const tensor = await tfpy.run("import tfpy as tf; tf.constant([1, 2]) + 1");
  const { halve, fails } = await tfpy.import(MODULE);
  const x = new Float32Array([3, 5]);
  const [y, z] = await Promise.all([halve(x), halve({ data: x, shape: [2] })]);
  const kept = x.length;
  const moved = await halve.transfer(x);
  const count = "import gc, tfpy; gc.collect(); tfpy.memory()['numTensors']";
  const before = await tfpy.run(count);
  for (let i = 0; i < 5; i++) await halve([4, 4]);
  const grown = await tfpy.run(count) - before;
  const found = {
    wrong, value, heard, lines, ticks, grown, kept, gone: x.length, backend: await tfpy.backend(),
    stages: [...new Set(stages)], tensor: [tensor.constructor.name, ...tensor],
    y: [y, z, moved].map(({ y: { data, shape, dtype } }) => [dtype, shape, ...data]),
    failure: await said(fails([[1, 2]])),
    error: await said(tfpy.run("def f(x):\\n    return x[2]\\n\\nf([1])")),
    uncopied: await said(halve(document.body)),
    square: await (await tfpy.callable("lambda x: x * x"))(3),
  };
  halve.destroy();
  found.destroyed = await said(halve([1]));
  const running = said(tfpy.run("while True: pass"));
  tfpy.end();
  return { ...found, ended: [await running, await said(tfpy.backend())] };
})"""


def test_the_face(tfpy_page: OpenPageFixture) -> None:
    page = tfpy_page(BLANK)
    found = page.evaluate(CALLS.replace("MODULE", f"`{MODULE}`"), LOAD_SECONDS)
    assert "Unknown flag 'WASM_SPEED'" in found["wrong"][0]
    assert found["value"] == {"list": [1, 2]}
    assert (found["lines"], found["heard"]) == (["ab"], ["posted"])
    assert found["ticks"] > 10
    assert found["stages"] == ["pyodide", "packages", "backend", "ready"]
    assert found["backend"] == "wasm"
    assert found["tensor"] == ["Int32Array", 2, 3]
    assert found["y"] == [["float32", [2], 0.375, 0.625]] * 3
    assert (found["kept"], found["gone"]) == (2, 0)
    assert found["grown"] == 0
    message, trace = found["failure"]
    assert "matmul" in message
    assert "\n" not in message
    assert "line 11, in fails\n    return tf.matmul(x, [[1.0, 2.0, 3.0]])" in trace
    assert ", line 2, in f\n    return x[2]" in found["error"][0]
    assert "clone" in found["uncopied"][0]
    assert found["square"] == 9
    assert "destroyed" in found["destroyed"][0]
    assert [message for message, _ in found["ended"]] == ["tfpy: the worker was ended"] * 2
    assert page.problems == []


@pytest.mark.parametrize("browser", ["firefox", "webkit"])
def test_other_browsers(tfpy_page: OpenPageFixture, browser: str) -> None:
    page = tfpy_page(BLANK, browser=browser)
    found = page.evaluate(
        """import("/worker.mjs").then(async ({ startWorker }) => {
          const tfpy = await startWorker();
          const double = await tfpy.callable("lambda x: x + x");
          const { data } = await double.transfer(new Float32Array([1, 2]));
          const error = await tfpy.run("1 / 0").catch((e) => e.message);
          await tfpy.run(`
import asyncio, js, tfpy as tf
from pyodide.ffi import create_proxy
handed = asyncio.get_running_loop().create_future()
js.addEventListener("message", create_proxy(lambda event: handed.set_result(event.data)))`);
          const canvas = document.createElement("canvas").transferControlToOffscreen();
          tfpy.worker.postMessage(canvas, [canvas]);
          const drawn = await tfpy.run(`
canvas = await handed
for size in (2, 3):  # its context is asked for again and again
    await tf.browser.to_pixels(tf.ones([size, size]), canvas)
list(canvas.getContext("2d").getImageData(2, 2, 1, 1).data)`);
          tfpy.end();
          return [[...data], error, drawn];
        })""",
        LOAD_SECONDS,
    )
    assert found[0] == [2, 4]
    assert "ZeroDivisionError" in found[1]
    assert found[2] == [255] * 4


DRAWS = """(async () => {
  const code = `
    import { loadTfpy } from "${location.origin}/tfpy.mjs";
    const { prototype } = OffscreenCanvas;
    const { getContext } = prototype;
    const asked = [];
    prototype.getContext = function (kind, options) {
      if (kind === "2d") asked.push(options?.willReadFrequently ?? false);
      return getContext.call(this, kind, options);
    };
    addEventListener("message", async ({ data: canvas }) => {
      try {
        const tfpy = await loadTfpy({ backend: "wasm" });
        const draw = "import tfpy as tf; await tf.browser.to_pixels(tf.fill([4, 4, 3], x), canvas)";
        for (const x of [0, 255]) await tfpy.run(draw, { canvas, x });
        postMessage([asked, ...canvas.getContext("2d").getImageData(0, 0, 1, 1).data]);
      } catch (error) {
        postMessage(String(error));
      }
    });`;
  const type = "text/javascript";
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type })), { type: "module" });
  const canvas = document.createElement("canvas").transferControlToOffscreen();
  const answer = new Promise((resolve) => worker.addEventListener("message", resolve));
  worker.postMessage(canvas, [canvas]);
  const { data } = await answer;
  worker.terminate();
  return data;
})()"""


@pytest.mark.parametrize(("browser", "on_processor"), [("firefox", False), ("webkit", True)])
def test_canvases_of_workers(tfpy_page: OpenPageFixture, browser: str, on_processor: bool) -> None:
    """A worker of one's own draws on the page's canvas again and again."""
    page = tfpy_page(BLANK, browser=browser)
    assert page.evaluate(DRAWS, LOAD_SECONDS) == [[on_processor], 255, 255, 255, 255]
