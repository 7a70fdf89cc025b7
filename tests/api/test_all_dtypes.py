"""TensorFlow's dtypes that devices do not compute in: properties, values, casts, operations."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tensorflow
from api.same import NARROWED, compare, outcome

import tfpy

INTEGERS = ("int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32")
SMALL = ("float8_e4m3fn", "float8_e5m2")
NAMES = [
    *(*INTEGERS, *FLOATS, "bool", "complex64", "string", "variant", "resource"),
    *("qint8", "qint16", "qint32", "quint8", "quint16"),
]
EXPERIMENTAL = [
    *("float4_e2m1fn", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2"),
    *("float8_e5m2fnuz", "int2", "int4", "uint2", "uint4"),
]
FACTS = [
    *("name", "as_datatype_enum", "is_floating", "is_integer", "is_complex", "is_bool"),
    *("is_unsigned", "is_quantized", "is_numeric", "is_numpy_compatible"),
]


@pytest.mark.parametrize("name", [*NAMES, *EXPERIMENTAL])
def test_facts(name: str) -> None:
    mine, wanted = tfpy.as_dtype(name), tensorflow.as_dtype(name)
    assert [getattr(mine, f) for f in FACTS] == [getattr(wanted, f) for f in FACTS]
    assert (str(mine), repr(mine)) == (str(wanted), repr(wanted))
    assert tfpy.as_dtype(wanted.as_datatype_enum) is mine
    assert getattr(tfpy.dtypes.experimental if name in EXPERIMENTAL else tfpy, name) is mine
    if mine.is_numpy_compatible and name != "string":
        assert mine.size == wanted.size
        assert mine.as_numpy_dtype == wanted.as_numpy_dtype
        assert mine.is_quantized or tfpy.as_dtype(mine.as_numpy_dtype) is mine


@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
def test_ranges(name: str) -> None:
    mine, wanted = tfpy.as_dtype(name), tensorflow.as_dtype(name)
    assert (float(mine.min), float(mine.max)) == (float(wanted.min), float(wanted.max))
    if mine.is_integer:
        assert mine.limits == wanted.limits


@pytest.mark.parametrize("name", EXPERIMENTAL)
def test_ranges_of_small_dtypes(name: str) -> None:
    mine = tfpy.as_dtype(name)
    info = ml_dtypes.iinfo(name) if mine.is_integer else ml_dtypes.finfo(name)
    assert (float(mine.min), float(mine.max)) == (float(info.min), float(info.max))


ALONE = """
import sys
sys.modules["ml_dtypes"] = None  # as if it were not installed
import numpy as np
import tfpy as tf
assert tf.bfloat16.max > 3e38 and tf.bfloat16.size == 2 and tf.as_dtype("bfloat16").is_floating
assert tf.as_dtype("float8_e5m2").min == -57344
try:
    tf.cast([1.0], tf.bfloat16)
except ImportError as error:
    print(error)
"""


def test_without_ml_dtypes() -> None:
    """Check that only values of these dtypes need ml_dtypes.

    Names and ranges exist without it. Creating values raises a helpful error.
    """
    environment = {**os.environ, "PYTHONPATH": str(Path(tfpy.__file__).parents[1])}
    found = subprocess.run(
        [sys.executable, "-c", ALONE], env=environment, capture_output=True, text=True, check=True
    )
    assert "<dtype: 'bfloat16'>" in found.stdout
    assert "pip install ml-dtypes" in found.stdout


def ends(tf: Any, dtype: str) -> Any:
    """Return numbers at the ends of a dtype's range, and small numbers."""
    kind = tfpy.as_dtype(dtype)
    if not kind.is_integer:
        values = np.array([0.0, -0.0, 1.0, -2.5, 100.0, 448.0, math.inf, math.nan], np.float32)
        return tf.constant(values.astype(tensorflow.as_dtype(dtype).as_numpy_dtype))
    low, high = kind.min, kind.max
    return tf.constant(np.array([0, 1, 3, 100, high, high - 1, low, low + 1], dtype))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("to", [*INTEGERS, *FLOATS, *SMALL, "bool", "complex64"])
