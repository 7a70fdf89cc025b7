"""Exported programs on wasm, run by ``tfpy-run.mjs`` in node without Python."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from guides.documents import block, blocks, run
from models.test_graph_models import assert_near as assert_near_outputs, loaded, reference

import tfpy as tf
from e2e.exported_cases import CASES, assert_near
from e2e.exported_edits import assert_told
from e2e.exported_mutants import CARELESS, edited, mutants

from .conftest import require_assets
from .node_process import ASSETS, RuntimeFailed
from .program_runner import ProgramRunner

MOST_BYTES = 60_000
MUTANTS = 300
KERAS_WORKER = Path(__file__).parents[1] / "export" / "keras_worker.py"


@pytest.fixture(scope="module")
def runner() -> Iterator[ProgramRunner]:
    require_assets("simd")
    require_assets("relaxed")
    started = ProgramRunner()
    yield started
    started.close()


def test_size() -> None:
    """Check the size of the script that a page downloads with the wasm module and the file."""
    require_assets("simd")
    assert len(gzip.compress((ASSETS / "tfpy-run.mjs").read_bytes(), 9)) < MOST_BYTES


PAGE = """
import { readFileSync } from "node:fs";
globalThis.fetch = async (source) => {
  const url = String(source.url ?? source);
  return new Response(readFileSync(url.startsWith("file:") ? new URL(url) : url));
};
const elements = {};
globalThis.document = {
  querySelector: (name) =>
    (elements[name] ??= { value: "#336699", style: {}, addEventListener() {} }),
};
const kept = new Map();
globalThis.caches = {
  open: async () => ({
    match: async (name) => kept.get(name)?.clone(),
    put: async (name, response) => void kept.set(name, response),
  }),
};
"""
"""Replacements for the page's objects, in node."""


