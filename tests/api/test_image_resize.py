"""Resizing, crops of boxes and projective transforms, compared with TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api import twin

import tfpy

METHODS = [
    "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic",
]  # fmt: skip
SIZES = [(8, 9), (3, 2), (5, 6), (11, 4), (1, 1)]


def image(rng: np.random.Generator, *shape: int, low: float = -1) -> Any:
    return rng.uniform(low, 1, shape or (2, 5, 6, 3)).astype(np.float32)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_resize(method: str, antialias: bool, size: Any, rng: np.random.Generator) -> None:
    twin.check(
        lambda tf, x: tf.image.resize(x, size, method, antialias=antialias),
        image(rng),
        # TensorFlow has no gradient of area resizing
        grads=method != "area",
        tolerance=2e-5,
    )


@pytest.mark.parametrize("method", METHODS)
def test_resize_of_bytes_and_single_images(method: str, rng: np.random.Generator) -> None:
    x = rng.integers(0, 255, (7, 5, 3)).astype(np.uint8)
    twin.check(lambda tf, x: tf.image.resize(x, (4, 9), method), x, tolerance=1e-4)
    twin.check(lambda tf, x: tf.image.resize(x, (4, 9), method), x.astype(np.int32), tolerance=1e-4)


def test_area_conserves_the_mean(rng: np.random.Generator) -> None:
    x = tfpy.constant(image(rng, 1, 6, 8, 2))
    with tfpy.GradientTape() as tape:
        tape.watch(x)
        y = tfpy.image.resize(x, (3, 2), "area")
    np.testing.assert_allclose(tape.gradient(y, x), np.full(x.shape, 1 / 8), rtol=1e-6)


@pytest.mark.parametrize("size", [(10, 10), (4, 20), (20, 3), (7, 5)])
def test_aspect_ratio(size: Any, rng: np.random.Generator) -> None:
    x = image(rng, 1, 7, 5, 2)
    twin.check(lambda tf, x: tf.image.resize(x, size, preserve_aspect_ratio=True), x)
    twin.check(lambda tf, x: tf.image.resize_with_pad(x, *size), x)
    twin.check(lambda tf, x: tf.image.resize_with_pad(x[0], *size, method="bicubic"), x)
    twin.check(lambda tf, x: tf.image.resize_with_crop_or_pad(x, *size), x, grads=True)
    twin.check(lambda tf, x: tf.image.resize_with_crop_or_pad(x[0], *size), x)


@pytest.mark.parametrize("grid", ["align_corners", "half_pixel_centers", None])
@pytest.mark.parametrize("name", ["resize_bilinear", "resize_nearest_neighbor"])
@pytest.mark.parametrize("size", SIZES)
def test_grids(grid: str | None, name: str, size: Any, rng: np.random.Generator) -> None:
    flags = {grid: True} if grid else {}

    def program(tf: Any, x: Any) -> Any:
        images = tf.image if tf is tfpy else tf.compat.v1.image
        return getattr(images, name)(x, size, **flags)

    twin.check(program, image(rng), grads=True)


@pytest.mark.parametrize(
    "program",
    [
        lambda tf, x: tf.image.resize(x, (2, 2), "cubical"),
        lambda tf, x: tf.image.resize(x, (2, 2, 2)),
        lambda tf, x: tf.image.resize(x[0, 0], (2, 2)),
        lambda tf, x: tf.image.resize(x, (0, 2)),
        lambda tf, x: tf.image.resize_with_pad(x, 0, 2),
        lambda tf, x: tf.image.resize_with_crop_or_pad(x, -1, 2),
        lambda tf, x: tf.image.crop_and_resize(x, [[0.0, 0, 1]], [0], (2, 2)),
        lambda tf, x: tf.image.crop_and_resize(x, [[0.0, 0, 1, 1]], [0], (0, 2)),
        lambda tf, x: tf.image.crop_and_resize(x, [[0.0, 0, 1, 1]], [0], (2, 2), method="cubic"),
    ],
)
def test_errors(program: Any, rng: np.random.Generator) -> None:
    twin.raises(program, image(rng))


@pytest.mark.parametrize("op", ["ResizeBicubic", "ResizeArea", "ResizeBilinear"])
@pytest.mark.parametrize("shape", [(2, 5, 6, 3), (1, 1, 4, 1), (1, 7, 3, 2)])
def test_grids_of_graphs(op: str, shape: Any, rng: np.random.Generator) -> None:
    """Test aligned corners, half-pixel centers, and neither."""
    x = rng.normal(size=shape).astype(np.float32)
    flags = [{}, {"align_corners": True}]
    flags += [] if op == "ResizeArea" else [{"half_pixel_centers": True}]

    def program(tf: Any, images: Any) -> Any:
        sizes = ([3, 9], [5, 6], [1, 1], [12, 2])
        resize = getattr(tf.raw_ops, op)
        return [resize(images=images, size=size, **f) for size in sizes for f in flags]

    twin.check(program, x)


BOXES = np.array(
    [[0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], [-0.3, 0.1, 1.2, 0.7], [0.9, 0.8, 0.2, 0.1]], np.float32
)
WHICH = np.array([0, 1, 1, 0], np.int32)


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
@pytest.mark.parametrize("size", [(3, 4), (1, 5), (1, 1), (7, 7)])
def test_crop_and_resize(method: str, size: Any, rng: np.random.Generator) -> None:
    twin.check(
        lambda tf, x, b: tf.image.crop_and_resize(
            x, b, tf.constant(WHICH), size, method, extrapolation_value=0.5
        ),
        image(rng),
        BOXES,
        grads=True,
        tolerance=3e-5,
    )


def projective(tf: Any, x: Any, maps: Any, method: str, fill: str, value: float, size: Any) -> Any:
    if tf is tfpy:
        return tf.image.transform(x, maps, method, fill, value, size)
    return tf.raw_ops.ImageProjectiveTransformV3(
        images=x,
        transforms=maps,
        output_shape=size,
        fill_value=value,
        interpolation=method.upper(),
        fill_mode=fill.upper(),
    )


MAPS = np.array(
    [
        [1.1, 0.2, -1.3, -0.1, 0.9, 0.7, 0.01, 0.02],
        [0.5, -0.6, 2.2, 0.7, 0.4, -9.1, 0.0, 0.0],
    ],
    np.float32,
)


@pytest.mark.parametrize("method", ["nearest", "bilinear"])
@pytest.mark.parametrize("fill", ["constant", "reflect", "wrap", "nearest"])
@pytest.mark.parametrize("count", [1, 2])
def test_transform(method: str, fill: str, count: int, rng: np.random.Generator) -> None:
    twin.check(
        lambda tf, x, m: projective(tf, x, m, method, fill, 0.3, (6, 9)),
        image(rng),
        MAPS[:count],
        tolerance=1e-4,
    )


def rotated(x: Any, radians: float, fill: float, center: tuple[float, float]) -> Any:
    """Return a rotated image computed pixel by pixel, as TensorFlow.js does."""
    batch, height, width, _ = x.shape
    middle_x, middle_y = width * center[0], height * center[1]
    out = np.full(x.shape, fill, np.float32)
    for row in range(height):
        for column in range(width):
            dx, dy = column - middle_x, row - middle_y
            from_x = np.floor(dx * np.cos(radians) - dy * np.sin(radians) + middle_x + 0.5)
            from_y = np.floor(dx * np.sin(radians) + dy * np.cos(radians) + middle_y + 0.5)
            if 0 <= from_x < width and 0 <= from_y < height:
                out[:, row, column] = x[:, int(from_y), int(from_x)]
    assert batch
    return out


@pytest.mark.parametrize("radians", [0.3, -1.2, 2.5])
@pytest.mark.parametrize("center", [0.5, (0.3, 0.8)])
def test_rotation(radians: float, center: Any, rng: np.random.Generator) -> None:
    x = image(rng, 2, 7, 9, 3)
    pair = center if isinstance(center, tuple) else (center, center)
    got = tfpy.image.rotate_with_offset(x, radians, 0.25, center)
    np.testing.assert_array_equal(got.numpy(), rotated(x, radians, 0.25, pair))


def test_rotation_fills_channels(rng: np.random.Generator) -> None:
    got = tfpy.image.rotate_with_offset(image(rng, 1, 5, 5, 4), 0.8, (1, 2, 3)).numpy()
    np.testing.assert_array_equal(got[0, 0, 0], [1, 2, 3, 255])
