"""SavedModels of functions that do not accept every size of an argument."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy as tf

WEIGHTS = np.arange(12, dtype=np.float32).reshape(4, 3)


def flattened(x: Any) -> Any:
    return tf.matmul(tf.reshape(x, [-1, 4]), WEIGHTS)


def scaled(x: Any) -> Any:
    return x * tf.constant([1.0, 2.0, 3.0, 4.0])


def product(x: Any) -> Any:
    return tf.matmul(x, WEIGHTS)


CASES: list[tuple[Callable[[Any], Any], list[Any], list[tuple[int, ...]]]] = [
    (flattened, [None, None, None], [(2, 2, 3), (1, 2, 2), (4, 1, 1)]),
    (scaled, [None], [(4,), (1,)]),
    (product, [None, None], [(3, 4), (7, 4)]),
]


@pytest.mark.parametrize(("function", "shape", "given"), CASES)
def test_functions_of_some_sizes(
    function: Callable[[Any], Any], shape: list[Any], given: list[tuple[int, ...]], tmp_path: Path
) -> None:
    module = tf.Module()
    module.call = tf.function(function, input_signature=[tf.TensorSpec(shape)])
    tf.saved_model.save(module, tmp_path)
    mine, theirs = tf.saved_model.load(tmp_path), tensorflow.saved_model.load(str(tmp_path))
    for size in given:
        x = np.arange(np.prod(size), dtype=np.float32).reshape(size)
        wanted = tf.nest.flatten(function(tf.constant(x)))
        for loaded in (mine, theirs):
            found = tf.nest.flatten(loaded.call(x))
            for a, b in zip(found, wanted, strict=True):
                np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5)


def test_functions_that_depend_on_a_required_size(tmp_path: Path) -> None:
    module = tf.Module()
    module.call = tf.function(
        lambda x: scaled(x) + tf.reduce_mean(x), input_signature=[tf.TensorSpec([None])]
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        tf.saved_model.save(module, tmp_path)