def in_page(folder: Path, program: str) -> Any:
    """Run a script of a page that imports `loadProgram`, and return what it writes as JSON."""
    run_mjs = (ASSETS / "tfpy-run.mjs").as_uri()
    script = f'import {{ loadProgram }} from "{run_mjs}";{PAGE}{program}\nprocess.exit(0);'
    (folder / "page.mjs").write_text(script)
    done = subprocess.run(
        ["node", "page.mjs"], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_programs_of_the_documents(tmp_path: Path) -> None:
    """Write a file with the programs of docs/export.md, and run it with the page's scripts."""
    require_assets("simd")
    names: dict[str, Any] = {}
    for program in blocks("docs/export.md", "python"):
        run(program.replace("/tmp/", f"{tmp_path}/"), names)
    page = block("docs/export.md", "html", "text_color")
    (script,) = re.findall(r'<script type="module">\nimport .*?\n(.*?)</script>', page, re.S)
    shown = in_page(
        tmp_path,
        f"""{script}
        const first = {{ ...sample.style }};
        color.value = "#ffee88";
        await show();
        console.log(JSON.stringify([program.backend, first, sample.style]));""",
    )
    assert shown == [
        "wasm",
        {"background": "#336699", "color": "white"},
        {"background": "#ffee88", "color": "black"},
    ]
    corrected = block("docs/export.md", "js")
    before, losses, after = in_page(
        tmp_path,
        f"""{corrected}
        const dark = async (one) => (await one.run({{ colors: [0.2, 0.4, 0.6] }})).dark.data[0];
        const before = await dark(program);
        const losses = [];
        for (let i = 0; i < 5; i++) losses.push(await correct([0.2, 0.4, 0.6], 1));
        const again = await loadProgram(await cache.match("text_color.tfpy"));
        console.log(JSON.stringify([before, losses, [await dark(program), await dark(again)]]));""",
    )
    assert before < 0.5 < after[0] == after[1]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_python(runner: ProgramRunner, tmp_path: Path, name: str) -> None:
    """Check that the results of all calls equal Python's, and that no call leaves slots."""
    case = CASES[name]()
    case.export(tmp_path / "case.tfpy")
    loaded = runner.load(tmp_path / "case.tfpy")
    assert loaded["backend"] == "wasm"
    slots = runner.call("memory")["slots"]
    found = [runner.run(inputs, function) for function, inputs in case.calls]
    assert runner.call("memory")["slots"] == slots
    assert_near(case, found)


def test_keras_trains_and_predicts(runner: ProgramRunner, tmp_path: Path) -> None:
    """Compare Keras's layers and optimizers with their results on tfpy, step by step."""
    done = subprocess.run(
        [sys.executable, KERAS_WORKER, tmp_path], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for note in sorted(tmp_path.glob("*.json")):
        wanted = json.loads(note.read_text())
        loaded = runner.load(note.with_suffix(".tfpy"))
        assert loaded["functions"]["predict"] == wanted["predict"]
        for name, inputs, results in wanted["calls"]:
            found = runner.run(inputs, name)
            for key, values in results.items():
                np.testing.assert_allclose(found[key].ravel(), values, 1e-3, 1e-5, err_msg=name)


@pytest.mark.parametrize("name", ["blazeface", "movenet-lightning"])
def test_graph_models(runner: ProgramRunner, tmp_path: Path, name: str) -> None:
    """Compare exported graph models of TensorFlow.js with TensorFlow."""
    model, (given, wanted) = loaded(name), reference(name)
    specs = {one.name: tf.TensorSpec(given[one.name].shape, one.dtype) for one in model.inputs}
    tf.export(model, tmp_path / "model.tfpy", specs, backends=["wasm"])
    runner.load(tmp_path / "model.tfpy")
    found = runner.run({key.partition(":")[0]: array for key, array in given.items()})
    for key, array in wanted.items():
        assert_near_outputs(found[key.partition(":")[0]], array, name)


def test_progress_and_report(runner: ProgramRunner, tmp_path: Path) -> None:
    tf.export(tf.nn.relu, tmp_path / "a.tfpy", tf.TensorSpec([3]))
    loaded = runner.load(tmp_path / "a.tfpy")
    assert loaded["report"]["wasm"] == {"status": "chosen", "reason": ""}
    assert loaded["report"]["webgpu"]["reason"] == "WebGPU has no adapter in this browser"
    assert loaded["report"]["webgl"]["reason"] == "WebGL2 is not available"
    last = loaded["heard"][-1]
    size = (tmp_path / "a.tfpy").stat().st_size
    assert last == {"loaded": size, "total": size, "compiled": 1}
    with pytest.raises(RuntimeFailed, match=r"No backend could be opened: .*webgl: WebGL2 is not"):
        runner.load(tmp_path / "a.tfpy", backend="webgl")
    tf.export(tf.nn.relu, tmp_path / "b.tfpy", tf.TensorSpec([3]), backends=["webgl"])
    with pytest.raises(RuntimeFailed, match="wasm: the file has no programs for it"):
        runner.load(tmp_path / "b.tfpy")


def test_variables_are_read_written_and_saved(runner: ProgramRunner, tmp_path: Path) -> None:
    """Check that filters with a folded scale follow the variables.

    A saved file starts with the changed values.
    """
    w = tf.Variable(np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3), name="w")
    scale = tf.Variable([1.0, 2.0, 3.0], name="scale")
    mask = tf.Variable([True, False], name="mask")
    z = tf.Variable([1 + 2j], name="z")

    def convolve(x: Any) -> Any:
        flags = tf.cast(mask, tf.float32)
        return {"y": tf.nn.conv2d(x, w, 1, "SAME") * scale, "z": z * tf.complex(flags, 0.0)}

    tf.export(convolve, tmp_path / "a.tfpy", tf.TensorSpec([1, 2, 2, 3]))
    x = np.ones((1, 2, 2, 3), np.float32)
    loaded = runner.load(tmp_path / "a.tfpy")
    names = {one["name"]: (one["dtype"], one["shape"]) for one in loaded["variables"]}
    assert names["z"] == ("complex64", [1])
    assert names["mask"] == ("bool", [2])
    plain = runner.run({"x": x})["y"]
    np.testing.assert_allclose(plain[0, 0, 0], w.numpy()[0, 0].sum(0) * [1, 2, 3])
    runner.write("scale", [1.0, 1.0, 10.0])
    runner.write("mask", np.array([False, True]))
    runner.write("z", [3.0, 4.0])
    changed = runner.run({"x": x})
    np.testing.assert_allclose(changed["y"][0, 0, 0], w.numpy()[0, 0].sum(0) * [1, 1, 10])
    assert changed["z"].tolist() == [0, 3 + 4j]
    (tmp_path / "b.tfpy").write_bytes(runner.save())
    runner.load(tmp_path / "b.tfpy")
    assert runner.read("scale").tolist() == [1, 1, 10]
    assert runner.read("mask").tolist() == [False, True]
    again = runner.run({"x": x})
    assert again["y"].tolist() == changed["y"].tolist()
    for name, value, text in [
        ("scale", [1.0], "variable 'scale' is float32.3., got 1 elements"),
        ("other", [1.0], "there is no variable 'other'"),
    ]:
        with pytest.raises(RuntimeFailed, match=text):
            runner.write(name, value)


def test_inputs(runner: ProgramRunner, tmp_path: Path) -> None:
    """Check that inputs are accepted in many forms, and that errors describe invalid inputs."""

    def add(x: Any, n: Any) -> Any:
        return {"sum": x + tf.cast(n, tf.float32)}

    sizes = [(tf.TensorSpec([r, 2]), tf.TensorSpec([], tf.int32)) for r in (2, 3)]
    tf.export(add, tmp_path / "a.tfpy", sizes, backends=["wasm"])
    runner.load(tmp_path / "a.tfpy")
    for given in ([[1, 2], [3, 4]], [1, 2, 3, 4], {"data": [1, 2, 3, 4], "shape": [2, 2]}):
        assert runner.run({"x": given, "n": 1})["sum"].tolist() == [[2, 3], [4, 5]]
    assert runner.run({"x": np.zeros((3, 2), np.float32), "n": True})["sum"].shape == (3, 2)
    takes = r"takes \(x: float32\[2,2\], n: int32\[\]\) or \(x: float32\[3,2\], n: int32\[\]\), got"
    for inputs, text in [
        ({"x": [1, 2, 3, 4], "n": 1, "image": 2}, "has no input 'image'; it takes x, n"),
        ({"x": [1, 2, 3, 4]}, takes),
        ({"x": [1, 2, 3], "n": 1}, takes + r" \(x: 3 elements, n: \[\]\)"),
        ({"x": {"data": [1, 2, 3, 4], "shape": [4, 1]}, "n": 1}, takes + r" \(x: \[4,1\]"),
        ({"x": [[1, 2], [3]], "n": 1}, "rows of input 'x' differ in length"),
        ({"x": "1234", "n": 1}, "'x'"),
        ({"x": None, "n": 1}, "input 'x' is neither numbers nor an image"),
    ]:
        with pytest.raises(RuntimeFailed, match=f"TypeError: .*{text}"):
            runner.run(inputs)
    with pytest.raises(RuntimeFailed, match="there is no function 'f'; the functions are add"):
        runner.run({}, "f")


def test_inputs_by_position(runner: ProgramRunner, tmp_path: Path) -> None:
    """Pass a single input alone and several inputs as an array; names are as before."""
    model = tf.Variable([[2.0], [3.0]])
    functions = {
        "model": lambda data: {"y": data @ model},
        "layer": lambda x: {"y": x @ model},
        "scaled": lambda x, n: {"y": x * n},
    }
    row, number = tf.TensorSpec([1, 2]), tf.TensorSpec([])
    specs = {"model": row, "layer": row, "scaled": (row, number)}
    tf.export(functions, tmp_path / "a.tfpy", specs, backends=["wasm"])
    runner.load(tmp_path / "a.tfpy")
    flat = {"data": [1, 10], "shape": [1, 2]}
    for given in ([1, 10], [[1, 10]], np.array([[1, 10]], np.float32), {"data": [1, 10]}):
        assert runner.run(given, "model")["y"].tolist() == [[32]]
        assert runner.run(given, "layer")["y"].tolist() == [[32]]
    assert runner.run({"data": flat}, "model")["y"].tolist() == [[32]]
    assert runner.run(flat, "layer")["y"].tolist() == [[32]]
    assert runner.run([[1, 10], 3], "scaled")["y"].tolist() == [[3, 30]]
    assert runner.run([flat, 3], "scaled")["y"].tolist() == [[3, 30]]
    takes = "scaled takes the 2 inputs x, n. Pass an array of them, or an object that maps"
    for inputs in ([[1, 10]], [1, 10, 3], 3, None, flat):
        with pytest.raises(RuntimeFailed, match=takes):
            runner.run(inputs, "scaled")
    with pytest.raises(RuntimeFailed, match=r"takes \(x: float32\[1,2\]\), got \(x: 3 elements\)"):
        runner.run([1, 2, 3], "layer")


@pytest.mark.parametrize("name", ["dense", "control_flow", "lists"])
def test_broken_files(runner: ProgramRunner, tmp_path: Path, name: str) -> None:
    """Check that every defect of a file raises a clear error and that the next file runs."""
    case = CASES[name]()
    case.export(tmp_path / "case.tfpy")
    data = (tmp_path / "case.tfpy").read_bytes()
    function, inputs = case.calls[0]
    files = list(mutants(data, np.random.default_rng(3), MUTANTS))
    texts = runner.broken([*files, data], inputs, function)
    assert texts[-1] == ""
    refused = [text for text in texts if text]
    assert len(refused) > MUTANTS / 2
    careless = [text for text in refused if any(word in text for word in CARELESS)]
    assert not careless, careless[:5]


def test_what_is_wrong_is_told(runner: ProgramRunner, tmp_path: Path) -> None:
    """Check that each step and field is validated before it is used."""
    case = CASES["lists"]()
    case.export(tmp_path / "case.tfpy")
    function, inputs = case.calls[0]
    assert_told(
        (tmp_path / "case.tfpy").read_bytes(),
        lambda files: runner.broken(files, inputs, function),
    )


def test_lists_are_no_numbers(runner: ProgramRunner, tmp_path: Path) -> None:
    """Reject lists that choose a branch, count a loop or index an item of a list."""

    def f(x: Any, n: Any) -> Any:
        _, items = tf.while_loop(
            lambda i, _: i < n,
            lambda i, items: (i + 1, items.write(i, x)),
            (tf.constant(0), tf.TensorArray(tf.float32, 4, element_shape=[3])),
        )
        return tf.cond(tf.reduce_sum(x) > 0, lambda: items.read(n - 1), lambda: items.read(0))

    specs = tf.TensorSpec([3], name="x"), tf.TensorSpec([], tf.int32, name="n")
    tf.export({"f": f}, tmp_path / "f.tfpy", {"f": specs}, backends=["wasm"])
    data = (tmp_path / "f.tfpy").read_bytes()

    def steps(document: Any) -> dict[str, Any]:
        return {step["op"]: step for step in document["targets"][0]["blocks"][0][0]["steps"]}

    def choose(document: Any) -> None:
        step = steps(document)["cond"]
        step["inputs"][0] = step["inputs"][2]

    def count(document: Any) -> None:
        steps(document)["while"]["counted"]["starts"][0] = 1

    def index(document: Any) -> None:
        (step,) = (s for s in steps(document)["while"]["body"]["steps"] if s["op"] == "list_set")
        step["inputs"][1] = step["inputs"][0]

    files = [data, *(edited(data, edit) for edit in (choose, count, index))]
    given = {"x": np.ones(3, np.float32), "n": np.array(2, np.int32)}
    good, *texts = runner.broken(files, given, "f")
    assert good == ""
    wanted = [
        "a branch is not a number",
        "counts a value that is not a number",
        r"inputs of list_set are \[list/1,list/1",
    ]
    for text, pattern in zip(texts, wanted, strict=True):
        assert re.search(f"broken file: .*{pattern}", text), text
