"""``tf.browser`` with arrays, on every platform. ``e2e/test_browser.py`` tests page elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from surface.evaluation import finished

import tfpy as tf

RGBA = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_from_pixels(channels: int) -> None:
    described = {"data": RGBA.tobytes(), "width": 3, "height": 2}
    for pixels in (RGBA, described):
        found = tf.browser.from_pixels(pixels, channels)
        assert found.dtype == tf.int32
        np.testing.assert_array_equal(found.numpy(), RGBA[:, :, :channels])


def test_from_grey_pixels() -> None:
    np.testing.assert_array_equal(
        finished(tf.browser.from_pixels_async(RGBA[:, :, 0], 1)).numpy(), RGBA[:, :, :1]
    )


@pytest.mark.parametrize(
    ("pixels", "channels"),
    [(RGBA, 0), (RGBA, 5), (RGBA[:, :, :3], 4), (RGBA.astype(np.float32), 3), ("image.png", 3)],
)
def test_what_is_no_image(pixels: Any, channels: int) -> None:
    with pytest.raises(ValueError, match="from_pixels"):
        tf.browser.from_pixels(pixels, channels)


def test_to_pixels() -> None:
    colors = tf.browser.to_pixels(RGBA[:, :, :3].astype(np.int32))
    np.testing.assert_array_equal(colors[:, :, :3], RGBA[:, :, :3])
    assert (colors[:, :, 3] == 255).all()
    gray = finished(tf.browser.to_pixels_async(np.array([[0.0, 0.5, 1.0]], np.float32)))
    np.testing.assert_array_equal(gray[0, :, :3], np.repeat([[0], [128], [255]], 3, 1))
    assert gray.dtype == np.uint8


@pytest.mark.parametrize(
    "image", [np.zeros((2, 2, 2)), np.zeros(3), [[1.5]], [[-1]], [[256]], [[True]], [[np.nan]]]
)
def test_what_cannot_be_shown(image: Any) -> None:
    with pytest.raises(ValueError, match="to_pixels"):
        tf.browser.to_pixels(image)
