"""Python in a worker, called from JavaScript: the API it shares with loadTfpy, and its end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from guides.documents import block

from tfpy.testing import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions

OpenPageFixture = Callable[..., OpenPage]
SITE = Path(__file__).parents[1] / "build" / "site"
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

def title():
    import js

    try:
        return js.document.title
    except AttributeError as error:
        raise ValueError("there is no title") from error
"""

WAITING = [
    """
import asyncio
caught = 0
try:
    await asyncio.sleep(1000)
except KeyboardInterrupt:
    caught = 1
caught""",
    "while True: await asyncio.sleep(0)",
    """
import tfpy as tf
while True:
    await (tf.ones([100, 100]) @ tf.ones([100, 100])).data()""",
    "await asyncio.gather(asyncio.create_task(asyncio.sleep(1000)))",
    """
future = asyncio.get_running_loop().create_future()
asyncio.get_running_loop().call_later(
    0.6, asyncio.futures._set_result_unless_cancelled, future, None)
await future""",
]
"""Programs that are interrupted while they wait."""
RELATIVE = """
import js
from pyodide.http import open_url, pyfetch

dataset = tf.data.TextLineDataset(tf.data.URLDataSource("blank.html"))
lines = [line.numpy() async for line in dataset]
try:
    tf.load_graph_model("models/model.json")
except ValueError as error:
    missing = str(error)
[
    "blank" not in js.location.href and js.Request.new("blank.html").url,
    "an empty page" in await (await pyfetch("blank.html")).string(),
    "an empty page" in open_url("blank.html").read(),
    b"<!doctype html>" in lines, "404" in missing,
]"""
"""Requests for URLs that are relative to the page, which is in another folder than the worker."""

DOWNLOAD = """
from tfpy._src.backends.javascript import storage

await storage.write("downloads://a.txt", "a.txt", b"of the worker")"""
"""A file that the page offers for a worker, which has no document."""

CALLS = """import("/worker.mjs").then(async ({ startWorker }) => {
  const stages = [], lines = [], heard = [];
  const said = (promise) => promise.then(String, (e) => [e.message, String(e.cause?.message)]);
  const wrong = await said(startWorker({ flags: { WASM_SPEED: true } }));
  const tfpy = await startWorker({
    backend: "wasm", stdout: (line) => lines.push(line), onProgress: (e) => stages.push(e.stage) });
  tfpy.worker.onmessage = ({ data }) => heard.push(data);
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 10);
  const loop = said(tfpy.run("kept = 1\\nwhile True: kept += 1"));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const isKept = [await tfpy.interrupt()];
  const stopped = [await loop];
  for (const program of WAITING) {
    const waiting = said(tfpy.run(program));
    await new Promise((resolve) => setTimeout(resolve, 300));
    isKept.push(await tfpy.interrupt());
    stopped.push(await waiting);
  }
  const early = said(tfpy.run("while True: pass"));
  isKept.push(await tfpy.interrupt()); // before the worker has begun the call
  stopped.push(await early);
  isKept.push(await tfpy.run("kept > 1000 and caught"), await tfpy.interrupt());
  const addresses = await tfpy.run(RELATIVE);
  const clicked = new Promise((resolve) => {
    HTMLAnchorElement.prototype.click = function () { resolve(this); };
  });
  await tfpy.run(DOWNLOAD);
  const { href, download } = await clicked;
  addresses.push(download, await (await fetch(href)).text());
  const value = await tfpy.run(`
import js, time
end = time.time() + 0.5
while time.time() < end:
    pass  # the page stays responsive
print("a", end="")
print("b")
js.postMessage("posted")
{"list": [1, x]}`, { x: 2 });
  clearInterval(ticking);
  const tensor = await tfpy.run("import tfpy as tf; tf.constant([1, 2]) + 1");
  const { halve, fails, title } = await tfpy.import(MODULE);
  const x = new Float32Array([3, 5]);
  const [y, z] = await Promise.all([halve(x), halve({ data: x, shape: [2] })]);
  const kept = x.length;
  const moved = await halve.transfer(x);
  const count = "import gc, tfpy; gc.collect(); tfpy.memory()['numTensors']";
  const before = await tfpy.run(count);
  for (let i = 0; i < 5; i++) await halve([4, 4]);
  const grown = await tfpy.run(count) - before;
  const found = {
    isKept, stopped, addresses, wrong, value, heard, lines, ticks, grown, kept,
    gone: x.length, backend: await tfpy.backend(),
    stages: [...new Set(stages)], tensor: [tensor.constructor.name, ...tensor],
    y: [y, z, moved].map(({ y: { data, shape, dtype } }) => [dtype, shape, ...data]),
    failure: await said(fails([[1, 2]])), title: await said(title()),
    exit: await said(tfpy.run("raise SystemExit(3)")),
    file: Object.keys(await tfpy.import("../gallery/sketch.py")),
    error: await said(tfpy.run("def f(x):\\n    return x[2]\\n\\nf([1])")),
    uncopied: await said(halve(document.body)),
    called: await said(halve((x) => x)),
    posted: await said(tfpy.run("import js; js.postMessage({'step': 1})")),
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
    calls = CALLS.replace("MODULE", f"`{MODULE}`").replace("WAITING", json.dumps(WAITING))
    calls = calls.replace("DOWNLOAD", json.dumps(DOWNLOAD))
    found = page.evaluate(calls.replace("RELATIVE", json.dumps(RELATIVE)), LOAD_SECONDS)
    assert found["isKept"] == [True] * (len(WAITING) + 2) + [1, True]
    assert [str(text).split()[-1] for text in (stopped[0] for stopped in found["stopped"])] == [
        "KeyboardInterrupt", *"1", *["KeyboardInterrupt"] * len(WAITING)
    ]  # fmt: skip
    url, *rest, name, text = found["addresses"]
    assert (name, text) == ("a.txt", "of the worker")
    assert url.endswith("/tfpy-testing/blank.html")
    assert rest == [True] * 4
    assert "Unknown flag 'WASM_SPEED'" in found["wrong"][0]
    assert found["value"] == {"list": [1, 2]}
    # Python warns if an interrupt comes between a call of a coroutine and its await.
    printed = [line for line in found["lines"] if "RuntimeWarning: " not in line]
    assert (printed, found["heard"]) == (["ab"], ["posted"])
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
    assert found["title"][0].startswith("ValueError: there is no title\nA worker has no document.")
    assert found["exit"][0].endswith("SystemExit: 3")
    assert found["file"] == ["line", "disc"]
    assert ", line 2, in f\n    return x[2]" in found["error"][0]
    for name in ("uncopied", "called"):
        assert "an argument cannot be copied to the worker: Failed to execute" in found[name][0]
        assert "use loadTfpy" in found[name][0]
    assert "to_js(value, dict_converter=js.Object.fromEntries)" in found["posted"][0]
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
    await tf.browser.to_pixels_async(tf.ones([size, size]), canvas)
list(canvas.getContext("2d").getImageData(2, 2, 1, 1).data)`);
          tfpy.end();
          return [[...data], error, drawn];
        })""",
        LOAD_SECONDS,
    )
    assert found[0] == [2, 4]
    assert "ZeroDivisionError" in found[1]
    assert found[2] == [255] * 4


