"""Traces of a network's call and of a training step.

Perfetto opens them, and they account for 95 % of the time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from profiler.perfetto import check_opened

from tfpy.testing.environments import BACKENDS
from tfpy.testing.sessions import OpenPage

BENCH = Path(__file__).parents[1] / "bench"
FILES = ("profiles", "networks/mobilenet_v1", "networks/mobilenet_v2", "networks/digits")
WORKS = ("mobilenet_v2", "training step")
ROUNDS = {"cpu": 1, "wasm": 5, "webgl": 1, "webgpu": 1}
"""Number of rounds, of which the median counts, because other work may disturb a call of 30 ms."""

PROFILED = """async (files, works, rounds) => {
  const { loadTfpy } = await import("/tfpy.mjs");
  const flags = { SOFTWARE_WEBGL_ENABLED: true, WEBGPU_SOFTWARE_ENABLED: true };
  const { pyodide } = await loadTfpy({ backend: "cpu", flags });
  pyodide.FS.mkdirTree("bench/networks");
  for (const [name, text] of Object.entries(files)) pyodide.FS.writeFile(name, text);
  const { measured } = pyodide.pyimport("bench.profiles");
  const found = [];
  for (const [backend, times] of Object.entries(rounds)) {
    await pyodide.pyimport("tfpy").set_backend_async(backend);
    for (const work of works) found.push(JSON.parse(await measured(work, times, true)));
  }
  return found;
}"""


def test_mobilenet_and_training_step_are_accounted_for(
    tfpy_page: Callable[..., OpenPage], tmp_path: Path
) -> None:
    texts = {f"bench/{name}.py": (BENCH / f"{name}.py").read_text() for name in FILES}
    given = ", ".join(map(json.dumps, (texts, WORKS, ROUNDS)))
    records = tfpy_page("tfpy-testing/blank.html").evaluate(f"({PROFILED})({given})", 600.0)
    files = []
    for record in records:
        file = tmp_path / f"{record['backend']}-{record['work']}.trace.json"
        file.write_text(json.dumps(record.pop("trace")))
        files.append(file)
    assert {r["backend"] for r in records} == set(BACKENDS)
    check_opened(files)
    missed = [r for r in records if r["accounted"] < 0.95]
    assert not missed, missed
