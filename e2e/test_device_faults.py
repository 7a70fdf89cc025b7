"""Failures while a page computes: traps, terminated threads, rejected kernels, faulty models.

``test_memory.py`` covers lost and full GPUs, ``test_loading_faults.py`` failures while loading.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

LARGE = 2**21

UNHANDLED = """(() => {
  const heard = [];
  addEventListener("error", ({ message }) => heard.push(message));
  addEventListener("unhandledrejection", ({ reason }) => heard.push(String(reason)));
  return heard;
})()"""

TRAP = """const trap = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0,
  0, 11]))).exports.f;"""
"""A wasm function that executes ``unreachable``."""

TRAPPING_RUNS = (
    """(() => {
  """
    + TRAP
    + """
  const { instantiate } = WebAssembly;
  let isOn = false;
  WebAssembly.instantiate = async (...given) => {
    const made = await instantiate.apply(WebAssembly, given);
    const own = made.instance?.exports;
    if (own?.tfpy_program_run === undefined) return made;
    const tfpy_program_run = (...values) => (isOn ? trap : own.tfpy_program_run)(...values);
    return { ...made, instance: { exports: { ...own, tfpy_program_run } } };
  };
  return {
    turn: (on) => { isOn = on; },
    end: () => { WebAssembly.instantiate = instantiate; },
  };
})()"""
)
"""JavaScript after which new modules trap when they run a Program, while a switch is on."""

TRAPPING_THREADS = (
    """(() => {
  const prelude = `{
    """
    + TRAP
    + """
    const { Instance } = WebAssembly;
    WebAssembly.Instance = function (module, imports) {
      return imports?.m?.m ? { exports: { f: trap } } : new Instance(module, imports);
    };
  }`;
  const { Blob } = globalThis;
  globalThis.Blob = class extends Blob {
    constructor(parts, options) {
      const isModule = typeof parts[0] === "string" && parts[0].includes("createXnnpack");
      super(isModule ? [prelude, ...parts] : parts, options);
    }
  };
  return { end: () => { globalThis.Blob = Blob; } };
})()"""
)
"""JavaScript after which generated code traps, but only in threads that start later."""

WORKERS = """(() => {
  const { Worker } = globalThis;
  const made = [];
  let isForbidden = false;
  globalThis.Worker = class extends Worker {
    constructor(...given) {
      if (isForbidden) throw new DOMException("no workers here", "SecurityError");
      super(...given);
      made.push(this);
    }
  };
  return {
    terminate: () => made.pop().terminate(),
    forbid: () => { isForbidden = true; },
    end: () => { globalThis.Worker = Worker; },
  };
})()"""

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
"""JavaScript that returns a switch. While it is on, no new shader compiles."""


async def reopen(tf: Any, **flags: Any) -> None:
    """Reopen the wasm backend with these flags."""
    factory = tf.find_backend_factory("wasm")
    tf.remove_backend("wasm")
    tf.env().set_flags(flags)
    tf.register_backend("wasm", factory, 2)
    await tf.set_backend_async("wasm")


@asynccontextmanager
async def injected(tf: Any, fault: str, **flags: Any) -> AsyncIterator[Any]:
    """Reopen the wasm backend with an injected fault, and restore it afterwards."""
    from pyodide.code import run_js

    before = {name: tf.env().get(name) for name in flags}
    switches = run_js(fault)
    try:
        await reopen(tf, **flags)
        yield switches
    finally:
        switches.end()
        await reopen(tf, **before)


def numbers(count: int) -> Any:
    return np.linspace(-1, 1, count).astype(np.float32)


@run_in_browser(backends=["wasm"], check_leaks=False, fresh_page=True)
async def test_a_trap(tf: Any) -> None:
    """Check that the error reports the trap and that no corrupt value is read.

    The backend can be reopened.
    """
    import asyncio

    async with injected(tf, TRAPPING_RUNS) as switches:
        tf.config.experimental.keep_host_copies(seconds=0.05)
        try:
            w = tf.Variable(tf.zeros([400]))
            w.assign_add(numbers(400))
            host = tf.constant([1.0, 2.0])
            device = tf.constant(numbers(400)) + host[0]
            double = tf.function(lambda x: x * 2.0)
            double(host)
            await asyncio.sleep(0.5)
            switches.turn(True)
            with pytest.raises(tf.errors.UnavailableError, match=r"sinh: .*failed \(.*unreachable"):
                tf.sinh(device)
            switches.turn(False)
            for use in (device.numpy, lambda: device + 1.0, lambda: double(host)):
                with pytest.raises(tf.errors.UnavailableError, match="cannot be relied on"):
                    use()
            report = tf.backend_report()["wasm"]
            assert report["status"] == "lost"
            assert 'set_backend_async("wasm") reopens it' in report["reason"]
            with pytest.warns(RuntimeWarning, match="were restored from their host copies"):
                await tf.set_backend_async("wasm")
        finally:
            tf.config.experimental.keep_host_copies(None)
        np.testing.assert_array_equal(await w.data(), numbers(400))
        assert (await double(host).data()).tolist() == [2, 4]
        with pytest.raises(tf.errors.UnavailableError, match="cannot be relied on"):
            await device.data()


@run_in_browser(backends=["wasm"], check_leaks=False, fresh_page=True)
async def test_a_trap_in_a_thread(tf: Any) -> None:
    """Check that the call ends although the trapped thread never finishes its part."""
    import asyncio

    from pyodide.code import run_js

    heard = run_js(UNHANDLED)
    flags = {"TFPY_WASM_THREADS_COUNT": 3, "TFPY_WASM_CODEGEN": "always"}
    async with injected(tf, TRAPPING_THREADS, **flags):
        x = tf.ones([LARGE])
        waves = tf.function(lambda v: tf.exp(v) * tf.sin(v) + v)

        def compute() -> None:  # until a thread takes part
            for _ in range(200):
                waves(x)

        with pytest.raises(tf.errors.UnavailableError, match="one of its threads has ended"):
            compute()
    await asyncio.sleep(0.2)
    assert heard.to_py() == []
    assert (await tf.exp(tf.zeros([LARGE])).data() == 1.0).all()


@run_in_browser(backends=["wasm"], check_leaks=False)
async def test_threads_that_end_or_do_not_start(tf: Any) -> None:
    """Check that the remaining threads compute.

    If no worker can start, the report explains the single thread.
    """
    async with injected(tf, WORKERS, TFPY_WASM_THREADS_COUNT=3) as workers:
        x = tf.constant(numbers(LARGE))
        for _ in range(2):
            np.testing.assert_array_equal(await (x * 2.0).data(), 2 * numbers(LARGE))
            workers.terminate()
        np.testing.assert_array_equal(await (x * 3.0).data(), 3 * numbers(LARGE))
        await reopen(tf)
        assert tf.get_threads_count() == 3
        workers.forbid()
        await reopen(tf)
        assert tf.get_threads_count() == 1
        assert (
            "one thread: the page does not allow workers" in tf.backend_report()["wasm"]["reason"]
        )
        np.testing.assert_array_equal(
            await (tf.constant(numbers(LARGE)) * 2.0).data(), 2 * numbers(LARGE)
        )


@run_in_browser(backends=["webgl", "webgpu"], check_leaks=False, fresh_page=True)
async def test_a_kernel_that_the_driver_refuses(tf: Any, backend: str) -> None:
    """Check that each error names the rejected kernel and its op.

    Other kernels work, and no wrong value is read.
    """
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
    """Check that errors in a model's files name the address.

    The model loads once the file is fixed.
    """
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
        "page": (page, data, r"m\.json.*not valid JSON"),
        "short-model": (model[:-40], data, r"m\.json.*not valid JSON"),
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
                await tf.load_graph_model_async(f"/{name}/m.json")
        found = await tf.load_graph_model_async("/right/m.json")
        np.testing.assert_array_equal(await found().data(), [-1, -1.0])
    finally:
        end()