INTERRUPTED = """import("/worker.mjs").then(async ({ startWorker }) => {
  const said = (promise) => promise.then(String, (error) => error.message);
  const late = () => new Promise((resolve) => setTimeout(resolve, 500, "runs"));
  const after = (promise) => Promise.race([promise, late()]);
  const tfpy = await startWorker({ backend: "wasm" });
  const double = await tfpy.callable("lambda x: 2 * x");
  const { worker } = tfpy;
  const posted = ["addEventListener", "onmessage"].map((name) => new Promise((resolve) => {
    if (name === "onmessage") worker.onmessage = ({ data }) => resolve(data);
    else worker.addEventListener("message", ({ data }) => resolve(data));
  }));
  const program = "import asyncio\\nkept = 7\\nwhile True: await asyncio.sleep(0)";
  const awaiting = said(tfpy.run(program));
  const begun = await after(awaiting);
  const found = [begun, await tfpy.interrupt(), await awaiting, await tfpy.run("kept")];
  const loop = said(tfpy.run("while True: pass"));
  await after(loop);
  found.push(await tfpy.interrupt(), await loop, await said(double(1)));
  found.push(await tfpy.run("'kept' in globals()"), await (await tfpy.callable("abs"))(-1));
  await tfpy.run(`
import js
from pyodide.ffi import create_proxy
js.onmessage = create_proxy(lambda event: js.postMessage(event.data + 1))`);
  worker.postMessage(1);
  found.push(worker === tfpy.worker, await Promise.all(posted));
  tfpy.end();
  const script = Object.assign(document.createElement("script"), {
    type: "text/tfpy", textContent: "print('begun')\\nwhile True: pass" });
  script.toggleAttribute("worker");
  document.body.append(script);
  await import("/tfpy.mjs");
  const shown = async (selector) => {
    while (!document.querySelector(selector)) await new Promise((r) => setTimeout(r, 20));
    return document.querySelector(selector).textContent;
  };
  await shown(".tfpy-output");
  INTERRUPT
  return [...found, await shown(".tfpy-error")];
})"""
LOST = "tfpy: to stop Python, its worker was ended, and all variables are lost."


