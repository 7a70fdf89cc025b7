"""PyScript's page of the examples, from the npm package, with Pyodide from the same server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from guides.documents import block

from buildsys import notebooks, npm
from e2e.notebooks.pages import LOAD_SECONDS, folder_with, opened, wait_for
from tfpy.testing.sessions import Sessions

STATE = "document.querySelector('#state').textContent"
MISTAKE = "a = tf.ones([2, 3])\nb = a @ a"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the example, which contains the tag of docs/notebooks.md."""
    folder = folder_with(tmp_path_factory.mktemp("notebooks") / "pyscript", "train_pyscript.html")
    assert block("docs/notebooks.md", "html") in (folder / "train_pyscript.html").read_text()
    return folder


def test_training(folder: Path, tfpy_sessions: Sessions) -> None:
    mounts = {
        "pyscript": npm.ensure() / "@pyscript" / "core" / "dist",
        "pyodide": notebooks.pyodide(),
    }
    with opened(tfpy_sessions, folder, "train_pyscript.html", mounts=mounts) as page:
        wait_for(page, "!document.querySelector('#train').disabled", LOAD_SECONDS)
        assert page.evaluate(STATE) == "ready: wasm"
        # Stop ends the loop within a few steps.
        page.evaluate("document.querySelector('#train').click()")
        wait_for(page, f"{STATE}.startsWith('step')")
        page.evaluate("document.querySelector('#stop').click()")
        wait_for(page, f"{STATE}.startsWith('stopped')")
        assert int(page.evaluate(STATE).split()[2]) < 300
        # The next run continues where the last one stopped.
        page.evaluate("document.querySelector('#train').click()")
        wait_for(page, f"{STATE}.startsWith('done after 300')")
        assert float(page.evaluate(STATE).split("right: ")[1].rstrip("%")) > 90
        assert page.evaluate("document.querySelectorAll('#plot svg').length") == 1
        # An error of a script has its line.
        page.evaluate(f"""(() => {{
          const script = document.createElement("script");
          script.type = "py";
          script.textContent = {json.dumps(MISTAKE)};
          document.body.append(script);
        }})()""")
        wait_for(page, "document.querySelector('.py-error')")
        error = page.evaluate("document.querySelector('.py-error').textContent")
        assert 'File "<exec>", line 2' in error
        assert "InvalidArgumentError: matmul" in error
