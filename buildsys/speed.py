"""The comparison of speed in README.md, on the page benchmark.html, and of `build.py bench --all`.

`ROWS` defines the rows. The recorded times of a row are in a table in bench/results, so each of
them is in one place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import plots, tables, wheel
from .paths import ROOT

PAGE = ROOT / "README.md"
HEAD = ("work", "backend", "compared with", "tfpy, ms", "other, ms", "ratio")
LOCK = ROOT / "package-lock.json"
PACKAGES = {"TensorFlow.js": "@tensorflow/tfjs", "ONNX Runtime Web": "onnxruntime-web"}
"""The libraries in the rows, and their packages."""


class Row(NamedTuple):
    """A work of bench/works.py on a backend, compared with a library.

    Attributes:
        peer: Beginning of the name of the library, with the variant of its program.
    """

    work: str
    backend: str
    peer: str
    title: str

    @property
    def library(self) -> str:
        """Name of the library without the variant."""
        return next(name for name in PACKAGES if self.peer.startswith(name))


class Place(NamedTuple):
    """A table of bench/results: its file and heading."""

    file: str
    heading: str


@dataclass(frozen=True)
class Outcome:
    """The times of both sides in ms and their ratio, or the reason why one of them is missing."""

    ours: float | None = None
    theirs: float | None = None
    ratio: float | None = None
    reason: str = ""


FUSED = "TensorFlow.js fused"
PLAIN = "TensorFlow.js"
ONNX = "ONNX Runtime Web"
ROWS = (
    Row("mobilenet_v1", "webgpu", FUSED, "MobileNetV1, one image"),
    Row("transformer", "webgpu", PLAIN, "four layers of a transformer, 128 tokens"),
    Row("matmul_2048", "webgpu", PLAIN, "product of two 2048 × 2048 matrices"),
    Row("digits_training", "webgpu", PLAIN, "training step of a small convolutional network"),
    Row("eager_ops", "webgpu", PLAIN, "1000 small ops, one by one"),
    Row("mobilenet_v1", "webgl", FUSED, "MobileNetV1, one image"),
    Row("mlp_training", "webgl", PLAIN, "20 training steps of an MLP"),
    Row("mobilenet_v1", "wasm", FUSED, "MobileNetV1, one image"),
    Row("mobilenet_v1", "wasm", ONNX, "MobileNetV1, one image"),
    Row("transformer", "wasm", PLAIN, "four layers of a transformer, 128 tokens"),
    Row("mlp_training", "wasm", PLAIN, "20 training steps of an MLP"),
    Row("eager_ops", "wasm", PLAIN, "1000 small ops, one by one"),
)
RECORDED = {
    "webgpu": Place("h200.md", "webgpu"),
    "webgl": Place("h200.md", "webgl"),
    "wasm": Place("two_cores.md", "wasm, one thread on all sides (relaxed SIMD)"),
}
"""The recorded table of each backend."""


def works() -> dict[str, list[str]]:
    """Return the works of each backend."""
    found: dict[str, list[str]] = {}
    for row in ROWS:
        if row.work not in found.setdefault(row.backend, []):
            found[row.backend].append(row.work)
    return found


def recorded() -> dict[Row, Outcome]:
    """Return the recorded times.

    Raises:
        ValueError: If a row is not recorded.
    """
    return {row: _recorded(row) for row in ROWS}


def _recorded(row: Row) -> Outcome:
    place = RECORDED[row.backend]
    for found in plots.figures(*place):
        if found.work == row.work and found.peer.startswith(row.peer):
            return Outcome(found.ours, found.theirs, found.ratio)
    raise ValueError(f"{place.file} has no {row.work} with {row.peer} below {place.heading!r}")


def table(outcomes: Mapping[Row, Outcome]) -> str:
    """Return the table as Markdown."""
    return tables.table(HEAD, (_cells(row, outcomes[row]) for row in ROWS))


def _cells(row: Row, found: Outcome) -> tuple[str, ...]:
    times = (_number(value) for value in (found.ours, found.theirs, found.ratio))
    return row.title, f"`{row.backend}`", row.library, *times


def _number(value: float | None) -> str:
    """Return a number with three significant digits, or a dash."""
    if value is None:
        return "–"
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def page() -> str:
    """Return README.md with the current table."""
    return tables.with_between(PAGE, PAGE.read_text("utf-8"), "speed", table(recorded()))


def versions() -> dict[str, str]:
    """Return the version of tfpy, and the pinned versions of the other libraries."""
    packages = json.loads(LOCK.read_text("utf-8"))["packages"]
    others = {name: packages[f"node_modules/{path}"]["version"] for name, path in PACKAGES.items()}
    return {"tfpy": wheel.version(), **others}


def listed() -> str:
    """Return the rows with the recorded times as JSON, for the page benchmark.html."""
    rows = [
        {**row._asdict(), "library": row.library, "recorded": _times(found)}
        for row, found in recorded().items()
    ]
    machines = {backend: _machine(place) for backend, place in RECORDED.items()}
    return json.dumps({"rows": rows, "machines": machines, "versions": versions()}, indent=1)


def _times(found: Outcome) -> dict[str, Any]:
    return {"tfpy_ms": found.ours, "peer_ms": found.theirs, "ratio": found.ratio}


def _machine(place: Place) -> dict[str, str]:
    """Return the date and the machine, which the heading above a table names."""
    text = (plots.RESULTS / place.file).read_text("utf-8")
    above, _, _ = text.partition(f"### {place.heading}\n")
    date, _, machine = above.rpartition("\n## ")[2].partition("\n")[0].partition(", ")
    return {"date": date, "name": machine.removeprefix("a machine of ")}