@pytest.mark.parametrize("given", [*INTEGERS, *FLOATS])
def test_casts(given: str, to: str) -> None:
    if to in SMALL and given in INTEGERS:
        pytest.skip("TensorFlow has no such cast")
    x = ends(tensorflow, given)
    y = ends(tfpy, given)
    if given in FLOATS and to in INTEGERS:  # floats outside a narrow integer's range may differ
        x, y = x[:5], y[:5]
        if to.startswith("u") or to == "int8":
            x, y = abs(x), abs(y)
    compare(tfpy.cast(y, to), tensorflow.cast(x, to), 0, "cast")


@pytest.mark.parametrize("given", SMALL)
def test_small_floats_are_kept_and_moved(given: str) -> None:
    def program(tf: Any) -> list[Any]:
        x = tf.cast([[1.0, 2.5], [-3.0, 0.1]], given)
        moved = [x, x[1:], tf.reshape(x, [4]), tf.concat([x, x], 0), tf.transpose(x)]
        moved += [tf.stack([x, x]), tf.gather(x, [1]), tf.broadcast_to(x[0], [3, 2])]
        back = [tf.cast(x, d) for d in ("float32", "float16", "bfloat16", "int32", "bool")]
        return [*moved, *back, tf.cast(tf.cast(x, "float8_e5m2"), "float8_e4m3fn")]

    compare(program(tfpy), program(tensorflow), 0, given)


def test_small_floats_are_not_computed_with() -> None:
    x = tfpy.cast([1.0], "float8_e5m2")
    for call in (lambda: x + x, lambda: x < x, lambda: tfpy.reduce_sum(x), lambda: tfpy.exp(x)):
        with pytest.raises(tfpy.errors.InvalidArgumentError, match="float8_e5m2"):
            call()


def of(tf: Any, dtype: str, *values: Any) -> Any:
    return tf.constant(values, dtype)


CREATION: list[Callable[[Any], Any]] = [
    lambda tf: tf.constant(70000, tf.uint16),
    lambda tf: tf.constant(-1, tf.uint16),
    lambda tf: tf.constant([-40000, 300], tf.int16),
    lambda tf: tf.constant(2**63, tf.int16),
    lambda tf: tf.constant([2**63, 2**64 - 1, 0], tf.uint64),
    lambda tf: tf.constant(2**63),
    lambda tf: tf.constant([1, 2**63]),
    lambda tf: tf.constant(1.5, tf.uint16),
    lambda tf: tf.constant(1.5, tf.bfloat16),
    lambda tf: tf.constant([1, 2], tf.bfloat16),
    lambda tf: tf.constant(np.array([1.5, 2.5]), tf.bfloat16),
    lambda tf: tf.constant(np.array([1, 2], np.uint16)),
    lambda tf: tf.constant(np.array([1, 2**63], np.uint64)),
    lambda tf: tf.constant(np.array([1, 70000]), tf.uint16),
    lambda tf: tf.constant(np.array([1, 2], np.float32), tf.int16),
    lambda tf: tf.constant(np.array([1.5], ml_dtypes.bfloat16)),
    lambda tf: tf.constant(np.int16(3)),
    lambda tf: tf.constant(np.uint64(3)),
    lambda tf: tf.constant([np.int16(3), np.int16(4)]),
    lambda tf: tf.constant([np.uint64(2**63)]),
    lambda tf: tf.constant([np.array([1, 2], np.uint8)]),
    lambda tf: tf.stack([np.array([1, 2], np.uint8)] * 2),
    lambda tf: tf.concat([np.array([1, 2], np.uint16)] * 2, 0),
    lambda tf: tf.zeros([2], tf.uint64),
    lambda tf: tf.ones([2], tf.bfloat16),
    lambda tf: tf.fill([2], of(tf, "int16", 7)[0]),
    lambda tf: tf.ones_like(of(tf, "uint16", 7)),
    lambda tf: tf.eye(2, dtype=tf.int16),
    lambda tf: tf.one_hot([0, 1], 2, dtype=tf.uint16),
    lambda tf: tf.range(of(tf, "bfloat16", 3)[0]),
    lambda tf: tf.linspace(tf.constant(1, tf.bfloat16), tf.constant(3, tf.bfloat16), 3),
    lambda tf: tf.Variable(of(tf, "uint64", 1, 2**64 - 1)).assign_add(of(tf, "uint64", 1, 1)),
    lambda tf: tf.Variable([1, 2], dtype=tf.int16) * 2,
    lambda tf: repr(of(tf, "bfloat16", 1.5, 2.25)),
    lambda tf: str(of(tf, "uint64", 2**64 - 1)),
]

