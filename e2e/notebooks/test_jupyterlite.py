"""A JupyterLite site with the example notebook. Its kernel runs in a worker of the page."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from guides.documents import block

from buildsys import notebooks
from buildsys.paths import SITE
from e2e.notebooks.pages import (
    EXAMPLES,
    LOAD_SECONDS,
    RUN_SECONDS,
    WHEEL,
    folder_with,
    opened,
    wait_for,
)
from tfpy.testing.sessions import OpenPage, Sessions

PACKAGES = ("absl_py", "h5py", "keras", "ml_dtypes", "optree", "rich")
"""Beginnings of the names of Keras's wheels in the site, as docs/notebooks.md lists them."""
PANEL = "globalThis.jupyterapp?.shell.currentWidget"
CELLS = f"{PANEL}.content.widgets.filter((cell) => cell.model.type === 'code')"
MISTAKE = """def wrong(a):
    return a @ a

wrong(tf.ones([2, 3]))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as docs/notebooks.md describes, without a network and unnecessary parts.

    The page exposes its application.
    """
    top = folder_with(tmp_path_factory.mktemp("notebooks") / "jupyterlite", "train.ipynb")
    (top / "notebooks").mkdir()
    (top / "train.ipynb").rename(top / "notebooks" / "train.ipynb")
    shutil.copy(SITE / "examples" / "notebooks" / "fruit.csv", top / "notebooks")
    (top / "wheels").mkdir()
    (top / WHEEL.name).rename(top / "wheels" / WHEEL.name)
    for name in PACKAGES:
        (wheel,) = (SITE / "pyodide").glob(f"{name}-*.whl")
        shutil.copy(wheel, top / "wheels")
    config = json.loads(block("docs/notebooks.md", "json"))
    config["jupyter-config-data"]["exposeAppInBrowser"] = True
    (top / "jupyter-lite.json").write_text(json.dumps(config))
    _, build, _ = block("docs/notebooks.md", "sh", "jupyter lite").splitlines()
    jupyter = notebooks.tool("jupyter")
    env = {**os.environ, "PATH": f"{jupyter.parent}{os.pathsep}{os.environ['PATH']}"}
    argv = [*shlex.split(build), "--apps", "notebooks", "--no-sourcemaps"]
    done = subprocess.run(argv, cwd=top, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (top / "site" / "static").mkdir(exist_ok=True)
    (top / "site" / "static" / "pyodide").symlink_to(notebooks.pyodide())
    return top / "site"


@pytest.fixture(scope="module")
def page(folder: Path, tfpy_sessions: Sessions) -> Iterator[OpenPage]:
    """Open the notebook and run all cells."""
    address = "notebooks/index.html?path=train.ipynb"
    with opened(tfpy_sessions, folder, address, mounts={}, isolated=False) as page:
        wait_for(page, f"{PANEL}?.sessionContext?.isReady", LOAD_SECONDS)
        page.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
        wait_for(page, f"{CELLS}.at(-1).model.executionCount", LOAD_SECONDS)
        yield page


def outputs(page: OpenPage, cell: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate(f"{CELLS}.at({cell}).model.sharedModel.outputs")
    return found


def run(page: OpenPage, code: str) -> None:
    """Begin to run code in a new cell at the notebook's end."""
    page.evaluate(f"""(async () => {{
      const {{ content }} = {PANEL};
      content.activeCellIndex = content.widgets.length - 1;
      await jupyterapp.commands.execute("notebook:insert-cell-below");
      content.activeCell.model.sharedModel.setSource({json.dumps(code)});
      void jupyterapp.commands.execute("notebook:run-cell");
    }})()""")


def test_training(page: OpenPage) -> None:
    install, backend, data, train = (outputs(page, cell) for cell in range(4))
    assert install == data == []
    assert backend[0]["data"]["text/plain"] == "'wasm'"
    assert "<svg" in train[0]["data"]["text/html"]
    assert float(train[-1]["text"].split("right: ")[1].rstrip("%\n")) > 90


KEPT = """
import os
tf.train.Checkpoint(model=model).save("kept/model")
print(sorted(os.listdir("kept")))
"""
WRITTEN = "['checkpoint', 'model-1.data-00000-of-00001', 'model-1.index']"


def test_keras(page: OpenPage) -> None:
    """Run the example with Keras. Before, a notebook without Keras explains how to get it.

    Also check that files can be written, because the kernel's module fcntl is empty.
    """
    run(page, "tf.keras")
    wait_for(page, f"{CELLS}.at(-1).model.executionCount")
    (error,) = outputs(page, -1)
    assert "Run %pip install tfpy-web keras in a cell." in plain("\n".join(error["traceback"]))
    example = json.loads((EXAMPLES / "train_keras.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(c["source"]) for c in example["cells"] if c["cell_type"] == "code"]
    assert cells[0] == block("docs/notebooks.md", "text", "%pip").strip()
    for cell in (cells[0], block("docs/notebooks.md", "py", "import keras"), *cells[1:], KEPT):
        run(page, cell)
        wait_for(page, f"{CELLS}.at(-1).model.executionCount", LOAD_SECONDS)
    kept, predicted, _, (plot, shown), dtypes = (outputs(page, -1 - i) for i in range(5))
    assert "'color': 'string', 'weight': 'float32'" in dtypes[0]["data"]["text/plain"]
    assert "<svg" in plot["data"]["text/html"]
    assert int(shown["text"].partition("%")[0]) > 85
    assert predicted[-1]["text"] == "['banana', 'apple']\n"
    assert kept[-1]["text"] == f"{WRITTEN}\n"
    file = page.evaluate("jupyterapp.serviceManager.contents.get('fruit.keras')")
    assert file["size"] > 1000, "JupyterLite stores it"


CAUGHT = """try:
    tf.data.csv("missing.csv")
except tf.errors.NotFoundError as error:
    print(error)
print("after")
"""


def test_a_cell_can_catch_the_error_of_a_blocking_call(page: OpenPage) -> None:
    run(page, CAUGHT)
    wait_for(page, f"{CELLS}.at(-1).model.executionCount")
    (shown,) = outputs(page, -1)
    error, after = shown["text"].splitlines()
    assert re.search(r"missing\.csv: 404 .* \(http://\S+/missing\.csv\)\. Python's file sys", error)
    assert after == "after"


def test_an_error_has_the_line_of_its_cell(page: OpenPage) -> None:
    run(page, MISTAKE)
    wait_for(page, f"{CELLS}.at(-1).model.executionCount")
    (error,) = outputs(page, -1)
    text = "\n".join(error["traceback"])
    assert "InvalidArgumentError" in text
    assert "----> 2     return a @ a" in plain(text)
    assert "tfpy/_src" not in text


def test_a_restart_ends_what_runs(page: OpenPage) -> None:
    """Check that a restarted kernel can use tfpy again.

    JupyterLite cannot interrupt a kernel.
    """
    run(page, "while True:\n    step(0.5)")
    page.evaluate(f"{PANEL}.sessionContext.session.kernel.restart().then(() => 1)", RUN_SECONDS)
    page.evaluate("void jupyterapp.commands.execute('notebook:run-all-above')")
    wait_for(page, f"{CELLS}.at(3).model.executionCount === 4", LOAD_SECONDS)
    assert "right: " in outputs(page, 3)[-1]["text"]


def plain(text: str) -> str:
    """Return a text without a terminal's color codes."""
    return re.sub(r"\x1b\[[\d;]*m", "", text)
