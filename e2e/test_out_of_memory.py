"""Exhausted memory on each backend: the error message, and recovery."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

HEAPS = """(() => { const P = WebAssembly.Memory.prototype, { grow } = P;
    return (on, python) => { P.grow = !on ? grow : function (pages) {
      if (this.buffer === python?.HEAPU8.buffer) return grow.call(this, pages);
      throw new RangeError("full"); } } })()"""
"""JavaScript that returns a switch. While it is on, no heap grows, optionally except Python's."""
TEXTURES = """(() => { const P = WebGL2RenderingContext.prototype, { texStorage2D } = P;
    return (on) => { P.texStorage2D = !on ? texStorage2D : function (t, l, f, w, h) {
      if (w * h * 16 < 2 ** 20) texStorage2D.call(this, t, l, f, w, h); } }; })()"""
"""JavaScript that returns a switch. While it is on, textures of a MiB or more fail silently."""
REFUSED_BUFFERS = """
    const P = GPUDevice.prototype, { createBuffer, pushErrorScope, popErrorScope } = P;
    let full = false;
    return (on) => {
      P.createBuffer = !on ? createBuffer : function (given) {
        const buffer = createBuffer.call(this, given);
        full = refuses(given, buffer);
        return buffer; };
      P.pushErrorScope = !on ? pushErrorScope : function (filter) {
        full = false;
        pushErrorScope.call(this, filter); };
      P.popErrorScope = !on ? popErrorScope : function () {
        const said = full ? new GPUOutOfMemoryError("full") : null;
        return popErrorScope.call(this).then((error) => said ?? error); }; };"""
BUFFERS = f"(() => {{ const refuses = ({{ size }}) => size >= 2 ** 20; {REFUSED_BUFFERS} }})()"
"""JavaScript that returns a switch. While it is on, buffers of a MiB or more fail later."""
MISSING = {"cpu": HEAPS, "wasm": HEAPS, "webgl": TEXTURES, "webgpu": BUFFERS}

SIDES = {"cpu": 2**14, "wasm": 2**14, "webgl": 1024, "webgpu": 1024}
"""Sizes of matrices that cannot be allocated. A heap may have room for smaller matrices."""


