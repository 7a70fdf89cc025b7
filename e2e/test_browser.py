"""``tf.browser`` with what a page has: ImageData, images, canvases, bitmaps; a worker too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BACKENDS

RGBA = np.random.default_rng(4).integers(0, 256, (5, 7, 4)).astype(np.uint8)
RGBA[:, :, 3] = 255  # browsers store colours multiplied by alpha, which rounds them


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
    """An image element whose source is a PNG of the canvas."""
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
    await tf.browser.to_pixels(tf.zeros([2, 3]), target)
    assert (target.width, target.height) == (3, 2)


@run_in_browser(backends=["wasm", "webgpu"])
async def test_video(tf: Any) -> None:
    """A video element that shows what is drawn on a canvas."""
    import js

    source = js.document.createElement("canvas")
    source.width, source.height = 16, 8
    context = source.getContext("2d")
    context.fillStyle = "rgb(255, 0, 0)"
    context.fillRect(0, 0, 16, 8)
    video = js.document.createElement("video")
    video.muted = True
    video.srcObject = source.captureStream(30)
    await video.play()
    pixels = tf.browser.from_pixels(video).numpy()
    video.pause()
    for track in video.srcObject.getTracks():
        track.stop()
    assert pixels.shape == (8, 16, 3)
    assert (pixels[:, :, 0] > 200).all()
    assert (pixels[:, :, 1:] < 60).all()


@run_in_browser(backends=["webgpu"])
async def test_pictures_do_not_pass_the_cpu(tf: Any) -> None:
    """A picture is as it was at the call, in order with what is computed before and after."""
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
        waits = tf.acosh(tf.zeros([50]) + 2.0)  # compiled meanwhile
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


@run_in_browser(backends=BACKENDS)
async def test_to_pixels_and_draw(tf: Any) -> None:
    target = canvas()
    floats = tf.constant(RGBA[:, :, :3] / np.float32(255))
    np.testing.assert_array_equal(await tf.browser.to_pixels(floats, target), RGBA)
    check(tf, target)
    grey = tf.constant([[0, 128], [255, 64]])
    tf.browser.draw(grey, target)
    assert (target.width, target.height) == (2, 2)
    np.testing.assert_array_equal(
        tf.browser.from_pixels(target).numpy(), np.repeat(grey.numpy()[:, :, None], 3, 2)
    )
    tf.browser.draw(grey, target, {"image_options": {"alpha": 0.5}})
    assert (tf.browser.from_pixels(target, 4).numpy()[:, :, 3] == 128).all()


@run_in_browser(backends=["wasm"])
async def test_errors(tf: Any) -> None:
    import js

    with pytest.raises(ValueError, match="wait until it is loaded"):
        tf.browser.from_pixels(js.Image.new())
    with pytest.raises(ValueError, match="no canvas"):
        tf.browser.draw(tf.zeros([2, 2]), image_data())
    with pytest.raises(ValueError, match="must be in"):
        await tf.browser.to_pixels(tf.constant([[1.5]]))
    with pytest.raises(ValueError, match="shape"):
        await tf.browser.to_pixels(tf.zeros([2, 2, 2]))
