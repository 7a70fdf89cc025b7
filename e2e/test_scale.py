"""The program of docs/scale.md, moved from a page to devices, hosts, a mesh and another page."""

from __future__ import annotations

import base64
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from guides.documents import block

import tfpy
from buildsys import pyenv
from buildsys.paths import ROOT, SITE
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import Sessions

SECONDS = 60.0

NOTED = """
import os, runpy, sys
import numpy as np
import tfpy as tf

restore = tf.train.CheckpointManager.restore_or_initialize


def noting(manager):
    found = restore(manager)
    if found:
        kept = manager.checkpoint
        values = [kept.step, *kept.weights, *kept.velocities]
        np.savez(f"run/restored-{os.getpid()}", *[value.numpy() for value in values])
    return found


tf.train.CheckpointManager.restore_or_initialize = noting
"""
"""Code after which a program stores the values of its Variables when it has restored them."""
NAMES = ["step", *(f"{name}/{i}" for name in ("weights", "velocities") for i in range(4))]
"""Names of the values in a checkpoint."""

DOWNLOADED = """(async () => {
  const link = document.querySelector("#files");
  const text = (selector) => document.querySelector(selector)?.textContent ?? "";
  while (!link.href && !text(".tfpy-error")) await new Promise((r) => setTimeout(r, 20));
  if (!link.href) throw new Error(text(".tfpy-error"));
  const bytes = new Uint8Array(await (await fetch(link.href)).arrayBuffer());
  return [link.download, btoa(String.fromCharCode(...bytes)), text(".tfpy-output")];
})()"""


class Way:
    """The folder of the program, the values that it saved last, and the lines that it printed."""

    def __init__(self, folder: Path, sessions: Sessions) -> None:
        page = block("docs/scale.md", "html")
        page = page.replace("tfpy.mjs", "../tfpy.mjs")  # the file is in the folder of the site
        noting = f'<script type="text/tfpy">{NOTED}</script>\n'
        script = '<script type="text/tfpy" src="digits.py">'
        assert script in page
        files = {
            "digits.py": block("docs/scale.md", "py", "def main():"),
            "sharded.py": block("docs/scale.md", "py", "import BATCH"),
            "index.html": page.replace(script, noting + script),
            "noted.py": f'{NOTED}\nrunpy.run_path(sys.argv[1], run_name="__main__")\n',
        }
        for name, text in files.items():
            (folder / name).write_text(text)
        self.folder, self._sessions = folder, sessions
        self.saved: list[Any] = []
        self.told: list[str] = []

    def page(self, flags: str = "") -> None:
        """Open the page, and unpack the archive that it offers for download."""
        with SiteServer(SITE, mounts={"way": self.folder}) as server:
            page = self._sessions.browsers.open(
                "chromium", ENVIRONMENTS["default"], f"{server.url}way/{flags}"
            )
            name, text, printed = page.evaluate(DOWNLOADED, SECONDS)
            assert [problem for problem in page.problems if "404" not in problem] == []
            page.close()
        (self.folder / name).write_bytes(base64.b64decode(text))
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        shutil.unpack_archive(self.folder / name, self.folder)
        self._went_on(printed)

    def machines(self, commands: str, count: int = 1) -> None:
        """Run commands of the page on `count` machines."""
        for number in range(count):
            port = _free_port()
            commands = commands.replace(f"host{number}:12345", f"localhost:{port}")
        commands = re.sub(r"\bpython (?=\w+\.py)", "python noted.py ", commands)
        texts = [commands.replace('"index": 0', f'"index": {number}') for number in range(count)]
        printed = self._run(texts, {"TFPY_BACKEND": "jax"} if count > 1 else {})
        lines = {text.splitlines()[-1] for text in printed}
        assert len(lines) == 1, "all machines print the same last line"
        self._went_on(*lines)

    def pack(self, commands: str) -> None:
        """Run the commands that pack the folder for the page."""
        self._run([commands], {})

    def _run(self, commands: list[str], variables: dict[str, str]) -> list[str]:
        """Run several shell scripts concurrently, and return their outputs."""
        python = pyenv.ensure("test").parent
        variables = os.environ | {
            "PATH": f"{python}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "XLA_FLAGS": "--xla_backend_optimization_level=0",
            **variables,
        }
        running = [
            subprocess.Popen(
                ["bash", "-ec", text],
                cwd=self.folder, env=variables, stdout=subprocess.PIPE, text=True,
            )
            for text in commands
        ]  # fmt: skip
        try:
            printed = [process.communicate(timeout=SECONDS)[0] for process in running]
        finally:
            for process in running:
                process.kill()
        assert [process.returncode for process in running] == [0] * len(running)
        return printed

    def _went_on(self, printed: str) -> None:
        """Check that the program began with the values saved before, and record its results."""
        restored = [*(self.folder / "run").glob("restored*")]
        assert bool(restored) == bool(self.saved)
        for file in restored:
            with np.load(file) as values:
                for found, wanted in zip(values.values(), self.saved, strict=True):
                    np.testing.assert_array_equal(found, wanted)
            file.unlink()
        self.saved = values_in(self.folder)
        self.told.append(printed)


def values_in(folder: Path) -> list[Any]:
    """Return the values in the latest checkpoint."""
    reader = tfpy.train.load_checkpoint(str(folder / "run"))
    return [reader.get_tensor(f"{name}/.ATTRIBUTES/VARIABLE_VALUE") for name in NAMES]


def on_one_device(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Run all steps of the program on NumPy, and return the values that it saves."""
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {"__name__": "digits"}
    exec(block("docs/scale.md", "py", "def main():"), names)
    names["STEPS"] *= 5
    names["main"]()
    return values_in(folder)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("localhost", 0))
        return int(found.getsockname()[1])


def test_the_way(tfpy_sessions: Sessions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that each run continues with the exact values that the previous run saved.

    The loss always decreases, and the final values equal those of training on one device.
    """
    way = Way(tmp_path, tfpy_sessions)
    way.page()
    way.machines(block("docs/scale.md", "sh", "zipfile -e"))
    way.machines(block("docs/scale.md", "sh", "export TF_CONFIG"), 2)
    way.machines(block("docs/scale.md", "sh", "sharded.py"))
    way.pack(block("docs/scale.md", "sh", "zipfile -c"))
    way.page("?tfpyflags=WEBGPU_SOFTWARE_ENABLED:true")

    said = [re.fullmatch(r"(\d+ x \w+), step (\d+): loss ([\d.]+)", t.strip()) for t in way.told]
    places, steps, losses = zip(*(found.groups() for found in said if found), strict=True)
    assert places == ("1 x wasm", "2 x jax", "2 x jax", "8 x jax", "1 x webgpu")
    assert [*map(int, steps)] == [20, 40, 60, 80, 100]
    assert sorted(losses, key=float, reverse=True) == [*losses]
    (tmp_path / "one").mkdir()
    for found, wanted in zip(way.saved, on_one_device(tmp_path / "one", monkeypatch), strict=True):
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-5)
