"""Exported programs in a page of Chromium without Python, on wasm, webgl and webgpu."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from e2e.exported_cases import CASES, Array, assert_near
from e2e.exported_edits import assert_told
from e2e.exported_mutants import CARELESS, mutants
from e2e.module_page import ROOT, Evaluate, module_page
from tfpy.testing.sessions import OpenPage

FOLDER = ROOT / "build" / "exported"
MUTANTS = 80
OPTIONS: dict[str, dict[str, Any]] = {
    "wasm": {"backend": "wasm"},
    "webgl": {"backend": "webgl", "allowSoftwareWebgl": True},
    "webgpu": {"backend": "webgpu", "allowSoftwareWebgpu": True},
}

MADE_IN_A_PAGE = """(async () => {
  const [{ loadTfpy }, { loadProgram }] = await Promise.all(
    ["/tfpy.mjs", "/run/tfpy-run.mjs"].map((url) => import(url)));
  const tfpy = await loadTfpy({ packages: ["keras"] });
  const files = ["/demo/demo.py", "/data/digits.json"].map((url) => fetch(url));
  const [source, digits] = await Promise.all(files.map(async (file) => (await file).text()));
  const image = Array.from({ length: 64 }, (_, i) => (i * 7) % 17);
  const python = await tfpy.run(
    `${source}
demo = Demo(digits)
tf.export(demo.model, "/tmp/demo.tfpy", backends=["wasm"])
await demo.predict(image.to_py())`, { digits, image, tf: tfpy.tf });
  const model = await loadProgram(tfpy.pyodide.FS.readFile("/tmp/demo.tfpy"));
  const { output } = await model.run({ [model.functions.sequential[0].inputs[0].name]:
    Float32Array.from(image, (level) => level / 16) });
  return { python: python.toJs?.() ?? python, exported: Array.from(output.data),
    backend: model.backend };
})()"""


@pytest.fixture(scope="module")
def evaluate() -> Iterator[Evaluate]:
    """Open a page that calls functions of ``exported_page.mjs``."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with module_page("exported_page.mjs") as call:
        yield call
    shutil.rmtree(FOLDER)


def url_of(path: Path) -> str:
    return f"/{path.relative_to(ROOT).as_posix()}"


def crossing(inputs: Mapping[str, Array]) -> dict[str, Any]:
    return {
        name: {
            "dtype": array.dtype.name,
            "shape": list(array.shape),
            "base64": base64.b64encode(array.tobytes()).decode(),
        }
        for name, array in inputs.items()
    }


def array_of(one: Mapping[str, Any]) -> Array:
    data = np.frombuffer(base64.b64decode(one["base64"]), one["dtype"])
    return data.reshape(one["shape"])


ON_WEBGPU = {"dense", "lstm_loop", "training", "control_flow", "lists"}
"""Cases that run on webgpu: all kinds of steps. Others add only compile time."""


@pytest.mark.parametrize(
    ("name", "backend"),
    [(n, b) for n in CASES for b in OPTIONS if b != "webgpu" or n in ON_WEBGPU],
)
def test_agrees_with_python(evaluate: Evaluate, name: str, backend: str) -> None:
    """Check that the results of each call equal Python's, and that no slots remain."""
    case = CASES[name]()
    path = FOLDER / f"{name}.tfpy"
    case.export(path)
    calls = [[function, crossing(inputs)] for function, inputs in case.calls]
    found = evaluate("called", url_of(path), OPTIONS[backend], calls)
    print(f"\n{name} {found['variant']} {path.stat().st_size} bytes: {found['times']} ms")
    assert found["backend"] == backend
    assert found["left"] == 0
    size = path.stat().st_size
    assert found["last"] == {"loaded": size, "total": size, "compiled": 1}
    results = [{key: array_of(one) for key, one in call.items()} for call in found["results"]]
    assert_near(case, results)


def test_broken_files(evaluate: Evaluate) -> None:
    """Check that every defect of a file raises an error that names it.

    The next file runs as before.
    """
    path = FOLDER / "small.tfpy"
    w = tf.Variable(np.ones((5, 6), np.float32), name="w")
    spec = tf.TensorSpec([3, 5], name="x")
    tf.export({"f": lambda x: tf.nn.relu(x @ w)}, path, {"f": spec}, backends=["webgl"])
    data = path.read_bytes()
    files = [*mutants(data, np.random.default_rng(4), MUTANTS), data]
    texts = [base64.b64encode(file).decode() for file in files]
    found = evaluate("broken", texts, OPTIONS["webgl"], "f", {"x": [[1.0] * 5] * 3})
    assert found[-1] == ""
    refused = [text for text in found if text]
    assert len(refused) > MUTANTS / 2
    careless = [text for text in refused if any(word in text for word in CARELESS)]
    assert not careless, careless[:5]


@pytest.mark.parametrize("backend", ["webgl", "webgpu"])
def test_what_is_wrong_is_told(evaluate: Evaluate, backend: str) -> None:
    """Check that each step and field is validated before it is used, on every backend."""
    case = CASES["lists"]()
    path = FOLDER / "lists.tfpy"
    tf.export(case.functions, path, case.signatures, backends=[backend])
    function, inputs = case.calls[0]
    given = {name: {"data": x.ravel().tolist(), "shape": x.shape} for name, x in inputs.items()}

    def broken(files: list[bytes]) -> list[str]:
        texts = [base64.b64encode(file).decode() for file in files]
        return list(evaluate("broken", texts, OPTIONS[backend], function, given))

    assert_told(path.read_bytes(), broken)