def test_interrupts_without_isolation(tfpy_page: OpenPageFixture) -> None:
    """Interrupt a loop that awaits. To stop another loop, replace the worker."""
    page = tfpy_page(BLANK, environment="not-isolated")
    interrupt = block("docs/pages.md", "js", "tfpy-interrupt")
    found = page.evaluate(INTERRUPTED.replace("INTERRUPT", interrupt), LOAD_SECONDS)
    begun, *awaiting, is_kept, loop, function, has_variable, one, is_same, posted, error = found
    assert begun == "runs"
    assert awaiting[0] is True
    assert awaiting[1].endswith("KeyboardInterrupt")
    assert awaiting[2] == 7
    assert is_kept is False
    for text in (loop, function, error):
        assert text.startswith(LOST)
    assert (has_variable, one) == (False, 1)
    assert (is_same, posted) == (True, [2, 2]), "the listeners remain"


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
        const image = "tf.fill([4, 4, 3], x)";
        const call = "await tf.browser.to_pixels_async(" + image + ", canvas)";
        const draw = "import tfpy as tf; " + call;
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
    """Check that a worker of the page draws on the page's canvas repeatedly."""
    page = tfpy_page(BLANK, browser=browser)
    assert page.evaluate(DRAWS, LOAD_SECONDS) == [[on_processor], 255, 255, 255, 255]


READABLE = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
"""Headers of files that pages of other origins may read."""

ELSEWHERE = """import("LOADER").then(async ({ startWorker }) => {
  const tfpy = await startWorker({ backend: "wasm" });
  const found = await tfpy.run(`
import js, tfpy as tf
found = js.Request.new("data.csv").url  # relative to the page
[float(tf.reduce_sum([1.0, 2.0])), tf.env().get("TFPY_WASM_THREADS_COUNT"), found]`);
  tfpy.end();
  return found;
}).catch((error) => error.message)"""

IN_A_FRAME = """new Promise((resolve) => {
  addEventListener("message", ({ data }) => resolve(data));
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.srcdoc = `<script type="module">parent.postMessage(await CODE, "*")</` + "script>";
  document.body.append(frame);
})"""


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    """Serve the loader from another origin and yield its address."""
    with SiteServer(SITE, isolated=False, headers=READABLE) as server:
        yield f"{server.url}worker.mjs"


def in_page(
    sessions: Sessions, folder: Path, browser: str, code: str, headers: dict[str, str]
) -> Any:
    """Return the result of JavaScript in a page of another server."""
    (folder / "page.html").write_text("<!doctype html><link rel=icon href='data:,'><body></body>")
    with SiteServer(folder, isolated=False, headers=headers) as server:
        url = f"{server.url}page.html?tfpyflags=TFPY_WASM_THREADS_COUNT:1"
        page = sessions.browsers.open(browser, ENVIRONMENTS["default"], url)
        try:
            found = page.evaluate(code, LOAD_SECONDS)
            return json.loads(json.dumps(found).replace(server.url, "PAGE/"))
        finally:
            page.close()


def in_a_frame(code: str) -> str:
    """Return code that runs other code in a sandboxed frame with an opaque origin."""
    inner = code.replace("\\", "\\\\").replace("`", "\\`")
    return IN_A_FRAME.replace("CODE", inner)


@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_the_loader_from_another_origin(
    tfpy_sessions: Sessions, tmp_path: Path, elsewhere: str, browser: str
) -> None:
    """Check that the worker runs, also in a sandboxed frame.

    The page's flags and relative addresses apply.
    """
    code = ELSEWHERE.replace("LOADER", elsewhere)
    assert in_page(tfpy_sessions, tmp_path, browser, code, {}) == [3.0, 1, "PAGE/data.csv"]
    framed = in_page(tfpy_sessions, tmp_path, browser, in_a_frame(code), {})
    assert framed[::2] == [3.0, "PAGE/data.csv"]


@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_why_a_worker_of_another_origin_does_not_run(
    tfpy_sessions: Sessions, tmp_path: Path, elsewhere: str, browser: str
) -> None:
    code = ELSEWHERE.replace("LOADER", elsewhere)
    policy = {"Content-Security-Policy": "worker-src 'self'"}
    origin = r"http://127\.0\.0\.1:\d+"
    text = in_page(tfpy_sessions, tmp_path, browser, code, policy)
    pattern = rf"tfpy: {origin}/worker_host\.mjs does not run .* whose origin is {origin}\b"
    assert re.match(pattern, text), text
    assert "must allow blob: in worker-src" in text
    text = in_page(tfpy_sessions, tmp_path, browser, in_a_frame(code), policy)
    assert re.match(rf"tfpy: {origin}/worker_host\.mjs .* whose origin is opaque", text), text
    assert "must allow data: in worker-src" in text
