"""Rare functions of ``tf.nn``: isotonic regression, patches of volumes, slopes of convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import error, same
from api.twin import check

import tfpy

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 4, 5)).astype(np.float32)
VOLUME = RNG.normal(size=(2, 3, 4, 5, 2)).astype(np.float32)
IMAGE = RNG.normal(size=(2, 6, 7, 2)).astype(np.float32)
KERNEL = RNG.normal(size=(2, 3, 2, 4)).astype(np.float32)


@same
def test_top_k(tf: Any) -> Any:
    return [
        tf.nn.approx_max_k(X, 2),
        tf.math.approx_max_k(X, 5, recall_target=0.5, aggregate_to_topk=False),
        tf.approx_top_k(X, k=1),
    ]


def test_other_top_k() -> None:
    """TensorFlow has no kernels for these on CPUs."""
    values, indices = tfpy.nn.approx_min_k(X, 2, reduction_dimension=1)
    np.testing.assert_array_equal(values, np.sort(X, 1)[:, :2])
    np.testing.assert_array_equal(indices, np.argsort(X, 1)[:, :2])


@pytest.mark.parametrize("decreasing", [True, False])
@pytest.mark.parametrize("axis", [-1, 1, 0])
def test_isotonic_regression(decreasing: bool, axis: int) -> None:
    check(lambda tf, x: list(tf.nn.isotonic_regression(x, decreasing, axis)), X)
    rows = X.reshape(-1, 12)  # TensorFlow has gradients of matrices only
    check(lambda tf, x: tf.nn.isotonic_regression(x, decreasing)[0], rows, grads=True)


@same
def test_isotonic_regression_of_other_values(tf: Any) -> Any:
    return [
        tf.nn.isotonic_regression([3, 1, 2, 5, 5, 4]),
        tf.nn.isotonic_regression(tf.constant([3, 1, 2], tf.int8)),
        tf.nn.isotonic_regression(tf.constant([3, 1, 2], tf.int32), axis=0),
        tf.function(tf.nn.isotonic_regression)(X)[0],
    ]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("steps", [[1, 1, 1], [2, 1, 3]])
def test_volume_patches(padding: str, steps: list[int]) -> None:
    def program(tf: Any, x: Any) -> Any:
        return tf.extract_volume_patches(x, [1, 2, 3, 2, 1], [1, *steps, 1], padding)

    check(program, VOLUME, grads=True)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_space_to_batch(padding: str) -> None:
    def pooled(tf: Any, x: Any) -> Any:
        def op(x: Any, dims: int, padding: str) -> Any:
            return tf.nn.avg_pool2d(x, [2, 3], 1, padding)

        return [
            tf.nn.with_space_to_batch(x, [2, 1], padding, op, [2, 3]),
            tf.nn.with_space_to_batch(x, [2, 3], padding, op, [2, 3], spatial_dims=[1, 2]),
            tf.nn.with_space_to_batch(x, [1, 1], padding, op),
        ]

    check(pooled, IMAGE, grads=True)


def test_convolutions() -> None:
    def program(tf: Any, x: Any, kernel: Any, volume: Any) -> Any:
        around = [0, 0, 1, 2, 0, 1, 0, 0]
        return [
            tf.conv(x, kernel, [1, 2, 1, 1], "SAME"),
            tf.conv(x, kernel, [1, 1, 1, 1], "VALID", dilations=[1, 2, 1, 1]),
            tf.conv(x, kernel, [1, 1, 1, 1], "EXPLICIT", around),
            tf.conv(x[None], kernel, [1, 1, 1, 1], "VALID", batch_dims=2),
            tf.conv(volume, tf.ones([2, 2, 2, 2, 3]), [1, 1, 1, 1, 1], "VALID"),
        ]

    check(program, IMAGE, KERNEL, VOLUME, tolerance=1e-4)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_gradients_of_depthwise_convolutions(padding: str) -> None:
    def program(tf: Any, x: Any, kernel: Any) -> Any:
        y = tf.nn.depthwise_conv2d(x, kernel, [1, 2, 2, 1], padding)
        g, nn = tf.sin(y), tf.nn
        return [
            nn.depthwise_conv2d_backprop_input(tf.shape(x), kernel, g, [1, 2, 2, 1], padding),
            nn.depthwise_conv2d_backprop_filter(x, kernel.shape, g, [1, 2, 2, 1], padding),
        ]

    check(program, IMAGE, KERNEL, tolerance=1e-4)


@same
def test_other_functions(tf: Any) -> Any:
    normalize = tf.nn.batch_norm_with_global_normalization
    return [
        *(normalize(X, 1.0, 2.0, 3.0, 4.0, 0.1, scaled) for scaled in (True, False)),
        tf.nn.all_candidate_sampler([[1, 2]], 2, 3, True),
        tf.nn.fixed_unigram_candidate_sampler([[1, 2]], 2, 3, True, 4, unigrams=[1.0] * 4, seed=1),
    ]


@pytest.mark.parametrize(
    "case",
    [
        lambda tf: tf.nn.approx_max_k(X, 9),
        lambda tf: tf.nn.approx_max_k([[3, 1]], 1),
        lambda tf: tf.conv(tf.ones([1, 4, 2]), tf.ones([2, 2, 3]), [1, 1, 1], "SAME"),
        lambda tf: tf.conv(
            tf.ones([1, 2, 4, 4]), KERNEL, [1] * 4, "VALID", data_format="CHANNELS_FIRST"
        ),
        lambda tf: tf.extract_volume_patches(IMAGE, [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
        lambda tf: tf.nn.with_space_to_batch(IMAGE, [2, 2], "SAME", lambda x, n, p: x),
    ],
)
def test_errors(case: Any) -> None:
    import tensorflow

    assert error(lambda: case(tfpy)) == error(lambda: case(tensorflow)) != "none"


def test_values_are_exchanged_with_other_libraries() -> None:
    for lib in (tfpy, tensorflow):
        pack = lib.experimental.dlpack
        assert pack.from_dlpack(pack.to_dlpack(lib.constant([1, 2]))).numpy().tolist() == [1, 2]
        with pytest.raises(lib.errors.InvalidArgumentError, match="must be a TF tensor"):
            pack.to_dlpack([1.0])
        with pytest.raises(TypeError):
            pack.from_dlpack(1)


def test_fractional_pooling() -> None:
    numbers = np.random.default_rng(4).normal(size=[2, 11, 9, 2]).astype(np.float32)
    for kind in ("avg", "max"):
        for pseudo, overlap in ((False, False), (True, False), (False, True)):
            found = []
            for lib in (tfpy, tensorflow):
                lib.random.set_seed(5)
                x = lib.constant(numbers)
                with lib.GradientTape() as tape:
                    tape.watch(x)
                    pool = getattr(lib.nn, f"fractional_{kind}_pool")
                    output, *ends = pool(x, [1.0, 1.4, 2.3, 1.0], pseudo, overlap, seed=3)
                grad = tape.gradient(output, x)
                found.append([np.asarray(v) for v in (output, *ends, grad)])
            for mine, wanted in zip(*found, strict=True):
                np.testing.assert_allclose(mine, wanted, rtol=1e-5, atol=1e-6)


def test_fractional_pooling_without_a_seed_draws_other_regions_in_each_call() -> None:
    pool = tfpy.function(lambda x: tfpy.nn.fractional_max_pool(x, 1.5).row_pooling_sequence)
    x = tfpy.zeros([1, 40, 40, 1])
    assert len({tuple(pool(x).numpy().tolist()) for _ in range(4)}) > 1
