"""What fails while a page computes: kernels that a driver refuses, models' files.

``test_memory.py`` has GPUs that are lost or full, ``test_loading_faults.py`` what fails before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

WRONG_SHADERS = """(() => {
  const webgl = WebGL2RenderingContext.prototype, webgpu = globalThis.GPUDevice?.prototype ?? {};
  const { shaderSource } = webgl, { createShaderModule } = webgpu;
  return (isOn) => {
    webgl.shaderSource = !isOn ? shaderSource : function (shader, source) {
      shaderSource.call(this, shader, source.replace("void main", "void odd driver"));
    };
    webgpu.createShaderModule = !isOn ? createShaderModule : function ({ code, ...more }) {
      return createShaderModule.call(this, { ...more, code: `${code} odd driver` });
    };
  };
})()"""
"""A switch: no shader compiles that is new."""


def numbers(count: int) -> Any:
    return np.linspace(-1, 1, count).astype(np.float32)


@run_in_browser(backends=["webgl", "webgpu"], check_leaks=False, fresh_page=True)
async def test_a_kernel_that_the_driver_refuses(tf: Any, backend: str) -> None:
    """It is named with its op, time and again; other kernels go on; nothing wrong is read."""
    from pyodide.code import run_js

    switch = run_js(WRONG_SHADERS)
    x = tf.constant(numbers(300))
    added = x + 1.0
    await added.data()

    @tf.function
    def waves(v: Any) -> Any:
        return tf.cosh(v) * tf.tanh(v)

    refused = pytest.raises(
        tf.errors.InternalError, match=r"(?s)kernel \w+ of sinh does not compile.*set_backend_async"
    )
    switch(True)
    try:
        for _ in range(3):
            with refused:
                await tf.sinh(x).data()
            np.testing.assert_allclose(await (x + 1.0).data(), numbers(300) + 1, rtol=1e-6)
        with pytest.raises(tf.errors.InternalError, match=r"kernel \w+ of [^;]*cosh[^;]* does not"):
            await waves(x).data()
    finally:
        switch(False)
    np.testing.assert_allclose(await added.data(), numbers(300) + 1, rtol=1e-6)
    y = tf.constant(numbers(301))
    np.testing.assert_allclose(await tf.sinh(y).data(), np.sinh(numbers(301)), rtol=1e-4)
    await tf.set_backend_async("wasm")
    np.testing.assert_allclose(await tf.sinh(x).data(), np.sinh(numbers(300)), rtol=1e-4)
    await tf.set_backend_async(backend)


MODELS = """(files) => {
  const { fetch } = globalThis;
  const contents = new Map(JSON.parse(files));
  const cut = () => {
    let parts = 0;
    return new ReadableStream({
      pull(to) {
        if (parts++ === 0) to.enqueue(new Uint8Array(4));
        else to.error(new TypeError("network error"));
      },
    });
  };
  globalThis.fetch = async (url) => {
    const found = contents.get(url);
    if (found === undefined) return new Response("", { status: 404, statusText: "Not Found" });
    if (found === null) return new Response(cut());
    return new Response(typeof found === "string" ? found : Uint8Array.from(found));
  };
  return () => { globalThis.fetch = fetch; };
}"""


@run_in_browser(backends=["wasm"])
async def test_files_of_models(tf: Any) -> None:
    """What is wrong with a file is said with its address; the model loads when it is mended."""
    import json

    from pyodide.code import run_js

    graph = [
        {"name": "w", "op": "Const", "attr": {"dtype": {"type": "DT_FLOAT"}}},
        {"name": "y", "op": "Neg", "input": ["w"], "attr": {"T": {"type": "DT_FLOAT"}}},
    ]
    manifest = [{"paths": ["w.bin"], "weights": [{"name": "w", "shape": [2], "dtype": "float32"}]}]
    model = json.dumps({"modelTopology": {"node": graph}, "weightsManifest": manifest})
    data, page = [0, 0, 128, 63] * 2, "<!doctype html><title>Not found</title>"
    cases: dict[str, tuple[Any, Any, str]] = {
        "no-model": (0, data, "m.json.*404 Not Found"),
        "page": (page, data, r"m\.json.*no JSON"),
        "short-model": (model[:-40], data, r"m\.json.*no JSON"),
        "cut-model": (None, data, r"m\.json.*ended early.*network error"),
        "no-shard": (model, 0, r"w\.bin.*404 Not Found"),
        "short-shard": (model, data[:5], r"w\.bin.*5 bytes.*8"),
        "page-shard": (model, page, r"w\.bin.*bytes"),
        "cut-shard": (model, None, r"w\.bin.*ended early.*network error"),
    }
    files = {f"/{name}/m.json": given for name, (given, _, _) in cases.items()}
    files |= {f"/{name}/w.bin": given for name, (_, given, _) in cases.items()}
    files |= {"/right/m.json": model, "/right/w.bin": data}
    end = run_js(MODELS)(json.dumps([pair for pair in files.items() if pair[1] != 0]))
    try:
        for name, (_, _, pattern) in cases.items():
            with pytest.raises((ValueError, tf.errors.OpError), match=f"(?s)/{name}/{pattern}"):
                await tf.load_graph_model(f"/{name}/m.json")
        found = await tf.load_graph_model("/right/m.json")
        np.testing.assert_array_equal(await found().data(), [-1, -1.0])
    finally:
        end()