OPERATIONS: list[Callable[[Any, Any], Any]] = [
    lambda tf, x: x + x,
    lambda tf, x: x + 1,
    lambda tf, x: x - 5,
    lambda tf, x: x * 3,
    lambda tf, x: x * x,
    lambda tf, x: x / 2,
    lambda tf, x: x // 7,
    lambda tf, x: x % 7,
    lambda tf, x: 7 // tf.maximum(x, 1),
    lambda tf, x: tf.truncatediv(x, tf.constant(7, x.dtype)),
    lambda tf, x: -x,
    lambda tf, x: abs(x),
    lambda tf, x: tf.sign(x),
    lambda tf, x: x < 4,
    lambda tf, x: x >= tf.reverse(x, [0]),
    lambda tf, x: x == tf.reverse(x, [0]),
    lambda tf, x: tf.maximum(x, tf.reverse(x, [0])),
    lambda tf, x: tf.square(x),
    lambda tf, x: tf.where(x > 3, x, tf.zeros_like(x)),
    lambda tf, x: tf.clip_by_value(x, 1, 50),
    lambda tf, x: tf.bitwise.bitwise_xor(x, tf.constant(5, x.dtype)),
    lambda tf, x: tf.bitwise.invert(x),
    lambda tf, x: tf.bitwise.left_shift(x, tf.constant(3, x.dtype)),
    lambda tf, x: tf.bitwise.right_shift(x, tf.constant(3, x.dtype)),
    lambda tf, x: tf.reduce_sum(x),
    lambda tf, x: tf.reduce_prod(x),
    lambda tf, x: tf.reduce_max(x),
    lambda tf, x: tf.reduce_min(x),
    lambda tf, x: tf.reduce_max(x[:0]),
    lambda tf, x: tf.reduce_mean(x),
    lambda tf, x: tf.cumsum(x),
    lambda tf, x: tf.argmax(x),
    lambda tf, x: tf.argmin(x),
    lambda tf, x: tf.sort(x),
    lambda tf, x: tf.argsort(x, direction="DESCENDING"),
    lambda tf, x: tf.math.top_k(x, 3),
    lambda tf, x: tf.unique(tf.concat([x, x], 0)),
    lambda tf, x: tf.searchsorted(tf.sort(x), x),
    lambda tf, x: tf.gather(x, [2, 0]),
    lambda tf, x: tf.tensor_scatter_nd_add(x, [[1]], x[2:3]),
    lambda tf, x: tf.math.unsorted_segment_sum(x, [0, 1, 0, 1, 2, 2, 3, 3], 4),
    lambda tf, x: tf.math.segment_max(x, [0, 0, 1, 1, 2, 2, 3, 3]),
    lambda tf, x: tf.pad(x, [[1, 2]], constant_values=3),
    lambda tf, x: tf.concat([x, x], 0),
    lambda tf, x: tf.tile(x, [2]),
    lambda tf, x: tf.nn.relu(x),
    lambda tf, x: tf.strings.as_string(x),
    lambda tf, x: tf.math.count_nonzero(x),
    lambda tf, x: tf.matmul(tf.reshape(x, [1, 2, 4]), tf.reshape(x, [1, 4, 2])),
    lambda tf, x: tf.einsum("i,i->", x[:4], x[:4]),
    lambda tf, x: tf.saturate_cast(x, tf.int8),
    lambda tf, x: tf.saturate_cast(x, tf.uint16),
    lambda tf, x: tf.bitcast(x, tf.uint8),
    lambda tf, x: tf.image.convert_image_dtype(x, tf.float32),
    lambda tf, x: tf.image.convert_image_dtype(x if x.dtype.is_integer else x / 99, tf.uint8)[4:],
    lambda tf, x: tf.gather([5, 6, 7, 8], x[:2]),
    lambda tf, x: tf.argmax([1, 5, 2], output_type=x.dtype),
    lambda tf, x: x + tf.constant(1),
    lambda tf, x: x + 1.5,
    lambda tf, x: x + True,
]