def test_made_in_a_page(tfpy_page: Callable[..., OpenPage]) -> None:
    """Check that the demo's network is exported in a page, and predicts in the same page."""
    found = tfpy_page("tfpy-testing/blank.html").evaluate(MADE_IN_A_PAGE, 300)
    np.testing.assert_allclose(found["exported"], found["python"], 0, 1e-5)
    assert found["backend"] == "wasm"


def test_backend_is_chosen_as_in_python(evaluate: Evaluate) -> None:
    """Check that software rasterizers are skipped with a reason.

    If they are allowed, webgpu is chosen.
    """
    path = FOLDER / "relu.tfpy"
    tf.export(tf.nn.relu, path, tf.TensorSpec([3]))
    found = evaluate("called", url_of(path), {}, [])
    assert found["backend"] == "wasm"
    assert found["variant"] == "relaxed-threads"
    for name, reason in (("webgl", "software rasterizer"), ("webgpu", "fallback adapter")):
        assert found["report"][name]["status"] == "skipped"
        assert reason in found["report"][name]["reason"]
    allowed = {"allowSoftwareWebgl": True, "allowSoftwareWebgpu": True}
    assert evaluate("called", url_of(path), allowed, [])["backend"] == "webgpu"


def test_what_the_adapter_is_asked_for(evaluate: Evaluate) -> None:
    """Check that the adapter is requested only by files with programs for webgpu.

    A GPU receives the tiled programs. A device that does not meet any target's requirements is
    skipped, and reported by name if it was chosen explicitly.
    """
    x = np.random.default_rng(2).standard_normal((128, 128)).astype("float32")
    spec = tf.TensorSpec(x.shape, name="x")
    path = FOLDER / "square_wasm.tfpy"
    tf.export({"f": lambda x: {"y": x @ x}}, path, {"f": spec}, backends=["wasm"])
    calls = [["f", crossing({"x": x})]]
    assert evaluate("adapters", url_of(path), {}, calls, "software")["asked"] == 0

    path = FOLDER / "square.tfpy"
    tf.export({"f": lambda x: {"y": x @ x}}, path, {"f": spec}, backends=["webgpu", "wasm"])
    for kind, tiles in (("software", False), ("hardware", True), ("least", False)):
        found = evaluate("adapters", url_of(path), OPTIONS["webgpu"], calls, kind)
        assert found["backend"] == "webgpu"
        assert any("tile" in name for name in found["kernels"]) == tiles
        np.testing.assert_allclose(array_of(found["results"][0]["y"]), x @ x, 0, 1e-4)

    data = path.read_bytes()
    path = FOLDER / "square_more.tfpy"
    path.write_bytes(data.replace(rb"\"inputs\":7", rb"\"inputs\":9"))
    found = evaluate("adapters", url_of(path), {}, calls, "least")
    assert found["backend"] == "wasm"
    why = "the file has no programs that this device can run: they require inputs 9, and it has 7"
    assert found["report"]["webgpu"] == {"status": "failed", "reason": why}
    with pytest.raises(Exception, match="inputs 9, and it has 7"):
        evaluate("adapters", url_of(path), OPTIONS["webgpu"], calls, "least")


@pytest.mark.parametrize("backend", OPTIONS)
def test_weights_over_the_budget(evaluate: Evaluate, backend: str) -> None:
    """Check that the weights leave the device and return when a function needs them.

    The results equal Python's.
    """
    side, budget = 512, 4 * 2**20
    each = side * side * 4
    weights = [tf.Variable(np.full((side, side), n, np.float32), name=f"w{n}") for n in range(16)]
    path = FOLDER / "weights.tfpy"
    # Four weights per function keep the number of programs in a file low.
    groups = {f"f{n}": weights[n : n + 4] for n in range(0, len(weights), 4)}
    spec = tf.TensorSpec([side], name="x")
    functions = {name: summed(group) for name, group in groups.items()}
    tf.export(functions, path, dict.fromkeys(functions, spec), backends=[backend])
    x = np.arange(side, dtype=np.float32)
    order = [*groups, *reversed(groups)]
    calls = [[name, crossing({"x": x})] for name in order]
    found = evaluate("called", url_of(path), {**OPTIONS[backend], "budgetBytes": budget}, calls)
    for name, result in zip(order, found["results"], strict=True):
        np.testing.assert_allclose(array_of(result["y"]), np.asarray(functions[name](x)["y"]), 1e-6)
    memory = found["memory"]
    assert memory["allocatedBytes"] < 2.5 * budget < len(weights) * each
    assert memory["hostBytes"] > len(weights) * each / 4
    roomy = evaluate("called", url_of(path), OPTIONS[backend], calls[:1])
    assert roomy["memory"]["hostBytes"] < each
    with pytest.raises(Exception, match="budgetBytes must be an integer number"):
        evaluate("called", url_of(path), {"budgetBytes": "1 GiB"}, [])


def summed(weights: list[tf.Variable]) -> Callable[..., dict[str, tf.Tensor]]:
    """Return a function that adds weights, scaled by columns."""

    def function(x: Any) -> dict[str, tf.Tensor]:
        return {"y": tf.add_n([w * x for w in weights])}

    return function


def test_pictures(evaluate: Evaluate) -> None:
    """Check that canvases and similar sources are read as red, green and blue from 0 to 255.

    Inputs may also be instances of classes, and objects of an iframe.
    """

    def pixels(image: Any) -> Any:
        return {"pixels": image + 0.0}

    path = FOLDER / "pictures.tfpy"
    tf.export(pixels, path, tf.TensorSpec([1, 2, 3, 3]), backends=["wasm"])
    answer = evaluate("pictures", url_of(path))
    wanted = np.tile([10.0, 20.0, 30.0], (2, 3, 1))
    wanted[0, 1] = [200, 100, 50]
    assert answer["found"] == [wanted.ravel().tolist()] * 9
    assert "image: [2,4,4]" in answer["error"]
