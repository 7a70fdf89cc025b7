"""Python in script tags, on the page's thread and in a worker: execution and output."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from e2e.accessibility import violations
from tfpy.testing.sessions import OpenPage

BLANK = "tfpy-testing/blank.html"
LOAD_SECONDS = 120.0

RUN_SCRIPTS = """async (scripts, attributes) => {
  const events = [], results = [];
  let ticks = 0, most = 0;
  setInterval(() => ticks++, 10);
  const ended = new Promise((resolve) => {
    const count = ({ type, detail }) => {
      events.push(type);
      results.push(detail.result);
      most = Math.max(most, ticks);
      ticks = 0;
      if (type === "tfpy-error" || events.length === scripts.length) resolve();
    };
    addEventListener("tfpy-result", count);
    addEventListener("tfpy-error", count);
  });
  document.documentElement.lang = "en";
  document.title = "scripts";
  for (const text of scripts) {
    const script = document.createElement("script");
    script.type = "text/tfpy";
    script.textContent = text;
    script.toggleAttribute("as-tensorflow", text.includes("import tensorflow"));
    for (const name of attributes) script.toggleAttribute(name);
    (scripts.indexOf(text) === 0 ? document.head : document.body).append(script);
  }
  const progress = [];
  new MutationObserver(() => {
    const shown = document.querySelector(".tfpy-progress");
    if (shown) progress.push([shown.querySelector("progress").position, shown.innerText]);
  }).observe(document.body, { childList: true, subtree: true });
  const messages = [];
  addEventListener("tfpy-message", ({ detail: { data, worker } }) => {
    messages.push(data);
    worker.postMessage("answer");
  });
  await import("/tfpy.mjs");
  await ended;
  const texts = (selector) => [...document.querySelectorAll(selector)].map(
    (shown) => {
      const { whiteSpace, overflowWrap } = getComputedStyle(shown);
      const after = shown.previousElementSibling.className;
      const { innerText: text, textContent: all } = shown;
      return { text, all, after, seen: shown.checkVisibility(), style: [whiteSpace, overflowWrap] };
    });
  return {
    events, results, progress, messages, ticks: most,
    output: texts(".tfpy-output"), error: texts(".tfpy-error"), picture: texts(".tfpy-picture"),
  };
}"""

Open = Callable[..., OpenPage]


def run_scripts(page: OpenPage, *scripts: str, worker: bool = False) -> dict[str, Any]:
    """Return the output of a page that has these Python scripts and the loader."""
    arguments = f"{json.dumps(scripts)}, {json.dumps(['worker'] if worker else [])}"
    found: dict[str, Any] = page.evaluate(f"({RUN_SCRIPTS})({arguments})", LOAD_SECONDS)
    return found


SCRIPTS = [
    "\n    import tfpy as tf\n    x = tf.constant([1, 2]) + 1\n    print(x.numpy())\n",
    "print(int(tf.reduce_sum(x).numpy()))\nraise SystemExit",
    "import tensorflow\nprint(tensorflow.reduce_sum is tf.reduce_sum)\nraise SystemExit(3)",
]


EXITED = "Exited with status 3.\n"


@pytest.mark.parametrize("worker", [False, True], ids=["page", "worker"])
def test_scripts(tfpy_page: Open, worker: bool) -> None:
    """Check that scripts share names and that the page shows the progress while Python loads."""
    page = tfpy_page(BLANK)
    found = run_scripts(page, *SCRIPTS, worker=worker)
    assert found["events"] == ["tfpy-result"] * 3
    assert [shown["all"] for shown in found["output"]] == ["[2 3]\n", "5\n", "True\n" + EXITED]
    assert [shown["seen"] for shown in found["output"]] == [True] * 3, "also what the head prints"
    assert found["error"] == []
    positions = [position for position, _ in found["progress"] if position >= 0]
    assert positions == sorted(positions)
    assert len({int(10 * position) for position in positions}) > 5
    assert any("%" in text for _, text in found["progress"])
    assert page.evaluate("document.querySelector('.tfpy-progress')") is None
    assert page.problems == []


@pytest.mark.parametrize("browser", ["firefox", "webkit"])
def test_scripts_of_other_browsers(tfpy_page: Open, browser: str) -> None:
    found = run_scripts(tfpy_page(BLANK, browser=browser), *SCRIPTS[:2], worker=True)
    assert [shown["all"] for shown in found["output"]] == ["[2 3]\n", "5\n"]


@pytest.mark.parametrize("worker", [False, True], ids=["page", "worker"])
def test_errors(tfpy_page: Open, worker: bool) -> None:
    """Check that the error shows the user's line.

    Frames of libraries are shown on request.
    """
    page = tfpy_page(BLANK)
    code = "import tfpy as tf\nprint('before')\ntf.reshape(tf.zeros([2, 3]), [4])"
    found = run_scripts(page, code, "print('not reached')", worker=worker)
    assert found["events"] == ["tfpy-error"]
    assert [shown["all"] for shown in found["output"]] == ["before\n"]
    (error,) = found["error"]
    lines = error["text"].splitlines()
    assert lines[:4] == [
        "Traceback (most recent call last):",
        '  File "script 1 of the page", line 3, in <module>',
        "    tf.reshape(tf.zeros([2, 3]), [4])",
        "    ~~~~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^",
    ]
    assert "reshape" in lines[4]
    assert "more frames, of tfpy" in lines[5]
    assert len(lines) == 6, "the other frames are folded"
    source = page.evaluate("getComputedStyle(document.querySelector('.tfpy-error pre')).whiteSpace")
    assert source == "pre", "the marks stay below the source"
    assert "/site-packages/tfpy/" in error["all"]
    assert (error["after"], error["style"]) == ("tfpy-output", ["pre-wrap", "anywhere"])
    assert any("reshape" in problem for problem in page.problems)
    assert violations(page) == []


HANDLERS = """
import js, sys
from pyodide.ffi import create_proxy

