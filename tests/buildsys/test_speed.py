"""The table of speed, the files of the benchmark's page, and the report of `bench --all`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bench import comparison, works
from buildsys import npm, peers, site, speed
from buildsys.console import BuildError
from buildsys.paths import ROOT

SCRIPT = (ROOT / "bench" / "page" / "bench.mjs").read_text(encoding="utf-8")
TABLE_ROW = re.compile(r"^\| \w.*`(?:webgpu|webgl|wasm)` \|", re.MULTILINE)


def test_each_row_has_a_work_and_recorded_times() -> None:
    assert {row.work for row in speed.ROWS} <= works.WORKS.keys()
    assert {row.backend for row in speed.ROWS} == speed.RECORDED.keys()
    found = speed.recorded()
    assert [*found] == [*speed.ROWS]
    for outcome in found.values():
        assert outcome.ours is not None
        assert outcome.theirs is not None
        assert outcome.ratio == pytest.approx(outcome.theirs / outcome.ours, rel=0.05)


def test_a_row_that_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "ROWS", (speed.ROWS[0]._replace(work="abacus"),))
    with pytest.raises(ValueError, match=r"h200\.md has no abacus with TensorFlow\.js"):
        speed.recorded()


def test_the_readme_has_the_table() -> None:
    text = speed.PAGE.read_text(encoding="utf-8")
    assert text == speed.page()
    assert len(TABLE_ROW.findall(text)) == len(speed.ROWS)


def test_the_list_for_the_page() -> None:
    found = json.loads(speed.listed())
    assert [row["work"] for row in found["rows"]] == [row.work for row in speed.ROWS]
    assert found["rows"][0]["recorded"]["ratio"] == speed.recorded()[speed.ROWS[0]].ratio
    assert found["machines"].keys() == speed.RECORDED.keys()
    for machine in found["machines"].values():
        assert re.match(r"\d{4}-\d\d-\d\d", machine["date"])
        assert "Chromium" in machine["name"]
    assert found["versions"] == speed.versions()
    assert set(speed.versions()) == {"tfpy", *(row.library for row in speed.ROWS)}


def test_the_site_has_the_files_of_the_harness() -> None:
    files = {name.removeprefix("bench/") for name in site._bench()}
    python = re.search(r"PYTHON_FILES = \[(.*?)\]", SCRIPT, re.DOTALL)
    assert python is not None
    assert {*re.findall(r'"(.*?)"', python[1])} == {name for name in files if name.endswith(".py")}
    modules = {name for name in files if name.endswith(".mjs")}
    imported = {f"page/{name}" for name in re.findall(r'from "\./(.*?)"', SCRIPT)}
    assert imported | {"page/bench.mjs", "page/tfjs_works.mjs"} == modules
    assert all((ROOT / "bench" / name).is_file() for name in files)


def test_a_changed_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert peers.digests().keys() == {Path(f).name for f in peers.FILES if f.endswith(".js")}
    for name in peers.FILES:
        file = tmp_path / "@tensorflow" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"changed")
    monkeypatch.setattr(npm, "ensure", lambda: tmp_path)
    with pytest.raises(BuildError, match=r"tf\.es2017\.min\.js differs from .* Write \"sha384-"):
        peers.ensure()
    own = peers.digest_of(tmp_path / "@tensorflow" / peers.FILES[0])
    monkeypatch.setattr(peers, "digests", lambda: {"tf.es2017.min.js": own})
    assert "peers/tfjs-backend-wasm-simd.wasm" in peers.ensure()


def line(work: str, peer: str, **more: Any) -> dict[str, Any]:
    """Return a record of a page on wasm."""
    about = {"work": work, "backend": "wasm", "browser": "X Chrome/156.0.0.0 Y", "renderer": ""}
    return {**about, "tfpy_ms": 20.0, "peer": peer, **more}


FASTER = {"peer_ms": 30.0, "ratio": 1.5}
LINES = [
    {"work": "import", "backend": "wasm", "browser": "X Chrome/156.0.0.0 Y", "peer": "x"},
    line("mobilenet_v1", "TensorFlow.js fused", **FASTER),
    line("mobilenet_v1", "TensorFlow.js plain", peer_ms=60.0, ratio=3.0),
    line("mobilenet_v1", "ONNX Runtime Web 1.30.0", peer_ms=10.0, ratio=0.5),
    line("transformer", "TensorFlow.js", peer_failure="Error: no such op"),
    {
        "work": "mlp_training",
        "backend": "wasm",
        "failure": "Error: wrong\n  at x",
        "reason": "wrong",
    },
    {"done": "wasm", "cores": 2},
    {"done": "webgpu", "failure": "Error: long\n  at y", "reason": "fallback adapter"},
]


def test_the_report_of_a_run() -> None:
    report = comparison.report(LINES)
    found = {(row.work, row.backend, row.library): each for row, each in report.outcomes.items()}
    tfjs, onnx = "TensorFlow.js", "ONNX Runtime Web"
    outcome = speed.Outcome
    assert found["mobilenet_v1", "wasm", tfjs] == outcome(20.0, 30.0, 1.5)
    assert found["mobilenet_v1", "wasm", onnx] == outcome(20.0, 10.0, 0.5)
    failed = outcome(20.0, reason="TensorFlow.js failed: no such op")
    assert found["transformer", "wasm", tfjs] == failed
    assert found["mlp_training", "wasm", tfjs] == outcome(reason="wrong")
    assert found["matmul_2048", "webgpu", tfjs] == outcome(reason="fallback adapter")
    assert found["mobilenet_v1", "webgl", tfjs] == outcome(reason=comparison.NOT_RUN)
    assert report.machine["browser"] == "Chrome 156"
    assert report.machine["CPU"].endswith("cores")
    assert report.versions["tfpy"].count(".") == 2


def test_the_printed_table_is_the_readmes() -> None:
    report = comparison.report(LINES)
    text = report.text()
    head = speed.PAGE.read_text(encoding="utf-8").partition("made by build.py face -->\n\n")[2]
    assert text.splitlines()[:2] == head.splitlines()[:2]
    assert len(TABLE_ROW.findall(text)) == len(speed.ROWS)
    assert "| MobileNetV1, one image | `wasm` | TensorFlow.js | 20.0 | 30.0 | 1.50 |" in text
    assert "| 20 training steps of an MLP | `wasm` | TensorFlow.js | – | – | – |" in text
    assert re.search(r"^webgpu: fallback adapter \(mobilenet_v1, .*eager_ops\)$", text, re.M)
    assert "ONNX Runtime Web 1." in text


def test_the_json_of_a_run() -> None:
    found = json.loads(comparison.report(LINES).json())
    assert len(found["rows"]) == len(speed.ROWS)
    assert found["rows"][-1].keys() >= {"work", "backend", "library", "ours", "theirs", "reason"}
    assert found["records"] == LINES
    assert found["machine"]["browser"] == "Chrome 156"
