"""NumPy's reference of every elementwise op at special values, compared with TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest
from ops.grids import BOUNDS, WITHIN, Case, cases, differences
from ops.tensorflow_grids import wanted

from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ops import OPS


@pytest.mark.parametrize("case", cases(), ids=str)
def test_special_values(case: Case) -> None:
    (got,) = evaluate(case.graph, case.arrays)
    text = differences(case, got, *wanted(case))
    assert not text, text


def test_tables_name_ops() -> None:
    assert {*BOUNDS, *WITHIN} <= OPS.keys()


@pytest.mark.parametrize("source", [np.float32, np.float16])
@pytest.mark.parametrize("name", ["int32", "uint32", "uint8", "int8"])
def test_casts_to_integers(name: str, source: type) -> None:
    """Compare single elements: TensorFlow casts values out of range differently in arrays."""
    import tensorflow as tf

    import tfpy

    values = [np.nan, 1e20, -1e20, np.inf, -np.inf, 300.0, -1.5, 255.9, 256.0, -129.0, 128.0]
    large = [2.0**31, -(2.0**31), -2147483904.0, 2.0**32, 3e9, -3e9, 196613.0, 1e10]
    with np.errstate(over="ignore"):
        x = np.array([*values, *large], source)
    each = [tf.cast(tf.constant([v]), name).numpy()[0] for v in x]
    assert tfpy.cast(x, name).numpy().tolist() == [v.item() for v in each]
