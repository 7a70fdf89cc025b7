"""tensordot, norms and products of vectors, compared with TensorFlow."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from api import twin

import tfpy


def draw(rng: np.random.Generator, *shapes: tuple[int, ...]) -> list[Any]:
    return [rng.uniform(-1, 1, s).astype(np.float32) for s in shapes]


@pytest.mark.parametrize(
    ("a", "b", "axes"),
    [
        ((2, 3), (3, 4), 1),
        ((2, 3), (2, 3), 2),
        ((2, 3), (4,), 0),
        ((2, 3, 4), (4, 3, 5), [[1, 2], [1, 0]]),
        ((2, 3, 4), (4, 3, 5), [[-1, 1], [0, -2]]),
        ((2, 3, 4), (5, 3), [1, 1]),
        ((0, 3), (3, 4), 1),
    ],
)
def test_tensordot(a: Any, b: Any, axes: Any, rng: np.random.Generator) -> None:
    twin.check(lambda tf, x, y: tf.tensordot(x, y, axes), *draw(rng, a, b), grads=True)


AXES = [None, 0, -1, (0, 1), (-2, -1), [1, 2]]


@pytest.mark.parametrize("order", ["euclidean", "fro", 1, 2, 3, 1.5, np.inf])
@pytest.mark.parametrize("keepdims", [False, True])
def test_norm(order: Any, keepdims: bool, rng: np.random.Generator) -> None:
    for axis in AXES:
        pair = isinstance(axis, list | tuple)
        if (order == "fro" and not pair) or (pair and order in (3, 1.5)):
            continue  # undefined
        twin.check(
            lambda tf, x, a=axis: tf.norm(x, order, a, keepdims),
            *draw(rng, (3, 4, 5)),
            grads=True,
            tolerance=5e-5 if order == 2 and pair else 1e-5,
        )


@pytest.mark.parametrize(
    ("order", "axis"),
    [
        *itertools.product(["euclidean", 1, np.inf], [(0, 1, 2), (1,), (1, 1)]),
        *itertools.product(["fro", "nuc", 0, -1], [None, 1]),
        *itertools.product(["nuc", 3], [(0, 1)]),
        ("euclidean", 7),
    ],
)
def test_refused_norms(order: Any, axis: Any, rng: np.random.Generator) -> None:
    twin.raises(lambda tf, x: tf.norm(x, order, axis), *draw(rng, (3, 4, 5)))


def test_vectors(rng: np.random.Generator) -> None:
    a, b = draw(rng, (3,), (4,))
    np.testing.assert_array_equal(tfpy.outer_product(a, b).numpy(), np.outer(a, b))
    m, n = draw(rng, (3, 5), (5, 3))
    for x, y in ((a, a), (a, m), (n, a), (m, n)):
        np.testing.assert_allclose(tfpy.dot(x, y).numpy(), np.dot(x, y), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(tfpy.euclidean_norm(m, 1), np.linalg.norm(m, axis=1), rtol=1e-6)
    for function, x, y in ((tfpy.dot, a, b), (tfpy.outer_product, m, a)):
        with pytest.raises(tfpy.errors.InvalidArgumentError):
            function(x, y)
