"""Effects of flags, each on the backend that reads it."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.sessions import OpenPage

FROM_ADDRESS = """import('/tfpy.mjs').then(async ({ loadTfpy }) => {
  const at = (query) => history.replaceState(null, "", `?${query}`);
  const said = () => loadTfpy().then(() => "loaded", (error) => error.message);
  at("tfpyflags=WEBGL_FORCE_F16_TEXTURE:true");
  const unknown = await said();
  at("tfpyflags=WASM_HAS_SIMD_SUPPORT:false&tfjsflags=WEBGL_PACK:false,WEBGL_VERSION:1");
  const tfpy = await loadTfpy({ flags: { SOFTWARE_WEBGL_ENABLED: true } });
  const found = await tfpy.run(`
import json
import tfpy as tf
report = {name: [one["status"], one["reason"]] for name, one in tf.backend_report().items()}
json.dumps({"flags": tf.env().get_flags(), "report": report})`);
  return { unknown, ...JSON.parse(found) };
})"""


def test_flags_of_the_address(tfpy_page: Callable[..., OpenPage]) -> None:
    found = tfpy_page("tfpy-testing/blank.html").evaluate(FROM_ADDRESS, 120.0)
    assert found["unknown"] == (
        "tfpy: ValueError: the page's address, tfpyflags: Unknown flag 'WEBGL_FORCE_F16_TEXTURE'. "
        "Did you mean 'WEBGL_FORCE_F16_TEXTURES'?"
    )
    flags, report = found["flags"], found["report"]
    assert flags["IS_BROWSER"]
    assert flags["IS_CHROME"]
    assert not flags["IS_NODE"]
    assert not flags["WASM_HAS_SIMD_SUPPORT"]
    assert flags["TFPY_WASM_HAS_RELAXED_SIMD_SUPPORT"]
    assert flags["WEBGL_VERSION"] == 1
    assert report["webgl"] == ["skipped", "WebGL2 is switched off by the flag WEBGL_VERSION"]
    assert "SIMD" in report["wasm"][1]
    assert report["cpu"][0] == "chosen"


@asynccontextmanager
async def reopened(tf: Any, name: str, **flags: Any) -> AsyncIterator[dict[str, Any]]:
    """Reopen a backend with these flags, make it active, yield its report, and restore it."""
    factory, priority = tf.find_backend_factory(name), tf.backend_report()[name]["priority"]
    before = {flag: tf.env().get(flag) for flag in flags}

    async def again(values: dict[str, Any]) -> None:
        tf.remove_backend(name)
        tf.env().set_flags(values)
        tf.register_backend(name, factory, priority)
        await tf.set_backend_async(name)

    await again(flags)
    try:
        yield tf.backend_report()[name]
    finally:
        await again(before)


@run_in_browser(backends=["webgl"])
async def test_textures(tf: Any) -> None:
    """Check the effects of flags for the size and the reuse of textures.

    Small textures compute the same, larger tensors raise an error, and free textures are deleted.
    """
    assert tf.env().get_number("WEBGL_MAX_TEXTURE_SIZE") >= 2048
    x = np.random.default_rng(0).normal(size=(90, 70)).astype(np.float32)
    limits = {"WEBGL_MAX_TEXTURE_SIZE": 100, "WEBGL_DELETE_TEXTURE_THRESHOLD": 0}
    async with reopened(tf, "webgl", **limits, WEBGL_FLUSH_THRESHOLD=0):
        product = tf.matmul(tf.constant(x), tf.constant(x), transpose_b=True)
        np.testing.assert_allclose(await product.data(), x @ x.T, rtol=1e-4, atol=1e-4)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="a tensor may take 65536"):
            tf.zeros([64 * 64 * 4 + 1]) + 1.0
        del product
        for _ in range(3):
            np.testing.assert_allclose(await (tf.constant(x) * 2).data(), x * 2)
        assert tf.memory()["backend"]["freeTextures"] <= 3, "temporaries of the product"


@run_in_browser(backends=["webgl"])
async def test_float16_textures(tf: Any) -> None:
    assert tf.env().get("WEBGL_RENDER_FLOAT32_CAPABLE") is True
    with pytest.raises(RuntimeError, match="WEBGL_RENDER_FLOAT32_ENABLED is read when the webgl"):
        tf.env().set("WEBGL_RENDER_FLOAT32_ENABLED", False)
    for flags in ({"WEBGL_RENDER_FLOAT32_ENABLED": False}, {"WEBGL_RENDER_FLOAT32_CAPABLE": False}):
        async with reopened(tf, "webgl", **flags) as report:
            assert report["variant"] == "webgl2-float16"
            assert not np.isfinite(await (tf.constant([7e4] * 400) * 1.0).data()).any()
    checks = {"WEBGL_FORCE_F16_TEXTURES": True, "WEBGL_CHECK_NUMERICAL_PROBLEMS": True}
    async with reopened(tf, "webgl", **checks) as report:
        assert report["variant"] == "webgl2-float16"
        with pytest.raises(tf.errors.InvalidArgumentError, match="70000 cannot be stored"):
            tf.constant([70000.0]) * 1.0
    async with reopened(tf, "webgl", WEBGL_CHECK_NUMERICAL_PROBLEMS=True) as report:
        assert report["variant"] == "webgl2-float32"
        assert (await (tf.constant([70000.0]) * 1.0).data()).tolist() == [70000]


@run_in_browser(backends=["webgl"])
async def test_timers(tf: Any) -> None:
    name = "WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_"
    found = tf.env().get(f"{name}VERSION")
    assert tf.env().get(f"{name}RELIABLE") is (found == 2)
    timing = await tf.time_async(lambda: tf.ones([4]) + 1.0)
    assert (timing.kernel_ms is not None) == (found == 2)
    async with reopened(tf, "webgl", **{f"{name}RELIABLE": False}):
        timing = await tf.time_async(lambda: tf.ones([4]) + 1.0)
        assert timing.kernel_ms is None
        assert "not to be relied on" in timing.reason


@run_in_browser(backends=["webgpu"])
async def test_webgpu(tf: Any) -> None:
    flags = {"WEBGPU_PRINT_SHADER": "matmul,conv2d", "WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE": 1}
    printed = io.StringIO()
    asked = {"WEBGPU_USE_LOW_POWER_GPU": True, "TFPY_WEBGPU_USE_SUBGROUP_MATRIX": True}
    async with reopened(tf, "webgpu", **flags, **asked):
        with contextlib.redirect_stdout(printed):
            x = tf.matmul(tf.ones([3, 5]), tf.ones([5, 2]))
            for _ in range(5):
                x = x + 1.0
            assert (await x.data()).tolist() == [[10.0, 10.0]] * 3
    assert printed.getvalue().startswith("// matmul\n")
    assert "@compute" in printed.getvalue()
    assert printed.getvalue().count("\n// ") == 0


@run_in_browser(backends=["wasm"])
async def test_wasm(tf: Any) -> None:
    assert tf.get_threads_count() == tf.memory()["backend"]["threads"]
    with pytest.raises(RuntimeError, match="TFPY_WASM_THREADS_COUNT is read when the wasm backend"):
        tf.set_threads_count(tf.get_threads_count() + 1)
    async with reopened(tf, "wasm", TFPY_WASM_THREADS_COUNT=3):
        assert tf.get_threads_count() == 3
        assert (await (tf.ones([1000]) + 1.0).data() == 2.0).all()
    flags = {"TFPY_WASM_HAS_RELAXED_SIMD_SUPPORT": False, "WASM_HAS_MULTITHREAD_SUPPORT": False}
    async with reopened(tf, "wasm", **flags) as report:
        assert report["variant"] == "simd"
        assert tf.get_threads_count() == 1


@run_in_browser(backends=["wasm"])
def test_pictures(tf: Any) -> None:
    """Check that the canvas that reads pixels has the kind that the flag specifies."""
    from pyodide.code import run_js

    source = run_js(
        "const c = new OffscreenCanvas(2, 1); c.getContext('2d').fillRect(0, 0, 2, 1); c"
    )
    kinds = run_js("""(() => {
      const kinds = [], { getContext } = OffscreenCanvas.prototype;
      OffscreenCanvas.prototype.getContext = function (kind, options) {
        kinds.push(options?.willReadFrequently);
        return getContext.call(this, kind, options);
      };
      return { kinds, end: () => { OffscreenCanvas.prototype.getContext = getContext; } };
    })()""")
    name = "CANVAS2D_WILL_READ_FREQUENTLY_FOR_GPU"
    try:
        for often in (False, True):
            tf.env().set(name, often)
            assert tf.browser.from_pixels(source).numpy().tolist() == [[[0, 0, 0], [0, 0, 0]]]
        assert kinds.kinds.to_py() == [False, True]
    finally:
        tf.env().set(name, False)
        kinds.end()


FETCHES = """(() => {
  const { fetch } = globalThis;
  const broken = (bytes) => {
    let parts = 0;
    return new ReadableStream({
      pull(to) {
        if (parts++ === 0) to.enqueue(new Uint8Array(bytes, 0, 1000));
        else to.error(new TypeError("network error"));
      },
    });
  };
  return (how) => {
    globalThis.fetch = how === "" ? fetch : async (url) => {
      const bytes = await (await fetch(url)).arrayBuffer();
      if (how === "broken") return new Response(broken(bytes));
      if (how === "short") return new Response(bytes.slice(0, bytes.byteLength / 2));
      return new Response(bytes, { headers: { "Content-Type": how } });
    };
  };
})()"""
"""JavaScript that returns a switch for responses.