def now(event):
    raise ValueError(f"in the handler of {event.type}")

async def later(event):
    open("penguins.csv")

for handler in (now, later, lambda event: sys.exit()):
    js.addEventListener("ask", create_proxy(handler))
SEND
"""


@pytest.mark.parametrize("worker", [False, True], ids=["page", "worker"])
def test_errors_of_event_handlers(tfpy_page: Open, worker: bool) -> None:
    """Check that errors of synchronous and asynchronous handlers are shown below their script."""
    page = tfpy_page(BLANK)
    send = "js.setTimeout(\"dispatchEvent(new Event('ask'))\", 0)"
    run_scripts(page, HANDLERS.replace("SEND", send), "print('the last script')", worker=worker)
    first, second = page.evaluate(
        """(async () => {
          const shown = () => [...document.querySelectorAll(".tfpy-error")];
          while (shown().length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
          return shown().map((error) => [error.previousElementSibling.tagName, error.innerText]);
        })()""",
        LOAD_SECONDS,
    )
    assert first[0] == "SCRIPT", "not below the second script"
    assert 'File "script 1 of the page", line 6, in now' in first[1]
    assert first[1].endswith("ValueError: in the handler of ask")
    assert 'File "script 1 of the page", line 9, in later' in second[1]
    assert "FileNotFoundError" in second[1]
    assert "tf.io.to_folder_async" in second[1]
    assert violations(page) == []


APART = """
import js, time, tfpy as tf
from pyodide.ffi import create_proxy, to_js
from tfpy._src.display.screen import show_picture

end = time.time() + 1
while time.time() < end:
    pass  # the page stays responsive
shown = show_picture("<svg id='first'></svg>", None)
show_picture("<svg id='second'></svg>", shown)
print("document" in dir(js))
heard = js.Promise.withResolvers() if hasattr(js.Promise, "withResolvers") else None
js.onmessage = create_proxy(lambda event: heard.resolve(event.data))
js.postMessage(to_js([1, 2]))
{"loss": [0.5, 0.25], "answer": await heard.promise}
"""


def test_a_script_apart(tfpy_page: Open) -> None:
    """Check that the page stays responsive and receives values, messages and plots.

    The script has no document.
    """
    page = tfpy_page(BLANK)
    found = run_scripts(page, APART, "tf.constant([1, 2])", "tf.Variable(1)", worker=True)
    assert found["error"] == []
    assert found["ticks"] > 20
    assert found["results"][0] == {"loss": [0.5, 0.25], "answer": "answer"}
    assert found["results"][1] == {"0": 1, "1": 2}, "an Int32Array"
    assert found["results"][2].startswith("<tf.Variable")
    assert found["messages"] == [[1, 2]]
    assert [shown["all"] for shown in found["output"]] == ["False\n"]
    assert page.evaluate("document.querySelector('.tfpy-picture').innerHTML.includes('second')")
    assert len(found["picture"]) == 1
    assert violations(page) == []
    assert page.problems == []


@pytest.mark.parametrize("code", ["js.document.title", "from js import document"])
def test_a_worker_has_no_document(tfpy_page: Open, code: str) -> None:
    found = run_scripts(tfpy_page(BLANK), f"import js\n{code}", worker=True)
    (error,) = found["error"]
    assert "A worker has no document. Send values to the page with js.postMessage" in error["text"]


SHOWN = """
import tfpy as tf

w = tf.Variable(tf.ones([3, 2]), name="weights")
dense = tf.function(lambda x: tf.nn.relu(x @ w))
dense.lower(tf.TensorSpec([4, 3])).show()
for step in tf.notebook.progress(range(3), label="plain"):
    pass
steps = tf.notebook.progress(range(3), label="plotted", plot=True)
async for step in steps:
    steps.show(loss=1.0 / (step + 1))
plot = tf.notebook.LivePlot("epoch")
plot.add(accuracy=0.5)
"""


def test_pictures(tfpy_page: Open) -> None:
    """Check that kernels, a progress bar with a plot, and a plot are shown.

    The plain bar is text.
    """
    page = tfpy_page(BLANK)
    found = run_scripts(page, SHOWN)
    assert found["error"] == []
    kernels, bar, plot = (shown["all"] for shown in found["picture"])
    assert "weights:0" in kernels
    assert "plotted" in bar
    assert "loss 0.3333" in bar
    assert "accuracy" in plot
    (output,) = found["output"]
    assert output["all"].startswith(f"plain  {'━' * 24} 100%  3/3")
    assert violations(page) == []
    assert page.problems == []


def test_example_page(tfpy_page: Open) -> None:
    page = tfpy_page("examples/script_tag.html")
    text = page.evaluate(
        """new Promise((resolve) => addEventListener("tfpy-result",
          () => resolve(document.querySelector(".tfpy-output").textContent)))""",
        LOAD_SECONDS,
    )
    slope, offset = (float(word) for word in text.split()[-2:])
    assert abs(slope - 3.0) < 0.05
    assert abs(offset - 1.0) < 0.05
    assert page.problems == []
