"""Training of table rows on wasm: gradients are indexed slices with TensorFlow's values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare

import tfpy

from .conftest import require_assets
from .node_backend import active


@pytest.fixture(scope="module", autouse=True)
def _wasm() -> Iterator[None]:
    require_assets("simd")
    with active("simd", "always"):
        yield


@pytest.mark.parametrize("compiled", [False, True])
def test_training(compiled: bool) -> None:
    table = np.random.default_rng(0).normal(size=(40, 9)).astype(np.float32)

    def program(tf: Any) -> Any:
        v = tf.Variable(table)

        def step(places: Any) -> Any:
            with tf.GradientTape() as tape:
                y = tf.gather(v, places) ** 2
                loss = tf.reduce_sum(y) + tf.reduce_sum(tf.gather(v, [1, 3]) * 3)
            rows = tape.gradient(loss, v)
            (rows,), norm = tf.clip_by_global_norm([rows], 1.0)
            v.scatter_sub(rows)
            return tf.convert_to_tensor(rows), norm

        run = tf.function(step) if compiled else step
        return [run(tf.constant([[3, 39], [3, 0]])) for _ in range(2)], v

    compare(program(tfpy), program(tensorflow), 1e-4, "training")