The switch makes responses break or end early, or changes their type.
"""


@run_in_browser(backends=["wasm"])
async def test_modules_from_addresses(tf: Any) -> None:
    """Check that modules of this version run, whatever their MIME type.

    Other files are rejected with the reason.
    """
    from pyodide.code import run_js

    switch = run_js(FETCHES)
    factory = tf.find_backend_factory("wasm")
    variants = ("simd", "simd-threads", "relaxed", "relaxed-threads")
    with pytest.raises(RuntimeError, match="the wasm backend is open"):
        tf.set_wasm_paths("/run")
    try:
        for paths, body, wrong in (
            ({f"xnnpack-{v}.wasm": "/index.html" for v in variants}, "", "integrity is sha384-"),
            ("/nowhere/", "", "404"),
            ("/run", "short", r"/run/xnnpack-.*\.wasm is not .* its integrity is sha384-"),
            ("/run", "broken", r"/run/xnnpack-.*\.wasm: the bytes ended early"),
            ("/run", "text/html", ""),
            ("/run", "", ""),
        ):
            switch(body)
            tf.remove_backend("wasm")
            tf.set_wasm_paths(paths)
            tf.register_backend("wasm", factory, 2)
            if wrong:
                with pytest.raises(RuntimeError, match=wrong):
                    await tf.set_backend_async("wasm")
            else:
                await tf.set_backend_async("wasm")
        assert (await (tf.ones([1000]) + 1.0).data() == 2.0).all()
        with pytest.raises(ValueError, match=r"unknown module 'xnnpack\.wasm'.*xnnpack-simd"):
            tf.set_wasm_paths({"xnnpack.wasm": "/run/xnnpack-simd.wasm"})
    finally:
        switch("")
        tf.remove_backend("wasm")
        tf.set_wasm_paths({})
        tf.register_backend("wasm", factory, 2)
        await tf.set_backend_async("wasm")


@run_in_browser(backends=["wasm"], check_leaks=False)
async def test_the_fastest_backend(tf: Any, backend: str) -> None:
    """Check that the fastest backend is measured with the program's own function.

    The page stores the result.
    """
    import js

    calls = []

    def model(x: Any) -> Any:
        calls.append(tf.get_backend())
        return tf.matmul(x, x)

    try:
        await tf.set_backend_async("auto", model=model, inputs=tf.ones([30, 30]))
        winner = tf.get_backend()
        assert set(calls) == {"webgpu", "webgl", "wasm", "cpu"}
        assert "ms for " in tf.backend_report()[winner]["reason"]
        assert winner in json.loads(js.localStorage.getItem("tfpy.backends")).values()
        await tf.set_backend_async(backend)
        calls.clear()
        await tf.set_backend_async("auto", model=model, inputs=tf.ones([30, 30]))
        assert tf.get_backend() == winner
        assert calls == []
    finally:
        js.localStorage.removeItem("tfpy.backends")
        await tf.set_backend_async(backend)


@run_in_browser(backends=["webgl"])
async def test_epsilon_of_float16(tf: Any) -> None:
    """Check that a logarithm that an epsilon keeps finite is finite where textures hold float16."""
    ends = tf.constant([0.0, 1.0] * 40)
    assert tf.backend().epsilon() == 1e-7
    async with reopened(tf, "webgl", WEBGL_FORCE_F16_TEXTURES=True):
        assert tf.backend().epsilon() == 1e-4
        small = tf.zeros([80]) + tf.backend().epsilon()
        np.testing.assert_allclose(await tf.math.log(small).data(), np.log(1e-4), rtol=1e-3)
        loss = await tf.losses.log_loss(ends, 1.0 - ends).data()
        np.testing.assert_allclose(loss, -np.log(1e-4), rtol=1e-2)
        assert (await tf.math.l2_normalize(tf.zeros([80])).data() == 0).all()