def check(case: Callable[[Any], Any], name: str) -> None:
    """Compare results with TensorFlow's. Where TensorFlow raises, tfpy may compute."""
    (kind, mine), (wanted_kind, wanted) = (outcome(case, lib) for lib in (tfpy, tensorflow))
    if wanted_kind == "SystemError":  # a bug of TensorFlow with negative numbers as uint64
        wanted_kind = "ValueError"
    if wanted is None:
        assert mine is not None or kind == wanted_kind or "Error" in kind
        return
    assert kind == NARROWED.get(wanted_kind, wanted_kind)
    compare(mine, wanted, 1e-6, name)


@pytest.mark.parametrize("i", range(len(CREATION)))
def test_creation(i: int) -> None:
    (kind, mine), (wanted_kind, wanted) = (outcome(CREATION[i], lib) for lib in (tfpy, tensorflow))
    assert kind == NARROWED.get(wanted_kind, wanted_kind)
    if wanted is not None:
        compare(mine, wanted, 0, str(i))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["int16", "uint16", "uint64", "bfloat16"])
@pytest.mark.parametrize("i", range(len(OPERATIONS)))
def test_operations(i: int, dtype: str) -> None:
    def case(tf: Any) -> Any:
        x = ends(tf, dtype)
        return OPERATIONS[i](
            tf, tf.constant([1, 2.5, 3, -4, 0.1, 7, 7, 90], dtype) if dtype == "bfloat16" else x
        )

    check(case, f"{i} {dtype}")


def test_negative_numbers_are_no_uint64() -> None:
    with pytest.raises(ValueError, match="out of range"):
        tfpy.constant(-1, tfpy.uint64)


def test_large_floats_as_uint64() -> None:
    """Check that floats from 2 ** 63 on keep their values.

    saturate_cast clips to the range.
    """
    large = tfpy.constant([2.0**63, 1e19, -1.0])
    assert tfpy.cast(large, tfpy.uint64).numpy().tolist() == [
        2**63,
        int(np.float32(1e19)),
        2**64 - 1,
    ]
    top = tfpy.saturate_cast(tfpy.constant([1e30, -3.0]), tfpy.uint64).numpy().tolist()
    assert top == [int(np.nextafter(np.float32(2.0**64), np.float32(0))), 0]


FUNCTIONS: list[Callable[[Any, Any], Any]] = [
    lambda tf, x: tf.exp(x),
    lambda tf, x: tf.math.log(x),
    lambda tf, x: tf.tanh(x),
    lambda tf, x: tf.sigmoid(x),
    lambda tf, x: tf.nn.softmax(x),
    lambda tf, x: tf.nn.log_softmax(x),
    lambda tf, x: tf.nn.gelu(x),
    lambda tf, x: tf.sqrt(x),
    lambda tf, x: tf.math.rsqrt(x),
    lambda tf, x: x**2.0,
    lambda tf, x: tf.math.erf(x),
    lambda tf, x: tf.reduce_mean(x, -1),
    lambda tf, x: tf.math.reduce_std(x, -1),
    lambda tf, x: tf.linalg.norm(x),
    lambda tf, x: tf.matmul(x, x, transpose_b=True),
    lambda tf, x: tf.reduce_logsumexp(x),
    lambda tf, x: tf.math.is_nan(x),
    lambda tf, x: tf.nn.conv2d(x[None, ..., None], x[:2, :2, None, None], 1, "SAME"),
    lambda tf, x: tf.nn.avg_pool2d(x[None, ..., None], 2, 1, "VALID"),
    lambda tf, x: tf.bitcast(x, tf.uint16),
    lambda tf, x: tf.random.stateless_uniform([9], [1, 2], dtype=x.dtype),
    lambda tf, x: tf.random.stateless_normal([9], [1, 2], dtype=x.dtype),
]


