"""Convolutions, pooling and morphology in every rank and layout, compared with TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api import twin

TOLERANCE = 5e-5  # sums are rounded in another order


def draw(rng: np.random.Generator, *shapes: tuple[int, ...]) -> list[Any]:
    return [rng.uniform(-1, 1, s).astype(np.float32) for s in shapes]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 1), (1, 2), ([1, 2, 1], 1)])
def test_conv1d(padding: str, stride: Any, dilation: int, rng: np.random.Generator) -> None:
    twin.check(
        lambda tf, x, f: tf.nn.conv1d(x, f, stride, padding, dilations=dilation),
        *draw(rng, (2, 9, 3), (3, 3, 4)),
        tolerance=TOLERANCE,
        grads=dilation == 1,  # TensorFlow's CPU has no gradient of dilated convolution
    )


@pytest.mark.parametrize("padding", ["SAME", "VALID", [[0, 0], [1, 2], [0, 1], [0, 0]]])
@pytest.mark.parametrize("strides", [1, (2, 1), [1, 2, 2, 1]])
def test_conv2d(padding: Any, strides: Any, rng: np.random.Generator) -> None:
    twin.check(
        lambda tf, x, f: tf.nn.conv2d(x, f, strides, padding),
        *draw(rng, (2, 7, 8, 4), (3, 2, 4, 6)),
        tolerance=TOLERANCE,
        grads=True,
    )


def test_more_batch_dimensions(rng: np.random.Generator) -> None:
    twin.check(
        lambda tf, x, f: tf.nn.conv2d(x, f, 1, "SAME"),
        *draw(rng, (2, 3, 5, 5, 2), (3, 3, 2, 4)),
        tolerance=TOLERANCE,
    )
    twin.check(
        lambda tf, x, f: tf.nn.conv1d(x, f, 1, "SAME"),
        *draw(rng, (2, 3, 5, 2), (3, 2, 4)),
        tolerance=TOLERANCE,
    )


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("strides", [(1, 1, 1), (2, 1, 2), (2, 2, 1)])
@pytest.mark.parametrize("filters", [(1, 1, 1, 2, 3), (2, 3, 1, 2, 4), (3, 2, 2, 2, 3)])
def test_conv3d(padding: str, strides: Any, filters: Any, rng: np.random.Generator) -> None:
    twin.check(
        lambda tf, x, f: tf.nn.conv3d(x, f, [1, *strides, 1], padding),
        *draw(rng, (2, 5, 6, 4, 2), filters),
        tolerance=TOLERANCE,
        grads=True,
    )


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("rates", [(2, 1, 1), (1, 2, 3)])
def test_conv3d_dilated(padding: str, rates: Any, rng: np.random.Generator) -> None:
    twin.check(
        lambda tf, x, f: tf.nn.convolution(x, f, padding=padding, dilations=rates),
        *draw(rng, (2, 5, 6, 7, 2), (2, 3, 2, 2, 4)),
        tolerance=TOLERANCE,
    )


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("strides", [1, 2, 3])
def test_transposed(padding: str, strides: int, rng: np.random.Generator) -> None:
    size = 3 * strides + (0 if padding == "SAME" else max(3 - strides, 0))
    for rank, name in ((1, "conv1d_transpose"), (2, "conv2d_transpose"), (3, "conv3d_transpose")):
        shape = [2, *[size] * rank, 4]
        twin.check(
            lambda tf, x, f, n=name, s=shape: getattr(tf.nn, n)(x, f, s, strides, padding),
            *draw(rng, (2, *[3] * rank, 3), (*[3] * rank, 4, 3)),
            tolerance=TOLERANCE,
            grads=True,
        )
        twin.check(
            lambda tf, x, f, s=shape: tf.nn.conv_transpose(x, f, s, strides, padding),
            *draw(rng, (2, *[3] * rank, 3), (*[3] * rank, 4, 3)),
            tolerance=TOLERANCE,
        )


def second_order(tf: Any, x: Any, f: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([x, f])
        loss = tf.reduce_sum(tf.nn.conv3d(x, f, [1, 2, 1, 1, 1], "SAME") ** 2)
    return tape.gradient(loss, [x, f])


def test_conv3d_second_order(rng: np.random.Generator) -> None:
    twin.check(
        second_order, *draw(rng, (1, 3, 4, 3, 2), (2, 2, 3, 2, 2)), tolerance=1e-4, grads=True
    )


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_atrous(padding: str, rng: np.random.Generator) -> None:
    twin.check(
        lambda tf, x, f: tf.nn.atrous_conv2d(x, f, 2, padding),
        *draw(rng, (2, 8, 9, 2), (3, 3, 2, 4)),
        tolerance=TOLERANCE,
    )
    shape = [2, 8, 9, 4] if padding == "SAME" else [2, 12, 13, 4]
    twin.check(
        lambda tf, x, f: tf.nn.atrous_conv2d_transpose(x, f, shape, 2, padding),
        *draw(rng, (2, 8, 9, 2), (3, 3, 4, 2)),
        tolerance=TOLERANCE,
    )


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_convolution(rank: int, rng: np.random.Generator) -> None:
    twin.check(
        lambda tf, x, f: tf.nn.convolution(x, f, padding="SAME", strides=[2] * rank),
        *draw(rng, (2, *[6] * rank, 3), (*[3] * rank, 3, 4)),
        tolerance=TOLERANCE,
    )
    twin.check(
        lambda tf, x, f: tf.nn.convolution(x, f, dilations=[2] * rank),
        *draw(rng, (2, *[6] * rank, 3), (*[2] * rank, 3, 4)),
        tolerance=TOLERANCE,
    )


def test_channels_first(rng: np.random.Generator) -> None:
    """Compare channels-first with channels-last convolutions.

    TensorFlow does not have channels-first convolutions on CPUs.
    """
    import tfpy

    for rank, name, layout in ((1, "conv1d", "NCW"), (2, "conv2d", "NCHW"), (3, "conv3d", "NCDHW")):
        x, f = draw(rng, (2, *[5] * rank, 3), (*[2] * rank, 3, 4))
        conv = getattr(tfpy.nn, name)
        last = conv(x, f, 1, "SAME").numpy()
        first = conv(np.moveaxis(x, -1, 1), f, 1, "SAME", data_format=layout).numpy()
        np.testing.assert_allclose(np.moveaxis(first, 1, -1), last, rtol=1e-5, atol=1e-5)


POOLS = [
    (1, "pool1d", (2, 9, 3), 3, 2),
    (2, "pool2d", (2, 7, 8, 3), (3, 2), (2, 1)),
    (2, "pool2d", (1, 6, 6, 4), [1, 2, 2, 1], [1, 2, 2, 1]),
    (3, "pool3d", (2, 5, 6, 4, 3), (3, 2, 2), (2, 1, 2)),
    (3, "pool3d", (1, 4, 4, 4, 2), 2, 2),
]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize(("rank", "name", "shape", "ksize", "strides"), POOLS)
def test_pooling(
    padding: str,
    kind: str,
    rank: int,
    name: str,
    shape: Any,
    ksize: Any,
    strides: Any,
    rng: np.random.Generator,
) -> None:
    x = rng.integers(-4, 4, shape).astype(np.float32)  # with ties
    for function, grads in ((f"{kind}_{name}", True), (f"{kind}_pool", rank < 3)):
        twin.check(
            lambda tf, x, f=function: getattr(tf.nn, f)(x, ksize, strides, padding), x, grads=grads
        )


@pytest.mark.parametrize("kind", ["MAX", "AVG"])
def test_pool(kind: str, rng: np.random.Generator) -> None:
    for rank in (1, 2, 3):
        (x,) = draw(rng, (2, *[6] * rank, 3))
        twin.check(lambda tf, x, r=rank: tf.nn.pool(x, [2] * r, kind), x, grads=True)
        twin.check(
            lambda tf, x, r=rank: tf.nn.pool(x, [3] * r, kind, strides=[2] * r, padding="SAME"), x
        )
        twin.check(lambda tf, x, r=rank: tf.nn.pool(x, [2] * r, kind, dilations=[2] * r), x)


def second_order_of_pool(tf: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(tf.nn, f"max_pool{x.ndim - 2}d")(x, 2, 1, "SAME")
        loss = tf.reduce_sum(y * y + y)
    return tape.gradient(loss, x)


@pytest.mark.parametrize("shape", [(2, 5, 3), (1, 5, 6, 2), (1, 3, 4, 3, 2)])
def test_second_order_of_max_pool(shape: tuple[int, ...], rng: np.random.Generator) -> None:
    x = rng.integers(-2, 2, shape).astype(np.float32)  # with ties
    twin.check(second_order_of_pool, x, grads=len(shape) > 3)


def test_max_pool_of_integers(rng: np.random.Generator) -> None:
    for shape in ((2, 7, 3), (2, 7, 6, 4)):
        x = rng.integers(-(2**31), 2**31, shape).astype(np.int32)
        for padding in ("SAME", "VALID"):
            twin.check(lambda tf, x, p=padding: tf.nn.max_pool(x, 3, 2, p), x)
    volume = np.zeros((1, 2, 2, 2, 1), np.int32)
    twin.raises(lambda tf, x: tf.nn.max_pool3d(x, 2, 2, "SAME"), volume)
    twin.raises(lambda tf, x: tf.nn.avg_pool2d(x, 2, 2, "SAME"), volume[0])


def test_max_pool_over_channels(rng: np.random.Generator) -> None:
    for dtype in (np.float32, np.int32):
        x = rng.integers(-9, 9, (2, 3, 4, 6)).astype(dtype)
        for depth in (2, 3, 6):
            over = [1, 1, 1, depth]
            twin.check(lambda tf, x, k=over: tf.nn.max_pool2d(x, k, k, "SAME"), x)
            twin.check(lambda tf, x, k=over: tf.nn.max_pool(x, k, k, "VALID"), x)
        twin.check(lambda tf, x: tf.nn.max_pool1d(x, [1, 1, 2], [1, 1, 2], "SAME"), x[0])
    x = np.zeros((1, 2, 2, 4), np.float32)
    for ksize, strides in (
        ([1, 1, 1, 3], [1, 1, 1, 3]),
        ([1, 1, 1, 2], [1, 1, 1, 1]),
        ([1, 2, 1, 2], [1, 1, 1, 2]),
    ):
        twin.raises(lambda tf, x, k=ksize, s=strides: tf.nn.max_pool2d(x, k, s, "SAME"), x)
    over = [1, 1, 1, 1, 2]
    twin.raises(lambda tf, x: tf.nn.max_pool3d(x, over, over, "SAME"), x[None])


def test_explicit_padding_of_max_pool(rng: np.random.Generator) -> None:
    (x,) = draw(rng, (2, 5, 6, 3))
    pads = [[0, 0], [1, 0], [1, 1], [0, 0]]
    twin.check(lambda tf, x: tf.nn.max_pool2d(x, 3, 2, pads), x, grads=True)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("whole", [False, True])
def test_argmax(padding: str, whole: bool, rng: np.random.Generator) -> None:
    (x,) = draw(rng, (2, 7, 6, 3))
    twin.check(
        lambda tf, x: tuple(
            tf.nn.max_pool_with_argmax(x, 3, 2, padding, include_batch_in_index=whole)
        ),
        x,
        grads=True,
    )


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("name", ["dilation2d", "erosion2d"])
def test_morphology(padding: str, name: str, rng: np.random.Generator) -> None:
    for strides, rates in (((1, 1), (1, 1)), ((2, 1), (1, 1)), ((1, 1), (2, 2))):
        twin.check(
            lambda tf, x, f, s=strides, r=rates: getattr(tf.nn, name)(
                x, f, [1, *s, 1], padding, "NHWC", [1, *r, 1]
            ),
            *draw(rng, (2, 7, 6, 3), (3, 2, 3)),
            grads=True,
        )


def test_dilation_of_ties() -> None:
    x, f = np.ones((1, 4, 4, 1), np.float32), np.zeros((2, 2, 1), np.float32)
    twin.check(
        lambda tf, x, f: tf.nn.dilation2d(x, f, [1] * 4, "SAME", "NHWC", [1] * 4), x, f, grads=True
    )


@pytest.mark.parametrize(
    ("program", "shapes"),
    [
        (lambda tf, x, f: tf.nn.conv2d(x, f, 1, "SAME"), [(1, 4, 4, 2), (2, 2, 3, 4)]),
        (lambda tf, x, f: tf.nn.conv2d(x, f, 1, "VALID"), [(1, 1, 1, 2), (3, 3, 2, 4)]),
        (lambda tf, x, f: tf.nn.conv2d(x, f, 1, "SOME"), [(1, 4, 4, 2), (3, 3, 2, 4)]),
        (lambda tf, x, f: tf.nn.conv1d(x, f, 1, "SAME", data_format="X"), [(1, 4, 2), (3, 2, 4)]),
        (
            lambda tf, x, f: tf.nn.conv3d(x, f, [1] * 5, "SAME"),
            [(1, 4, 4, 4, 4), (2, 2, 2, 3, 4)],
        ),
        (lambda tf, x, f: tf.nn.conv2d(x, f, [1, 1, 1], "SAME"), [(1, 4, 4, 2), (2, 2, 2, 4)]),
        (lambda tf, x, f: tf.nn.conv2d(x, f, [2, 1, 1, 1], "SAME"), [(1, 4, 4, 2), (2, 2, 2, 4)]),
        (lambda tf, x: tf.nn.max_pool2d(x, [2, 2, 2], 1, "SAME"), [(1, 4, 4, 2)]),
        (lambda tf, x: tf.nn.pool(x, [2, 2], "MEDIAN"), [(1, 4, 4, 2)]),
        (lambda tf, x: tf.nn.max_pool2d(x, 2, 1, "SAME", data_format="HWC"), [(1, 4, 4, 2)]),
        (
            lambda tf, x, f: tf.nn.dilation2d(x, f, [1] * 4, "SAME", "NCHW", [1] * 4),
            [(1, 4, 4, 2), (2, 2, 2)],
        ),
    ],
)
def test_errors(program: Any, shapes: Any) -> None:
    twin.raises(program, *[np.ones(s, np.float32) for s in shapes])


def test_channels_first_of_transposes_and_pools(rng: np.random.Generator) -> None:
    import tfpy

    for rank, layout in ((1, "NCW"), (2, "NCHW"), (3, "NCDHW")):
        x, f = draw(rng, (2, *[3] * rank, 3), (*[2] * rank, 4, 3))
        turn = lambda a: np.moveaxis(a, -1, 1)  # noqa: E731
        out = (2, *[6] * rank, 4)
        last = tfpy.nn.conv_transpose(x, f, out, 2).numpy()
        first = tfpy.nn.conv_transpose(
            turn(x), f, (2, 4, *[6] * rank), 2, data_format=layout
        ).numpy()
        np.testing.assert_allclose(first, turn(last), rtol=1e-5, atol=1e-5)
        for pool in (tfpy.nn.max_pool, tfpy.nn.avg_pool):
            last = pool(x, 2, 2, "SAME").numpy()
            first = pool(turn(x), 2, 2, "SAME", data_format=layout).numpy()
            np.testing.assert_allclose(first, turn(last), rtol=1e-6)


def test_nothing_in_the_batch() -> None:
    """Check shapes and gradients of batches without images and of crops without pixels."""
    for rank in (1, 2, 3):
        x = np.zeros((0, *[4] * rank, 2), np.float32)
        f = np.ones((*[2] * rank, 2, 3), np.float32)
        steps = [1] * (rank + 2)
        twin.check(
            lambda tf, x, f, s=steps: tf.nn.convolution(x, f, s[1:-1], "SAME"),
            *(x, f),
            grads=rank < 3,  # TensorFlow fails in the gradient without a data_format
        )
        twin.check(lambda tf, x: tf.nn.max_pool(x, 2, 2, "SAME"), x)
        twin.check(lambda tf, x: tf.nn.avg_pool(x, 2, 2, "SAME"), x)


def test_not_a_number() -> None:
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    x[0, 1, 2, 0] = np.nan
    x[0, 3, 0, 0] = np.inf
    twin.check(lambda tf, x: tf.nn.avg_pool2d(x, 2, 1, "VALID"), x)
    twin.check(lambda tf, x: tf.nn.max_pool2d(x[:, 2:], 2, 1, "VALID"), x)