@run_in_browser(fresh_page=True)
async def test_what_is_said(tf: Any, backend: str) -> None:
    """Check that the error names the op, the bytes, the largest holder, its line and a fix.

    Nothing is lost.
    """
    from pyodide.code import run_js

    side = SIDES[backend]
    small, w = tf.constant([1.0, 2.0]) + 1.0, tf.Variable(tf.zeros([2]))
    tf.enable_debug_mode()
    held = tf.fill([317, 811], 2.0) * 0.5
    tf.env().set("DEBUG", False)
    for computed in (small, w, held):  # otherwise a GPU would lose them as well
        await computed.data()

    @tf.function
    def wide() -> Any:
        return tf.tile(tf.reshape(w, [1, 2]), [side, side // 2])

    switch = run_js(MISSING[backend])
    switch(True)
    try:
        for make in (
            lambda: tf.fill([side, side], 1.0) + 0.5,
            lambda: tf.tile(small, [side * side // 2]),
            wide,
        ):
            for _ in range(2):
                with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
                    await make().data()
                said = str(caught.value)
                if backend == "webgpu":  # webgpu receives the error when the values are read
                    assert "out of memory while computing" in said, said
                assert "broadcast_to" in said, said
                each = f"{4 * side * side} bytes wanted"
                wanted = {"cpu": "1.00 GiB", "webgpu": "bytes wanted"}.get(backend, each)
                assert wanted in said, said
                assert f"float32[317,811] ({317 * 811 * 4} bytes, {backend} of " in said, said
                assert "test_out_of_memory.py:" in said, said
                assert said.endswith("or compute in smaller parts"), said
        w.assign_add(small)
        assert (await w.data()).tolist() == [2, 3]
        for huge in (lambda: tf.zeros([2**20, 2**20]), lambda: tf.tile(small, [2**29])):
            with pytest.raises(tf.errors.ResourceExhaustedError, match=r"takes .* may take"):
                huge()
    finally:
        switch(False)
    w.assign([1.0, 1.0])
    assert (await held.data() == 1.0).all()
    if side == 1024:  # other sizes could need more memory than the test machine has
        assert (await wide().data() == 1.0).all()
        assert (await (tf.fill([side, side], 1.0) + 0.5).data() == 1.5).all()
    assert (await (small * 2.0).data()).tolist() == [4, 6]


@run_in_browser(backends=["webgl"])
async def test_uploads_without_memory(tf: Any) -> None:
    """Check that uploads of large tensors fail as ops do, and succeed afterwards."""
    from pyodide.code import run_js

    big = np.ones([1500, 1048], np.float32)
    switch = run_js(TEXTURES)
    switch(True)
    try:
        for _ in range(2):
            with pytest.raises(tf.errors.ResourceExhaustedError, match=r"bytes wanted.* in use"):
                tf.constant(big) * 2.0
    finally:
        switch(False)
    assert (await (tf.constant(big) * 2.0).data()).sum() == 2 * big.size


LITTLE = """(() => { const P = WebGL2RenderingContext.prototype;
    const { texStorage2D, deleteTexture } = P, sizes = new Map(); let left = 2 ** 24;
    return (on) => {
      P.deleteTexture = !on ? deleteTexture : function (texture) {
        left += sizes.get(texture) ?? 0; sizes.delete(texture);
        deleteTexture.call(this, texture); };
      P.texStorage2D = !on ? texStorage2D : function (target, l, format, w, h) {
        if (left < w * h * 16) return;
        left -= w * h * 16;
        sizes.set(this.getParameter(this.TEXTURE_BINDING_2D), w * h * 16);
        texStorage2D.call(this, target, l, format, w, h); }; }; })()"""
"""JavaScript that returns a switch. While it is on, textures have 16 MiB together.

Allocation fails silently.
"""


@run_in_browser(backends=["webgl"])
async def test_a_gpu_with_little_memory(tf: Any) -> None:
    """Check that least recently used tensors move to the host.

    The GPU has less memory than the budget.
    """
    from pyodide.code import run_js

    switch = run_js(LITTLE)
    side = 521  # no pool has textures of this size
    switch(True)
    try:
        made = [tf.fill([side, side], float(number)) + 0.5 for number in range(40)]
        w = tf.Variable(tf.zeros([side, side]))
        for number, tensor in enumerate(made):
            w.assign_add(tensor)
            if number % 8 == 0:
                assert (await tensor.data() == number + 0.5).all()
        assert tf.memory()["backend"]["hostBytes"] > 24 * side * side * 4
        assert (await w.data() == sum(range(40)) + 20).all()
        big = np.full([side, side], 3.0, np.float32)
        assert (await (tf.constant(big) * made[3]).data() == 10.5).all()
        del tensor, made, w
    finally:
        switch(False)


LITTLE_LATE = (
    """(() => { const sizes = new WeakMap(), { destroy } = GPUBuffer.prototype;
    GPUBuffer.prototype.destroy = function () {
      left += sizes.get(this) ?? 0; sizes.delete(this);
      destroy.call(this); };
    let left = 2 ** 24;
    const refuses = ({ size, usage }, buffer) => {
      if (size < 2 ** 20 || usage & GPUBufferUsage.MAP_READ) return false;
      left -= size; sizes.set(buffer, size);
      return left < 0; };"""
    + REFUSED_BUFFERS
    + "})()"
)
"""JavaScript that returns a switch. While it is on, large buffers have 16 MiB together.

The device reports failed allocations later.
"""


@run_in_browser(backends=["webgpu"], fresh_page=True)
async def test_a_gpu_that_says_late_that_it_has_little_memory(tf: Any) -> None:
    """Check that the next call finds room and stays within it.

    Values computed since the last read are lost.
    """
    from pyodide.code import run_js

    side = 521  # no pool has buffers of this size
    kept, failures = list[Any](), 0
    switch = run_js(LITTLE_LATE)
    switch(True)
    try:
        for number in range(40):
            made = tf.fill([side, side], float(number)) + 0.25
            try:
                await made.data()
            except tf.errors.ResourceExhaustedError:
                failures += 1
                made = tf.fill([side, side], float(number)) + 0.25
                await made.data()
            kept.append(made)
        assert 1 <= failures <= 3
        assert tf.memory()["backend"]["hostBytes"] > 20 * side * side * 4
        for number, tensor in enumerate(kept):
            assert (await (tensor * 2.0).data() == 2 * number + 0.5).all()
        del made, tensor, kept
    finally:
        switch(False)


@asynccontextmanager
async def small_heap(tf: Any, host_budget: int | None = None) -> AsyncIterator[None]:
    """Reopen wasm with a heap of 32 MB that does not grow."""
    import pyodide_js
    from pyodide.code import run_js

    flag, switch = "TFPY_HOST_MEMORY_BUDGET", run_js(HEAPS)
    before = tf.env().get(flag)

    async def again(value: int) -> None:
        factory, priority = tf.find_backend_factory("wasm"), tf.backend_report()["wasm"]["priority"]
        tf.remove_backend("wasm")
        tf.env().set(flag, value)
        tf.register_backend("wasm", factory, priority)
        await tf.set_backend_async("wasm")

    await again(before if host_budget is None else host_budget)
    switch(True, pyodide_js._module)
    try:
        yield
    finally:
        switch(False)
        await again(before)


@run_in_browser(backends=["wasm"])
async def test_a_heap_that_does_not_grow(tf: Any) -> None:
    """Check that least recently used tensors leave the heap, whatever the budget is."""
    async with small_heap(tf):
        w = tf.Variable(tf.zeros([2**18]))
        made = [tf.fill([2**18], float(number)) + 0.5 for number in range(80)]
        for number, tensor in enumerate(made):
            w.assign_add(tensor)
            assert (tensor.numpy() == number + 0.5).all()
        memory = tf.memory()["backend"]
        assert memory["heapBytes"] < 40 * 2**20 < memory["hostBytes"]
        wide = tf.concat(made[:6], 0)  # larger than the hole that one of them leaves
        assert (wide.numpy()[:: 2**18] == np.arange(6) + 0.5).all()
        with pytest.raises(tf.errors.ResourceExhaustedError, match="bytes wanted"):
            tf.concat(made, 0)
        assert (w.numpy() == sum(range(80)) + 40).all()
        assert all(((made[n] * 2.0).numpy() == 2 * n + 1).all() for n in (79, 0, 40))
        del tensor, made, wide, w
        tf.memory()  # collects garbage
        tf.constant(1.0) + 1.0
        assert tf.memory()["backend"]["hostBytes"] == 0


@run_in_browser(backends=["wasm"])
async def test_a_host_that_takes_no_more(tf: Any) -> None:
    """Check that a program with more and more tensors raises an error before memory is full."""
    async with small_heap(tf, host_budget=2**24):
        made: list[Any] = []

        def fill() -> None:
            while len(made) < 64:
                made.append(tf.fill([2**18], float(len(made))) + 0.5)

        with pytest.raises(tf.errors.ResourceExhaustedError, match="1048576 bytes wanted"):
            fill()
        assert len(made) > 32, "the heap has most of 32 MB, the host 16"
        assert 0 < tf.memory()["backend"]["hostBytes"] <= 2**24
        assert all((tensor.numpy() == number + 0.5).all() for number, tensor in enumerate(made))
        del made[8:]
        assert all(((made[n] * 2.0).numpy() == 2 * n + 1).all() for n in range(8))
        made.clear()
