"""``tf.browser`` with the objects of a page (ImageData, images, canvases, bitmaps) and a worker."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BACKENDS

RGBA = np.random.default_rng(4).integers(0, 256, (5, 7, 4)).astype(np.uint8)
RGBA[:, :, 3] = 255  # browsers store colors multiplied by alpha, which rounds them


def image_data() -> Any:
    import js
    from pyodide.ffi import to_js

    return js.ImageData.new(js.Uint8ClampedArray.new(to_js(RGBA.tobytes())), 7, 5)


def canvas() -> Any:
    import js

    made = js.OffscreenCanvas.new(7, 5)
    made.getContext("2d").putImageData(image_data(), 0, 0)
    return made


async def image() -> Any:
    """Return an image element with a PNG of the canvas as its source."""
    import js

    made = js.Image.new()
    made.src = js.URL.createObjectURL(await canvas().convertToBlob())
    return made


def check(tf: Any, source: Any) -> None:
    for channels in (1, 3, 4):
        pixels = tf.browser.from_pixels(source, channels)
        assert pixels.dtype == tf.int32
        np.testing.assert_array_equal(pixels.numpy(), RGBA[:, :, :channels])


@run_in_browser(backends=BACKENDS)
async def test_from_pixels(tf: Any) -> None:
    import js

    check(tf, image_data())
    check(tf, canvas())
    bitmap = await js.createImageBitmap(canvas())
    check(tf, bitmap)
    pixels = await tf.browser.from_pixels_async(await image())
    np.testing.assert_array_equal(pixels.numpy(), RGBA[:, :, :3])


@run_in_browser(backends=["wasm"], environment="worker")
async def test_in_a_worker(tf: Any) -> None:
    check(tf, image_data())
    check(tf, canvas())
    target = canvas()
    await tf.browser.to_pixels_async(tf.zeros([2, 3]), target)
    assert (target.width, target.height) == (3, 2)


@run_in_browser(backends=["wasm", "webgpu"])
async def test_video(tf: Any) -> None:
    """Read a video element that shows a canvas. A GPU imports its frame."""
    import js
    from pyodide.code import run_js

    source = js.document.createElement("canvas")
    source.width, source.height = 16, 8
    context = source.getContext("2d")
    context.fillStyle = "rgb(255, 0, 0)"
    context.fillRect(0, 0, 16, 8)
    video = js.document.createElement("video")
    video.muted = True
    video.srcObject = source.captureStream(30)
    await video.play()
    count = run_js(
        """(() => { const C = OffscreenCanvasRenderingContext2D.prototype, { drawImage } = C;
        let count = 0;
        C.drawImage = function (...x) { count++; drawImage.apply(this, x); };
        return () => { C.drawImage = drawImage; return count; }; })()"""
    )
    try:
        pixels = tf.browser.from_pixels(video).numpy()
    finally:
        through_a_canvas = count()
    assert through_a_canvas == (tf.get_backend() != "webgpu")
    video.pause()
    for track in video.srcObject.getTracks():
        track.stop()
    assert pixels.shape == (8, 16, 3)
    assert (pixels[:, :, 0] > 200).all()
    assert (pixels[:, :, 1:] < 60).all()


@run_in_browser(backends=["webgpu"])
async def test_pictures_do_not_pass_the_cpu(tf: Any) -> None:
    """Check that an image has the pixels at the time of the call.

    The image is made in order with earlier and later ops.
    """
    import js
    from pyodide.code import run_js
    from pyodide.ffi import to_js

    rng = np.random.default_rng(5)
    rgba = rng.integers(0, 256, (65, 130, 4)).astype(np.uint8)
    source = js.OffscreenCanvas.new(130, 65)
    context = source.getContext("2d")
    levels = js.Uint8ClampedArray.new(to_js(rgba.tobytes()))
    context.putImageData(js.ImageData.new(levels, 130, 65), 0, 0)
    shown = context.getImageData(0, 0, 130, 65).data.to_bytes()  # rounded by the browser
    wanted = np.frombuffer(shown, np.uint8).reshape(rgba.shape).astype(np.int32)
    catch = run_js(
        """(() => { const P = OffscreenCanvasRenderingContext2D.prototype, { getImageData } = P;
        let count = 0;
        P.getImageData = function (...x) { count++; return getImageData.apply(this, x); };
        return () => { P.getImageData = getImageData; return count; }; })()"""
    )
    try:
        waits = tf.acosh(tf.zeros([50]) + 2.0)  # still compiling meanwhile
        first = tf.browser.from_pixels(source, 4)
        context.clearRect(0, 0, 130, 65)
        total = tf.reduce_sum(first)
        cleared = tf.browser.from_pixels(source, 4)
    finally:
        read = catch()
    assert read == 0
    found = await first.data()
    opaque = wanted[:, :, 3] == 255
    np.testing.assert_array_equal(found[:, :, 3], wanted[:, :, 3])
    np.testing.assert_array_equal(found[opaque], wanted[opaque])
    assert np.abs(found - wanted).max() <= 1
    assert await total.data() == found.sum()
    assert (await cleared.data()).max() == 0
    assert (await waits.data()).shape == (50,)


PAGE = """(() => { const C = OffscreenCanvasRenderingContext2D.prototype, Q = GPUQueue.prototype;
  const B = GPUBuffer.prototype, { putImageData } = C, { writeBuffer } = Q, { mapAsync } = B;
  let bytes = 0;
  C.putImageData = function (...x) { bytes += x[0].data.length; putImageData.apply(this, x); };
  Q.writeBuffer = function (...x) { bytes += x[2].byteLength; writeBuffer.apply(this, x); };
  B.mapAsync = function (...x) { bytes += this.size; return mapAsync.apply(this, x); };
  return () => { Object.assign(C, { putImageData }); Object.assign(Q, { writeBuffer });
    Object.assign(B, { mapAsync }); return bytes; }; })()"""
"""JavaScript that counts the bytes transferred between the GPU and the CPU."""


@run_in_browser(backends=["webgpu"])
async def test_drawing_does_not_pass_the_cpu(tf: Any) -> None:
    """Draw floats and integers with each number of channels on canvases with each context."""
    import js
    from pyodide.code import run_js

    levels = RGBA.astype(np.int32)
    images: list[Any] = [levels, levels[:, :, :3], levels[:, :, :1], levels[:, :, 0]]
    on_device = [tf.constant(x) + 0 for x in images]
    on_device += [tf.constant(x / np.float32(255)) * 1.0 for x in images]
    on_device.append(tf.constant(images[1] * 3 - 255) + 0)  # outside the range at both ends
    wanted: list[Any] = [
        np.stack([x] * 3, 2) if x.ndim == 2 else np.repeat(x, 3, 2)[:, :, :3] for x in images
    ]
    wanted[:2] = [RGBA[:, :, :3]] * 2
    wanted += [*wanted, np.clip(images[1] * 3 - 255, 0, 255)]
    for x in on_device:
        await x.data()
    for kind in ("webgpu", "2d"):
        target = js.OffscreenCanvas.new(1, 1)
        seen = js.OffscreenCanvas.new(7, 5).getContext("2d")
        for x, pixels in zip(on_device, wanted, strict=True):
            count = run_js(PAGE)
            try:
                tf.browser.draw(x, target, {"context_options": {"context_type": kind}})
            finally:
                moved = count()
            assert moved <= 16, kind
            assert target.getContext(kind) is not None
            seen.drawImage(target, 0, 0)
            found = np.frombuffer(seen.getImageData(0, 0, 7, 5).data.to_bytes(), np.uint8)
            np.testing.assert_array_equal(found.reshape(5, 7, 4)[:, :, :3], pixels)
    waits = tf.image.resize(tf.atanh(tf.fill([2, 2, 1], 0.25)), [9, 3])  # still compiling meanwhile
    tf.browser.draw(waits, target)
    await waits.data()
    assert (target.width, target.height) == (3, 9)
    assert (tf.browser.from_pixels(target).numpy() == 65).all()


@run_in_browser(backends=BACKENDS)
async def test_to_pixels_and_draw(tf: Any) -> None:
    import js

    target = canvas()
    floats = tf.constant(RGBA[:, :, :3] / np.float32(255))
    np.testing.assert_array_equal(await tf.browser.to_pixels_async(floats, target), RGBA)
    check(tf, target)
    gray = tf.constant([[0, 128], [255, 64]])
    tf.browser.draw(gray, target)
    assert (target.width, target.height) == (2, 2)
    np.testing.assert_array_equal(
        tf.browser.from_pixels(target).numpy(), np.repeat(gray.numpy()[:, :, None], 3, 2)
    )
    tf.browser.draw(gray, target, {"image_options": {"alpha": 0.5}})
    drawn = tf.browser.from_pixels(target, 4).numpy()
    assert (drawn[:, :, 3] == 128).all()
    assert np.abs(drawn[:, :, 0] - gray.numpy()).max() <= 1
    forgotten = tf.browser.to_pixels_async(gray[:1], target)  # drawn even though it is not awaited
    for _ in range(200):
        if target.height == 1:
            break
        await asyncio.sleep(0.05)
    assert (target.width, target.height) == (2, 1)
    np.testing.assert_array_equal(await forgotten, tf.browser.from_pixels(target, 4).numpy())
    fresh = js.OffscreenCanvas.new(7, 5)
    tf.browser.draw(gray, fresh)
    kind = "webgpu" if tf.get_backend() == "webgpu" else "2d"
    assert fresh.getContext(kind) is not None
    np.testing.assert_array_equal(await tf.browser.to_pixels_async(floats, fresh), RGBA)
    check(tf, fresh)


@run_in_browser(backends=["wasm"])
async def test_errors(tf: Any) -> None:
    import js

    with pytest.raises(ValueError, match="Wait until it is loaded"):
        tf.browser.from_pixels(js.Image.new())
    with pytest.raises(ValueError, match="is not a canvas"):
        tf.browser.draw(tf.zeros([2, 2]), image_data())
    drawn_on = js.OffscreenCanvas.new(1, 1)
    drawn_on.getContext("webgl2")
    with pytest.raises(ValueError, match="is not a canvas with a 2d context"):
        tf.browser.draw(tf.zeros([2, 2]), drawn_on)
    for kind in ("webgl", "webgpu"):
        options = {"context_options": {"context_type": kind}}
        with pytest.raises(ValueError, match='context_type must be "2d"'):
            tf.browser.draw(tf.zeros([2, 2]), js.OffscreenCanvas.new(1, 1), options)
    with pytest.raises(ValueError, match="alpha must be in"):
        tf.browser.draw(tf.zeros([2, 2]), canvas(), {"image_options": {"alpha": 2}})
    with pytest.raises(ValueError, match="must be in"):
        await tf.browser.to_pixels_async(tf.constant([[1.5]]))
    with pytest.raises(ValueError, match="shape"):
        await tf.browser.to_pixels_async(tf.zeros([2, 2, 2]))
