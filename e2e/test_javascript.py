"""Python functions called from JavaScript: values cross in both directions, nothing leaks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.sessions import OpenPage

OpenPageFixture = Callable[..., OpenPage]
BLANK = "tfpy-testing/blank.html"
LOAD_SECONDS = 120.0

MODULE = """
import tfpy as tf

SCALE = 2.0
_w = tf.Variable([[1.0], [2.0]])

@tf.function
def predict(x):
    return {"y": x @ _w, "rows": tf.shape(x)[0]}

async def later(x):
    return await (x * SCALE).data()

def _hidden():
    pass

def fails(x):
    return tf.matmul(x, [[1.0, 2.0, 3.0]])
"""

EXPORT = """
import numpy as np, tfpy as tf

def exported():
    tf.export(lambda x: {"y": x + 1}, "/tmp/one.tfpy", tf.TensorSpec([3]), backends=["wasm"])
    return np.fromfile("/tmp/one.tfpy", np.uint8)

exported
"""

CALLS = """
const tfpy = await loadTfpy({ backend: "wasm" });
const count = "import gc, tfpy; gc.collect(); tfpy.memory()['numTensors']";
const tensors = () => tfpy.pyodide.runPython(count);
const model = await tfpy.import(MODULE);
const x = { data: new Float32Array([1, 2, 3, 4]), shape: [2, 2] };
const y = await model.predict(x);
const before = tensors();
for (let i = 0; i < 5; i++) await model.predict(x);
const grown = tensors() - before;
const failure = await model.fails(x).catch((error) => [error.message, String(error.cause)]);
const given = tfpy.callable("lambda *values: [type(v).__name__ for v in values]");
const back = tfpy.callable("lambda value: value");
const image = new ImageData(new Uint8ClampedArray([255, 0, 0, 255]), 1, 1);
const softmax = tfpy.callable(tfpy.tf.nn.softmax);
const square = tfpy.tensor(new Int32Array([1, 2, 3, 4]), [2, 2]);
const { loadProgram } = await import("/run/tfpy-run.mjs");
const program = (await tfpy.callable(EXPORT)()).data;
const { fetch } = globalThis;
const pageInstead = async (call) => {
  const headers = { "Content-Type": "text/html" };
  globalThis.fetch = async () => new Response("<!doctype html>", { headers });
  try {
    return await call().then(() => "no error", (error) => error.message);
  } finally {
    globalThis.fetch = fetch;
  }
};
const found = {
  names: Object.keys(model).sort(),
  y: [y.y.dtype, y.y.shape, y.y.data.constructor.name, [...y.y.data], y.rows.data[0], y.rows.shape],
  later: [...(await model.later([1, 2])).data],
  again: [...(await model.predict(await back(x))).y.data],
  grown, failure,
  kinds: await given(1, "a", true, null, [1, 2], new Uint8Array(2), { a: 1 }, [{ a: 1 }], image),
  nested: await back({ a: [1, { b: new Float32Array([1.5]) }], c: "d" }),
  image: [(await back(image)).shape, [...(await back(image)).data]],
  flags: await back({ data: [true, false], dtype: "bool" }),
  complex: await back({ data: new Float32Array([1, 2]), dtype: "complex64" }),
  texts: (await back(["a", "b"])).data,
  called: await tfpy.callable("lambda f: f(2)")((x) => x + 1),
  half: await tfpy.callable("lambda x: __import__('tfpy').cast(x, 'float16')")([1.5]),
  softmax: [...(await softmax([0, 0])).data],
  tensor: square.shape.toString(),
  noCode: await tfpy.import("def broken(:").catch((error) => error.message),
  noFile: await tfpy.import("/nowhere.py").catch((error) => error.message),
  pages: [
    await pageInstead(() => tfpy.import("/a.py")),
    await pageInstead(() => loadProgram("/a.tfpy")),
    await pageInstead(() => loadProgram(program, { backend: "wasm" })),
  ],
  noModule: await tfpy.import("nowhere.at.all")
    .catch((error) => [error.message, String(error.cause)]),
  sparse: await tfpy.callable("lambda: __import__('tfpy').sparse.eye(2)")()
    .catch((error) => error.message),
};
model.predict.destroy();
found.ended = await model.predict(x).catch((error) => error.message);
return found;
"""


def test_functions_of_python(tfpy_page: OpenPageFixture) -> None:
    page = tfpy_page(BLANK)
    body = CALLS.replace("MODULE", repr(MODULE)).replace("EXPORT", repr(EXPORT))
    found: dict[str, Any] = page.evaluate(
        f"import('/tfpy.mjs').then(async ({{ loadTfpy }}) => {{ {body} }})", LOAD_SECONDS
    )
    assert found["names"] == ["fails", "later", "predict"]
    assert found["y"] == ["float32", [2, 1], "Float32Array", [5, 11], 2, []]
    assert found["later"] == [2, 4]
    assert found["again"] == [5, 11]
    assert found["grown"] == 0
    message, cause = found["failure"]
    assert re.match(r"(\w+\.)*InvalidArgumentError: .*matmul", message, re.IGNORECASE)
    assert "Traceback" in cause
    numbers = ["Tensor", "Tensor"]
    assert found["kinds"] == ["int", "str", "bool", "NoneType", *numbers, "dict", "list", "Tensor"]
    assert found["nested"]["a"][1]["b"]["shape"] == [1]
    assert found["nested"]["c"] == "d"
    assert found["image"] == [[1, 1, 3], [255, 0, 0]]
    assert (found["flags"]["dtype"], found["flags"]["data"]) == ("bool", {"0": 1, "1": 0})
    assert (found["complex"]["shape"], found["complex"]["data"]) == ([1], {"0": 1, "1": 2})
    assert found["texts"] == ["a", "b"]
    assert (found["half"]["dtype"], found["half"]["data"]) == ("float16", {"0": 1.5})
    assert found["softmax"] == [0.5, 0.5]
    assert found["tensor"] == "(2, 2)"
    assert "SyntaxError" in found["noCode"]
    missing = r"there is no Python file at http://\S+/nowhere.py: 404 "
    assert re.search(missing, found["noFile"])
    for message in found["pages"]:
        assert "the server returned an HTML page instead of the file" in message
    message, cause = found["noModule"]
    assert message.startswith("ModuleNotFoundError: No module named 'nowhere'")
    assert "Traceback" not in message
    assert "Traceback" in cause
    assert found["called"] == 3
    assert "SparseTensor cannot be converted to JavaScript" in found["sparse"]
    assert "destroyed" in found["ended"]
    (problem,) = page.problems
    assert "404" in problem


@run_in_browser()
async def test_as_javascript(tf: Any) -> None:
    import js

    function = tf.browser.as_javascript(lambda x: tf.reduce_sum(x * 2.0))
    found = await function(js.Float32Array.of(1.0, 2.0))
    assert (found.dtype, found.data[0], found.shape.length) == ("float32", 6.0, 0)
    function.destroy()
    with pytest.raises(TypeError, match="cannot be called"):
        tf.browser.as_javascript(3)
