"""Boxes in images, glimpses, random crops, and parts of image files."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from api.same import compare, error, same
from PIL import Image

import tfpy

BOXES = [[[0.1, 0.2, 0.8, 0.9], [-0.5, 0.3, 1.5, 0.5], [2, 2, 3, 3], [0.5, 0.5, 0.2, 0.2]]]
X = np.arange(1, 71, dtype=np.float32).reshape(2, 5, 7, 1)
SMOOTH = np.linspace(0, 255, 16 * 24 * 3).reshape(16, 24, 3).astype(np.uint8)


@same
def test_boxes(tf: Any) -> Any:
    draw = tf.image.draw_bounding_boxes
    blank = tf.fill([1, 6, 7, 3], 0.25)
    return [
        draw(blank, BOXES, None),
        draw(blank, BOXES, [[1.0, 2.0, 3.0, 9.0]]),
        draw(blank, BOXES, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        draw(blank[..., :1], BOXES, None),
        draw(blank, np.tile(BOXES, [1, 4, 1]) * 0.5, None),
        draw(tf.zeros([2, 9, 4, 4], tf.float16), BOXES * 2, tf.zeros([0, 4])),
        draw(blank, tf.zeros([1, 0, 4]), None),
        tf.function(draw)(blank, BOXES, None),
    ]


@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("normalized", [True, False])
def test_glimpses(centered: bool, normalized: bool) -> None:
    def program(tf: Any) -> Any:
        places = [[[0, 0], [1, 2]], [[-1, 0.4], [2.6, -2.6]], [[0.3, -0.2], [-0.7, 0.1]]]
        return [
            tf.image.extract_glimpse(X, size, np.float32(at), centered, normalized, "zero")
            for size in ([3, 3], [4, 2], [8, 9])
            for at in places
        ]

    same(program)()


@pytest.mark.parametrize("noise", ["uniform", "gaussian"])
def test_noise(noise: str) -> None:
    tfpy.random.set_seed(1)
    found = tfpy.image.extract_glimpse(X, [50, 50], np.zeros([2, 2], "f"), noise=noise).numpy()
    for window, image in zip(found, X, strict=True):
        assert abs(window.mean() - image.mean()) < 1.0
        assert 5.0 < window.std() < 15.0
        assert noise == "gaussian" or (window >= image.min()).all()


@same
def test_random_boxes(tf: Any) -> Any:
    found = []
    for s in range(1, 6):
        size, objects = [s * 37, s * 29 + 5, 3], [[[0.1, 0.2, 0.8, 0.9], [0.0, 0.0, 0.3, 0.3]]]
        found += [
            tf.image.sample_distorted_bounding_box(size, objects, s, s / 5, max_attempts=20)
            for _ in range(2)
        ]
        found.append(
            tf.image.stateless_sample_distorted_bounding_box(
                size, objects, [s, -s], 0.2, [0.3, float(s)], [0.1, 0.2 + s / 7]
            )
        )
    none = tf.zeros([1, 0, 4])
    sample = tf.image.sample_distorted_bounding_box
    found.append(sample([20, 30, 3], none, 3, use_image_if_no_bounding_boxes=True))
    return [*found, tf.function(lambda: sample([20, 30, 3], objects, 4))()]


def webp(mode: str, frames: int = 1) -> bytes:
    pixels = np.random.default_rng(1).integers(0, 255, (6, 5, 4), np.uint8)
    pixels[..., 3] = 200
    images = [Image.fromarray(np.roll(pixels, n, 0), "RGBA").convert(mode) for n in range(frames)]
    file = io.BytesIO()
    images[0].save(file, "WEBP", save_all=frames > 1, append_images=images[1:], lossless=True)
    return file.getvalue()


@pytest.mark.parametrize("data", [webp("RGB"), webp("RGBA")])
@pytest.mark.parametrize("channels", [0, 3, 4])
def test_webp(data: bytes, channels: int) -> None:
    def program(tf: Any) -> Any:
        wrong = error(lambda: tf.image.decode_webp(data, channels))
        return tf.io.decode_webp(data, channels) if wrong == "none" else wrong

    same(program)()


def test_animated_webp() -> None:
    found = tfpy.io.decode_webp(webp("RGBA", 3)).numpy()  # TensorFlow aborts for some animations
    single = tfpy.io.decode_webp(webp("RGBA")).numpy()[0]
    np.testing.assert_array_equal(found, [np.roll(single, n, 0) for n in range(3)])


@same
def test_parts_of_jpeg_files(tf: Any) -> Any:
    data = tfpy.io.encode_jpeg(SMOOTH).numpy()
    gray = tfpy.io.encode_jpeg(SMOOTH[..., :1]).numpy()
    part = tf.io.decode_and_crop_jpeg(data, [2, 3, 4, 5])
    return [
        [tf.image.extract_jpeg_shape(data), tf.io.extract_jpeg_shape(gray)],
        [part.shape, part.dtype],
        [error(lambda: tf.image.decode_and_crop_jpeg(data, w)) for w in WINDOWS],  # noqa: B023
        error(lambda: tf.image.extract_jpeg_shape(b"\xff\xd8\xff\xe0" + bytes(20))),
    ]


WINDOWS = ([2, 3, 40, 5], [2, 3, 0, 5], [2, 3, 3], [-1, 0, 3, 3])


def test_quality() -> None:
    import tensorflow

    def program(tf: Any) -> Any:
        tf.random.set_seed(1)
        image = tf.image
        gray = tfpy.io.encode_jpeg(SMOOTH[..., :1]).numpy()
        return [
            image.decode_and_crop_jpeg(gray, [2, 3, 4, 5]),
            image.adjust_jpeg_quality(SMOOTH, 50),
            image.adjust_jpeg_quality(SMOOTH / np.float32(255), 80) * 255,
            image.random_jpeg_quality(SMOOTH[..., :1], 20, 90, seed=3),
            image.stateless_random_jpeg_quality(SMOOTH, 20, 90, seed=(1, 2)),
        ]

    for mine, wanted in zip(program(tfpy), program(tensorflow), strict=True):
        compare(mine.dtype, wanted.dtype, 0, "dtype")
        np.testing.assert_allclose(np.float32(mine), np.float32(wanted), atol=6)


@pytest.mark.parametrize(
    "case",
    [
        lambda tf: tf.image.draw_bounding_boxes(tf.zeros([1, 6, 7, 3]), BOXES, [[1.0, 2.0]]),
        lambda tf: tf.image.draw_bounding_boxes(tf.zeros([1, 6, 7, 3]), BOXES, []),
        lambda tf: tf.image.draw_bounding_boxes(tf.zeros([1, 6, 7, 2]), BOXES, None),
        lambda tf: tf.image.draw_bounding_boxes(tf.zeros([6, 7, 3]), BOXES, None),
        lambda tf: tf.image.draw_bounding_boxes(tf.zeros([2, 6, 7, 3]), BOXES, None),
        lambda tf: tf.image.draw_bounding_boxes(tf.zeros([1, 6, 7, 3]), BOXES[0], None),
        lambda tf: tf.image.draw_bounding_boxes(tf.zeros([1, 6, 7, 3], tf.uint8), BOXES, None),
        lambda tf: tf.image.extract_glimpse(X, [3], tf.zeros([2, 2])),
        lambda tf: tf.image.extract_glimpse(X, [3, 3], tf.zeros([1, 2])),
        lambda tf: tf.image.extract_glimpse(X[0], [3, 3], tf.zeros([1, 2])),
        lambda tf: tf.image.extract_glimpse(X, [3, 3], tf.zeros([2, 2]), noise="pink"),
        lambda tf: tf.image.sample_distorted_bounding_box([9, 9, 3], tf.zeros([1, 0, 4])),
        lambda tf: tf.image.sample_distorted_bounding_box([9, 9], BOXES),
        lambda tf: tf.image.sample_distorted_bounding_box([9, 9, 3], [[[0.0, 0.0, 1.5, 1.0]]]),
        lambda tf: tf.image.sample_distorted_bounding_box([9, 9, 3], BOXES, area_range=[0.0, 1.0]),
        lambda tf: tf.image.adjust_jpeg_quality(SMOOTH, 150),
        lambda tf: tf.image.random_jpeg_quality(SMOOTH, 90, 20),
        lambda tf: tf.image.random_jpeg_quality(SMOOTH, -1, 20),
        lambda tf: tf.image.decode_webp(b"abc"),
        lambda tf: tf.image.decode_webp(webp("RGB")[:60]),
    ],
)
def test_errors(case: Any) -> None:
    import tensorflow

    assert error(lambda: case(tfpy)) == error(lambda: case(tensorflow)) != "none"