@pytest.mark.parametrize("i", range(len(FUNCTIONS)))
def test_bfloat16(i: int) -> None:
    """Compare eager and compiled results and gradients with TensorFlow's within one rounding."""
    values = np.random.default_rng(i).uniform(0.1, 2, (3, 4)).astype(ml_dtypes.bfloat16)

    def program(tf: Any, compiled: bool) -> Any:
        x = tf.constant(values)
        call = (
            (lambda v: FUNCTIONS[i](tf, v))
            if not compiled
            else tf.function(lambda v: FUNCTIONS[i](tf, v))
        )
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        return y, tape.gradient(y, x) if y.dtype.is_floating and i < 16 else None

    wanted = program(tensorflow, False)
    for compiled in (False, True):
        mine = program(tfpy, compiled)
        compare(mine[0], wanted[0], 2**-7, str(i))
        assert (mine[1] is None) == (wanted[1] is None)
        if wanted[1] is not None:
            compare(mine[1], wanted[1], 2**-5, str(i))


def test_mixed_precision_trains() -> None:
    """Compare mixed-precision training in bfloat16 and float32 with TensorFlow's losses."""

    def losses(tf: Any) -> list[float]:
        rng = np.random.default_rng(0)
        x = tf.constant(rng.normal(size=(64, 4)), tf.float32)
        y = x @ tf.constant([[1.0], [-2.0], [0.5], [3.0]])
        w = tf.Variable(rng.normal(size=(4, 8)).astype(np.float32))
        v = tf.Variable(rng.normal(size=(8, 1)).astype(np.float32))

        @tf.function
        def step() -> Any:
            with tf.GradientTape() as tape:
                a, b, c = (tf.cast(t, tf.bfloat16) for t in (x, w, v))
                out = tf.cast(tf.matmul(tf.nn.relu(tf.matmul(a, b)), c), tf.float32)
                loss = tf.reduce_mean((out - y) ** 2)
            for t, g in zip([w, v], tape.gradient(loss, [w, v]), strict=True):
                assert g.dtype == tf.float32
                t.assign_sub(0.02 * g)
            return loss

        return [float(step()) for _ in range(40)]

    mine, wanted = losses(tfpy), losses(tensorflow)
    np.testing.assert_allclose(mine, wanted, rtol=0.05, atol=0.02)
    assert mine[-1] < 0.1 * mine[0]


def test_uint64_random_numbers() -> None:
    def program(tf: Any) -> list[Any]:
        stateless = tf.random.stateless_uniform([5], [1, 2], None, None, tf.uint64)
        generator = tf.random.Generator.from_seed(1)
        return [
            stateless,
            generator.uniform_full_int([3]),
            generator.uniform_full_int([3], tf.uint32),
        ]

    compare(program(tfpy), program(tensorflow), 0, "random")
    with pytest.raises(ValueError, match="unsigned"):
        tfpy.random.stateless_uniform([5], [1, 2], 0, 9, tfpy.uint64)


@pytest.mark.parametrize("module", [tfpy, tensorflow], ids=["tfpy", "tensorflow"])
def test_a_dtype_is_no_tuple(module: Any) -> None:
    assert module.float32 != (tuple, module.float32)


class HasDtype:
    """An object with a dtype that is not an array."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype


@pytest.mark.parametrize("dtype", ["f4", np.int32, np.dtype(bool), "uint8"])
def test_objects_with_dtypes(dtype: Any) -> None:
    given = HasDtype(dtype)
    assert tfpy.as_dtype(given).name == tensorflow.as_dtype(given).name
    with pytest.raises(TypeError):
        tfpy.as_dtype(HasDtype(None))
