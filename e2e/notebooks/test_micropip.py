"""A page with Pyodide alone installs the wheel, as docs/install.md describes."""

from __future__ import annotations

import json
from pathlib import Path

from guides.documents import block

from buildsys import notebooks
from e2e.notebooks.pages import LOAD_SECONDS, WHEEL, opened
from tfpy.testing.sessions import Sessions

RUN = """(async (program) => {
  const { loadPyodide } = await import("/pyodide/pyodide.mjs");
  const pyodide = await loadPyodide({ packages: ["numpy", "micropip"] });
  return pyodide.runPythonAsync(program);
})"""
ADDRESS = "https://example.org/"


def test_the_wheel(tfpy_sessions: Sessions, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<link rel="icon" href="data:,">')
    mounts = {"pyodide": notebooks.pyodide(), "dist": WHEEL.parent}
    with opened(tfpy_sessions, tmp_path, "index.html", mounts=mounts) as page:
        program = block("docs/install.md", "py", "micropip")
        assert f'"{ADDRESS}{WHEEL.name}"' in program
        program = program.replace(ADDRESS, page.evaluate("`${location.origin}/dist/`"))
        program += "tf.get_backend(), tf.reduce_sum(tf.constant([1.0, 2.0])).numpy().item()"
        shown = page.evaluate(f"{RUN}({json.dumps(program)}).then(String)", LOAD_SECONDS)
        assert shown == "('wasm', 3.0)"
