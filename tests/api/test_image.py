"""Crops, colors, quality, boxes and random changes of images, compared with TensorFlow."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from api import twin
from api.same import same

import tfpy


def image(rng: np.random.Generator, *shape: int) -> Any:
    return rng.uniform(0, 1, shape or (2, 5, 6, 3)).astype(np.float32)


def both_ranks(program: Any, x: Any, **more: Any) -> None:
    twin.check(program, x, **more)
    twin.check(program, x[0])


@pytest.mark.parametrize(
    "program",
    [
        lambda tf, x: tf.image.crop_to_bounding_box(x, 1, 2, 3, 4),
        lambda tf, x: tf.image.pad_to_bounding_box(x, 1, 2, 7, 9),
        lambda tf, x: tf.image.central_crop(x, 0.5),
        lambda tf, x: tf.image.central_crop(x, 0.9),
        lambda tf, x: tf.image.central_crop(x, 1.0),
        lambda tf, x: tf.image.flip_left_right(x),
        lambda tf, x: tf.image.flip_up_down(x),
        lambda tf, x: tf.image.transpose(x),
        *(lambda tf, x, k=k: tf.image.rot90(x, k) for k in (-1, 0, 1, 2, 3, 5)),
        lambda tf, x: tf.image.rgb_to_grayscale(x),
        lambda tf, x: tf.image.grayscale_to_rgb(x[..., :1]),
        lambda tf, x: tf.image.rgb_to_yiq(x),
        lambda tf, x: tf.image.yiq_to_rgb(x),
        lambda tf, x: tf.image.rgb_to_yuv(x),
        lambda tf, x: tf.image.yuv_to_rgb(x),
        lambda tf, x: tf.image.rgb_to_hsv(x),
        lambda tf, x: tf.image.total_variation(x),
        lambda tf, x: tf.image.adjust_brightness(x, 0.2),
    ],
)
def test_simple(program: Any, rng: np.random.Generator) -> None:
    both_ranks(program, image(rng), grads=True)


@pytest.mark.parametrize(
    "program",
    [
        lambda tf, x: tf.image.hsv_to_rgb(x),
        lambda tf, x: tf.image.adjust_contrast(x, 1.7),
        lambda tf, x: tf.image.adjust_hue(x, 0.3),
        lambda tf, x: tf.image.adjust_hue(x, -0.8),
        lambda tf, x: tf.image.adjust_saturation(x, 0.4),
        lambda tf, x: tf.image.adjust_saturation(x, 2.5),
        lambda tf, x: tf.image.adjust_gamma(x, 1.6, 0.7),
        lambda tf, x: tf.image.per_image_standardization(x),
    ],
)
def test_adjustments(program: Any, rng: np.random.Generator) -> None:
    both_ranks(program, image(rng))
    grays = np.array([[[0, 0, 0], [0.5, 0.5, 0.5], [1, 1, 1], [1, 0, 0], [0, 1, 1]]], np.float32)
    twin.check(program, grays)


@pytest.mark.parametrize(
    "program",
    [
        lambda tf, x: tf.image.adjust_brightness(x, 0.2),
        lambda tf, x: tf.image.adjust_contrast(x, 1.7),
        lambda tf, x: tf.image.adjust_saturation(x, 1.3),
        lambda tf, x: tf.image.rgb_to_grayscale(x),
        lambda tf, x: tf.image.per_image_standardization(x),
        lambda tf, x: tf.image.flip_left_right(x),
        lambda tf, x: tf.image.convert_image_dtype(x, tf.float32),
        lambda tf, x: tf.image.convert_image_dtype(x, tf.int32),
        lambda tf, x: tf.image.convert_image_dtype(x, tf.int8, saturate=True),
    ],
)
def test_bytes(program: Any, rng: np.random.Generator) -> None:
    twin.check(program, rng.integers(0, 256, (4, 5, 3)).astype(np.uint8))


@pytest.mark.parametrize("saturate", [False, True])
def test_floats_to_bytes(saturate: bool) -> None:
    x = np.array([0, 0.1, 0.5, 0.999, 1.0], np.float32)
    wide = np.array([-0.5, 1.5], np.float32) if saturate else x
    for values in (x, wide):
        twin.check(
            lambda tf, x: tf.image.convert_image_dtype(x, tf.uint8, saturate=saturate), values
        )


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_patches(padding: str, rng: np.random.Generator) -> None:
    for sizes, strides, rates in ((3, 1, 1), (2, 3, 1), (2, 1, 2)):
        twin.check(
            lambda tf, x, k=sizes, s=strides, r=rates: tf.image.extract_patches(
                x, [1, k, k, 1], [1, s, s, 1], [1, r, r, 1], padding
            ),
            image(rng, 2, 7, 8, 3),
            grads=True,
        )


def test_edges_and_gradients(rng: np.random.Generator) -> None:
    x = image(rng, 2, 6, 5, 3)
    twin.check(lambda tf, x: tf.image.sobel_edges(x), x, grads=True)
    twin.check(lambda tf, x: tf.image.image_gradients(x), x, grads=True)


def test_quality(rng: np.random.Generator) -> None:
    x = image(rng, 2, 20, 24, 3)
    y = np.clip(x + 0.1 * image(rng, 2, 20, 24, 3), 0, 1)
    twin.check(lambda tf, a, b: tf.image.psnr(a, b, 1.0), x, y, grads=True)
    twin.check(lambda tf, a, b: tf.image.ssim(a, b, 1.0), x, y, grads=True)
    twin.check(lambda tf, a, b: tf.image.ssim(a, b, 1.0, 7, 1.2, return_index_map=True), x, y)
    twin.check(
        lambda tf, a, b: tf.image.ssim_multiscale(a, b, 1.0, (0.5, 0.5), 7), x, y, grads=True
    )
    odd = image(rng, 1, 93, 95, 1)
    twin.check(lambda tf, a, b: tf.image.ssim_multiscale(a, b, 1.0, filter_size=5), odd, odd * 0.9)
    levels = (x * 255).astype(np.uint8)
    twin.check(lambda tf, a: tf.image.psnr(a, tf.image.flip_left_right(a), 255), levels)
    twin.check(lambda tf, a: tf.image.ssim(a, tf.image.flip_left_right(a), 255), levels)


def boxes(rng: np.random.Generator, n: int = 40) -> tuple[Any, Any]:
    corners = rng.uniform(0, 1, (n, 4)).astype(np.float32)
    scores = rng.uniform(0, 1, n).astype(np.float32)
    scores[3] = scores[7]
    return corners, scores


@pytest.mark.parametrize("most", [0, 5, 100])
@pytest.mark.parametrize("threshold", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("least", [float("-inf"), 0.4])
def test_suppression(most: int, threshold: float, least: float, rng: np.random.Generator) -> None:
    corners, scores = boxes(rng)
    twin.check(
        lambda tf, b, s: tf.image.non_max_suppression(b, s, most, threshold, least),
        corners,
        scores,
    )
    for sigma in (0.0, 0.3):
        twin.check(
            lambda tf, b, s, g=sigma: tuple(
                tf.image.non_max_suppression_with_scores(b, s, most, threshold, least, g)
            ),
            corners,
            scores,
        )
    # TensorFlow's padded version uses the corner order of the first box for all boxes.
    ordered = np.concatenate(
        [np.minimum(corners[:, :2], corners[:, 2:]), np.maximum(corners[:, :2], corners[:, 2:])], 1
    )
    for fill in (False, True):
        twin.check(
            lambda tf, b, s, f=fill: tuple(
                tf.image.non_max_suppression_padded(
                    b, s, most, threshold, least, pad_to_max_output_size=f
                )
            ),
            ordered,
            scores,
        )
    overlaps = rng.uniform(0, 1, (40, 40)).astype(np.float32)
    twin.check(
        lambda tf, o, s: tf.image.non_max_suppression_overlaps(o, s, most, threshold, least),
        overlaps,
        scores,
    )


@pytest.mark.parametrize("most", [3, 50])
def test_suppression_of_many_boxes(most: int, rng: np.random.Generator) -> None:
    low = rng.uniform(0, 1, (3000, 2))
    corners = np.concatenate([low, low + 0.05], 1).astype(np.float32)
    crowded = np.concatenate([low / 50, low / 50 + 0.5], 1).astype(np.float32)
    scores = rng.uniform(0, 1, 3000).round(2).astype(np.float32)  # many ties
    for values in (scores, np.ones_like(scores), np.where(scores > 0.99, np.nan, scores)):
        for given, threshold in ((corners, 0.3), (crowded, 0.9)):
            twin.check(
                lambda tf, b, s, t=threshold: tf.image.non_max_suppression(b, s, most, t, 0.1),
                given,
                values,
            )


def test_async_suppression(rng: np.random.Generator) -> None:
    corners, scores = boxes(rng)
    for name in ("", "_with_scores", "_padded"):
        choose = getattr(tfpy.image, f"non_max_suppression{name}")
        choose_async = getattr(tfpy.image, f"non_max_suppression{name}_async")
        wanted = choose(corners, scores, 5)
        compare(asyncio.run(choose_async(corners, scores, 5)), wanted)


def compare(got: Any, wanted: Any) -> None:
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("fill", [False, True])
def test_combined_suppression(shared: bool, fill: bool, rng: np.random.Generator) -> None:
    low = rng.uniform(-0.2, 0.8, (2, 20, 1 if shared else 3, 2))
    corners = np.concatenate([low, low + rng.uniform(0.1, 0.5, low.shape)], -1).astype(np.float32)
    scores = rng.uniform(0, 1, (2, 20, 3)).astype(np.float32)
    for total, clip in ((6, True), (40, False)):
        twin.check(
            lambda tf, b, s, n=total, c=clip: tuple(
                tf.image.combined_non_max_suppression(
                    b, s, 5, n, 0.3, 0.2, pad_per_class=fill, clip_boxes=c
                )
            ),
            corners,
            scores,
        )


@pytest.mark.parametrize("count", [40, 600])
def test_padded_suppression_of_unusual_boxes(count: int, rng: np.random.Generator) -> None:
    """Check padded boxes, mixed corner orders, scores of -inf, and any threshold."""
    low = rng.uniform(0, 1, (3, count, 2))
    corners = np.concatenate([low, low + rng.uniform(0.01, 0.5, low.shape)], -1)
    corners[:, ::7] = 0
    corners[:, 3::11] = corners[:, 3::11][..., [2, 3, 0, 1]]
    corners[:, 5::17] = corners[:, 5::17][..., [2, 1, 0, 3]]
    corners = np.stack([corners, corners[:, ::-1]]).astype(np.float32)
    scores = rng.uniform(-1, 1, corners.shape[:-1]).round(2).astype(np.float32)
    endless = np.where(np.arange(count) % 13, scores, np.float32(-np.inf))

    def choose(tf: Any, boxes: Any, scores: Any, **options: Any) -> Any:
        return tuple(tf.image.non_max_suppression_padded(
            boxes, scores, 30, pad_to_max_output_size=True, **options))  # fmt: skip

    for values, threshold, least, options in (
        (endless, 0.0 if count < 512 else 0.1, -np.inf, {}),
        (endless, 0.3, -np.inf, {"canonicalized_coordinates": True}),
        (scores, 0.3, 0.2, {"sorted_input": True}),
        (scores, 1.0, 0.0, {}),
        (scores, 1.5, 0.0, {"sorted_input": True}),
    ):
        given = {"iou_threshold": threshold, "score_threshold": least, **options}
        twin.check(lambda tf, b, s, given=given: choose(tf, b, s, **given), corners, values)


def test_batches_of_boxes(rng: np.random.Generator) -> None:
    corners, scores = zip(boxes(rng), boxes(rng), strict=True)
    indices, counts = tfpy.image.non_max_suppression_padded(
        np.stack(corners), np.stack(scores), 10, pad_to_max_output_size=True
    )
    for b in range(2):
        single = tfpy.image.non_max_suppression(corners[b], scores[b], 10).numpy()
        np.testing.assert_array_equal(indices.numpy()[b, : int(counts[b])], single)


@pytest.mark.parametrize(
    "program",
    [
        lambda tf, x, s: tf.image.stateless_random_brightness(x, 0.3, s),
        lambda tf, x, s: tf.image.stateless_random_contrast(x, 0.3, 1.5, s),
        lambda tf, x, s: tf.image.stateless_random_saturation(x, 0.3, 1.5, s),
        lambda tf, x, s: tf.image.stateless_random_hue(x, 0.4, s),
        lambda tf, x, s: tf.image.stateless_random_flip_left_right(x, s),
        lambda tf, x, s: tf.image.stateless_random_flip_up_down(x, s),
        lambda tf, x, s: tf.image.stateless_random_flip_up_down(x[0], s),
        lambda tf, x, s: tf.image.stateless_random_crop(x, [1, 3, 4, 3], s),
    ],
)
def test_stateless(program: Any, rng: np.random.Generator) -> None:
    for seed in ((1, 2), (7, 13), (123, -4)):
        twin.check(program, image(rng), np.array(seed, np.int32), tolerance=2e-5)


@same
def test_pictures_changed_in_a_dataset(tf: Any) -> Any:
    """Check that two ops with one seed draw independently in a traced dataset function."""

    def changed(x: Any) -> Any:
        x = tf.image.random_flip_left_right(x, seed=3)
        x = tf.image.random_brightness(x, 0.1, seed=3)
        x = tf.image.resize_with_crop_or_pad(x, 10, 10)
        return tf.image.random_crop(x, (6, 10, 3), seed=2)

    tf.random.set_seed(5)
    pictures = tf.reshape(tf.range(4 * 8 * 8 * 3.0), (4, 8, 8, 3))
    data = tf.data.Dataset.from_tensor_slices(pictures).map(changed)
    return [*data, tf.function(changed)(pictures[0])]


def test_stateful(rng: np.random.Generator) -> None:
    x = tfpy.constant(image(rng))
    assert tfpy.image.random_crop(x, [1, 2, 3, 3]).shape == (1, 2, 3, 3)
    for name, args in {
        "brightness": [0.2],
        "contrast": [0.5, 1.5],
        "saturation": [0.5, 1.5],
        "hue": [0.2],
        "flip_left_right": [],
        "flip_up_down": [],
    }.items():
        y = getattr(tfpy.image, f"random_{name}")(x, *args, seed=3)
        assert y.shape == x.shape


def test_threshold() -> None:
    x = np.array([[[10.0], [200.0]], [[127.0], [128.0]]], np.float32)
    assert tfpy.image.threshold(x).numpy()[..., 0].tolist() == [[0, 255], [0, 255]]
    low = tfpy.image.threshold(x, inverted=True, thre_value=0.04).numpy()
    assert low[..., 0].tolist() == [[255, 0], [0, 0]]
    rgb = np.repeat(x, 3, axis=2)
    assert tfpy.image.threshold(rgb, "binary").numpy().shape == (2, 2, 1)


def test_otsu(rng: np.random.Generator) -> None:
    """Compare with the definition, computed for each level."""
    dark, light = rng.normal(60, 10, (12, 6)), rng.normal(180, 15, (12, 6))
    x = np.clip(np.concatenate([dark, light], 1), 0, 255).round().astype(np.float32)[..., None]
    spread = []
    for level in range(255):
        first, second = x[x <= level], x[x > level]
        both = first.size and second.size
        spread.append(first.size * second.size * (first.mean() - second.mean()) ** 2 if both else 0)
    wanted = np.where(x > int(np.argmax(spread)), 255, 0)
    np.testing.assert_array_equal(tfpy.image.threshold(x, "otsu").numpy(), wanted)


@pytest.mark.parametrize(
    "program",
    [
        lambda tf, x: tf.image.crop_to_bounding_box(x, 3, 0, 3, 3),
        lambda tf, x: tf.image.crop_to_bounding_box(x, -1, 0, 3, 3),
        lambda tf, x: tf.image.pad_to_bounding_box(x, 1, 0, 5, 6),
        lambda tf, x: tf.image.central_crop(x, 0),
        lambda tf, x: tf.image.grayscale_to_rgb(x),
        lambda tf, x: tf.image.flip_left_right(x[0, 0]),
        lambda tf, x: tf.image.rgb_to_hsv(x[..., :2]),
        lambda tf, x: tf.image.adjust_hue(x, 2.0),
        lambda tf, x: tf.image.psnr(x, x[:, 1:], 1.0),
        lambda tf, x: tf.image.ssim(x, x[:, 1:], 1.0),
        lambda tf, x: tf.image.ssim(x, x, 1.0),
        lambda tf, x: tf.image.ssim_multiscale(x, x, 1.0),
        lambda tf, x: tf.image.rgb_to_yuv(x[..., :2]),
        lambda tf, x: tf.image.image_gradients(x[0]),
        lambda tf, x: tf.image.random_brightness(x, -1.0),
        lambda tf, x: tf.image.random_contrast(x, 2.0, 1.0),
        lambda tf, x: tf.image.random_hue(x, 2.0),
        lambda tf, x: tf.image.non_max_suppression(x[0, 0], x[0, 0, 0], 3),
        lambda tf, x: tf.image.non_max_suppression(x[0, :, :4, 0], x[0, :, 0, 0], 3, 1.5),
    ],
)
def test_errors(program: Any, rng: np.random.Generator) -> None:
    twin.raises(program, image(rng))


@same
def test_choosing_among_many_boxes(tf: Any) -> Any:
    draw = np.random.default_rng(4)
    corners, scores = draw.random([700, 4]), draw.random(700).round(2)
    boxes, scores = tf.constant(corners, tf.float32), tf.constant(scores, tf.float32)
    alike = tf.constant(draw.random([300, 300]), tf.float32)
    image = tf.image
    return [
        *(
            image.non_max_suppression(boxes, scores, most, threshold)
            for most in (0, 3, 100, 1000)
            for threshold in (0.0, 0.1, 0.5, 1.0)
        ),
        image.non_max_suppression_with_scores(boxes, scores, 300, 0.4, 0.3),
        image.non_max_suppression_overlaps(alike, scores[:300], 50, 0.9),
    ]
