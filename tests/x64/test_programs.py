"""The same programs with both modules: 64-bit numbers, with TensorFlow's dtypes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare

import tfpy

PROGRAMS: dict[str, Callable[[Any], Any]] = {}
LOOSE = {"special_functions": 1e-11}
"""XLA's inverse of erf is less accurate near 1."""


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS[function.__name__] = function
    return function


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_tensorflow(name: str, backend: str) -> None:
    for library in (tfpy, tensorflow):
        library.random.set_seed(None)
    mine, wanted = (PROGRAMS[name](library) for library in (tfpy, tensorflow))
    compare(mine, wanted, LOOSE.get(name, 1e-12), name)


def gradient(tf: Any, function: Callable[[Any], Any], x: Any) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return [y, tape.gradient(y, x)]


@program
def values_become_tensors(tf: Any) -> Any:
    big = 2**40
    values: list[Any] = [
        *(big, [big], [1, big], 1, 1.5, True, [1, 2.5], range(3), [], 1j, [1j]),
        *(np.float64(1), [np.float64(1)], [np.float64(1), 1.0], [[1.0], [np.float64(2)]]),
        *([np.array([1.0])], [np.array(1.0)], [np.array([1.0, 2.0]), [1.0, 2.0]], np.array([])),
        *(np.int64(3), [np.int64(1)], [np.array([1])], np.arange(3), [np.complex128(1)]),
    ]
    made = [f(v) for v in values for f in (tf.constant, tf.convert_to_tensor)]
    return [*made, *(tf.Variable(v).read_value() for v in values)]


@program
def means(tf: Any) -> Any:
    kinds = (tf.int8, tf.uint16, tf.int32, tf.int64, tf.uint64, tf.float16, tf.float64)
    rows = [
        tf.RaggedTensor.from_row_lengths(tf.cast([3, 1, 4, 2, 5, 9, 2], kind), [4, 0, 3])
        for kind in kinds
    ]
    return [
        *(tf.reduce_mean(r, axis) for r in rows for axis in (0, 1, None)),
        *(tf.reduce_mean(tf.zeros([0, 2], tf.complex128), axis) for axis in (None, 0, 1)),
    ]


@program
def hashes(tf: Any) -> Any:
    inputs = [tf.constant([["a", "b"], ["c", "d"]]), tf.constant([[1, 2], [-3, 4]])]
    return [tf.sparse.cross_hashed(inputs, n).values for n in (0, 1, 2**31, 2**40, 2**62)]


@program
def numbers_of_python_and_casts(tf: Any) -> Any:
    x, i = tf.constant(1.0), tf.constant(7, tf.int64)
    d = tf.constant([1.5, 2.5], tf.float64)
    no_number = tf.constant([float("nan"), 1e30, -1e30], tf.float64)
    return [
        *(x + np.float64(1), x + np.array([1.0]), d + 1, d * 0.1, 0.1 * d, 1 / d, d**2, d > 2),
        *(i + 2**40, i / 2, tf.constant(3) / 2, i // 2, i % 3, -i, abs(i), tf.constant(3) / 2),
        *(tf.cast(d, kind) for kind in (tf.float32, tf.int32, tf.int64, tf.bool, tf.complex128)),
        *(tf.cast(x, tf.float64), tf.cast(2.0**40 * d, tf.int64), tf.cast(True, tf.int64)),
        *(tf.cast(no_number, tf.int64), tf.cast(no_number, tf.int32), tf.cast(i, tf.float64)),
        *(tf.complex(d, d), tf.abs(tf.complex(d, d)), tf.bitcast(d, tf.int64), tf.as_dtype(9)),
        *(tf.float64, tf.int64, tf.complex128, tf.double, tf.float64.size, tf.float64.max),
        *(tf.saturate_cast(d * 1e30, tf.int32), tf.strings.as_string(i), tf.size(d, tf.int64)),
        *(tf.shape(d, tf.int64), tf.linspace(0, 1, 3), tf.linspace(np.float64(0), 1, 3)),
    ]


@program
def integers_beyond_32_bits(tf: Any) -> Any:
    a = tf.constant([2**40, -(2**35), 3], tf.int64)
    at = tf.constant([[1]], tf.int64)
    ids = tf.constant([0, 0, 1], tf.int64)
    return [
        *(a * 3, a + a, a - 1, a // 7, a % 7, a % -5, tf.truncatediv(a, -7), a > 2**39, a * a),
        *(tf.reduce_sum(a), tf.reduce_max(a), tf.reduce_prod(a[1:]), tf.reduce_mean(a)),
        *(tf.cumsum(a), tf.argsort(a), tf.sort(a), tf.math.top_k(a, 2), tf.reverse(a, [0])),
        *(tf.bitwise.left_shift(a, 1), tf.bitwise.right_shift(a, 3), tf.bitwise.invert(a)),
        *(tf.bitwise.bitwise_and(a, 2**36 - 1), tf.pow(tf.constant(3, tf.int64), 35)),
        *(tf.range(2**40, 2**40 + 3, dtype=tf.int64), tf.range(a[0], 2**40 + 3), tf.unique(a)),
        *(tf.where(a > 0), tf.argmax(a), tf.math.count_nonzero(a), tf.searchsorted(a[2:], a)),
        *(tf.one_hot(ids, 3), tf.gather([1.0, 2.0, 3.0], ids), tf.gather_nd([[1.0], [2.0]], at)),
        *(tf.math.segment_sum(a, ids), tf.math.unsorted_segment_max(a, ids, 2)),
        *(tf.scatter_nd(at, [2**40], [3]), tf.tensor_scatter_nd_add([1.0, 2.0], at, [5.0])),
        *(tf.matmul(a[:, None], a[None, 1:]), tf.tensordot(a, a, 1), tf.clip_by_value(a, -5, 9)),
        *(tf.dynamic_stitch([[0], [1]], [a[:1], a[1:2]]), tf.boolean_mask(a, [True, False, True])),
        *(tf.unravel_index(ids, [2, 2]), tf.math.bincount(ids), tf.constant(2**62, tf.int64) * 4),
    ]


@program
def random_numbers(tf: Any) -> Any:
    seed, shapes = (3, 2**40 + 5), tf.constant([0.5, 1.0, 30.0], tf.float64)
    draw, stateless = tf.random, {"seed": seed, "dtype": tf.float64}
    found = [
        draw.stateless_uniform([7, 3], **stateless),
        draw.stateless_uniform([7], minval=-2, maxval=3, **stateless),
        draw.stateless_normal([9], **stateless),
        draw.stateless_truncated_normal([301], **stateless),
        draw.stateless_gamma([3], alpha=shapes, **stateless),
        draw.stateless_poisson([3], lam=shapes, **stateless),
        draw.stateless_uniform([9], seed, None, None, tf.int64),
        draw.stateless_uniform([9], seed, -5, 2**50, tf.int64),
        draw.stateless_categorical([[0.0, 1.0, 2.0]], 5, seed),
    ]
    draw.set_seed(4)
    found += [
        *(draw.uniform([5], dtype=tf.float64), draw.normal([5], dtype=tf.float64)),
        *(draw.truncated_normal([5], dtype=tf.float64), draw.uniform([5], 0, 2**40, tf.int64)),
        *(draw.uniform([5]), draw.shuffle(tf.range(5)), draw.categorical([[0.0, 1.0]], 4)),
    ]
    generator = draw.Generator.from_seed(3)
    found += [generator.normal([3], dtype=tf.float64), generator.uniform([3], dtype=tf.float64)]
    return [*found, generator.uniform_full_int([3]), generator.uniform([3], 0, 2**40, tf.int64)]


@program
def control_flow_and_variables(tf: Any) -> Any:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float64), tf.TensorSpec([], tf.int64)])
    def total(x: Any, n: Any) -> Any:
        i, found = tf.constant(0, tf.int64), tf.zeros([], tf.float64)
        while i < n:
            if i % 2 == 0:
                found += tf.reduce_sum(tf.sin(x) * tf.cast(i, tf.float64))
            else:
                found -= 1e-9
            i += 1
        return found, i

    x, one = tf.constant(np.linspace(0, 1, 5)), tf.constant(0, tf.int64)
    parts = tf.TensorArray(tf.float64, 3)
    for i in range(3):
        parts = parts.write(i, x[i])
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        squares = v * v
    jacobian = tape.jacobian(squares, v)
    v.assign_add(x)
    v.scatter_nd_update([[0]], [5.0])
    return [
        *(total(x, tf.constant(6, tf.int64)), v.read_value(), jacobian, parts.stack()),
        gradient(tf, lambda x: total(x, tf.constant(6, tf.int64))[0], x),
        *(tf.map_fn(lambda v: v * v, x), tf.scan(lambda a, v: a + v, x)),
        tf.cond(tf.reduce_sum(x) > 1, lambda: x, lambda: -x),
        tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 1.1), [one, x]),
    ]


@program
def matrices(tf: Any) -> Any:
    a = tf.constant(np.random.default_rng(1).normal(size=(4, 4)))
    s = a @ tf.transpose(a) + tf.eye(4, dtype=tf.float64)
    algebra = tf.linalg
    pairs = [
        *((algebra.inv, a), (algebra.det, a)),
        *((algebra.cholesky, s), (algebra.eigvalsh, s), (algebra.slogdet, s)),
        *((lambda x: algebra.solve(x, a), s), (tf.signal.rfft, a), (tf.signal.dct, a)),
    ]
    return [
        *(gradient(tf, function, x) for function, x in pairs),
        *(tf.abs(algebra.qr(a)[1]), algebra.lu(a), algebra.norm(a), algebra.matrix_rank(a)),
        *(algebra.logdet(s), tf.sort(tf.math.real(algebra.eigvals(s))), algebra.eigvals(s).dtype),
        tf.einsum("ij,jk->ik", a, a),
    ]


@program
def special_functions(tf: Any) -> Any:
    m = tf.math
    x = [-7.3, -2.5, -0.7, -0.1, 1e-9, 0.1, 0.3, 0.5, 0.9, 1, 1.5, 2, 3.7, 8, 25, 31, 60, 300]
    x = tf.constant(x, tf.float64)
    u = [1e-300, 1e-20, 1e-5, 0.01, 0.2, 0.49999, 0.5, 0.7, 0.99, 1 - 1e-10, 0, 1, 2]
    u = tf.constant(u, tf.float64)
    unary = [
        *(m.erf, m.erfc, m.lgamma, m.digamma, m.bessel_i0e, m.bessel_i1e, m.sigmoid, m.tanh),
        *(tf.nn.softplus, tf.nn.elu, tf.nn.selu, tf.exp, tf.sin),
    ]
    order, at = tf.range(4, dtype=tf.float64), tf.constant([0.3, 1.2, 4, 20], tf.float64)
    return [
        *(function(x) for function in unary),
        *(m.erfinv(2 * u - 1), m.ndtri(u), m.bessel_i0(x[:16]), m.bessel_i1(x[:16])),
        *(m.zeta(x[9:] + 0.5, x[9:]), m.zeta(at[1:2] * 0 + 3, x[:1]), m.polygamma(order, at)),
        *(m.igamma(x[5:], x[5:] * 1.1), m.igammac(x[5:], x[5:] * 1.1), m.nextafter(x, x + 1)),
        m.betainc(x[5:12], x[5:12] * 2, tf.fill([7], tf.constant(0.4, tf.float64))),
    ]


@program
def datasets(tf: Any) -> Any:
    thirds = tf.data.Dataset.range(2**40, 2**40 + 5).map(lambda i: (i, tf.cast(i, tf.float64) / 3))
    rows = tf.data.Dataset.from_tensor_slices((np.arange(4.0), np.arange(4))).enumerate()
    found = [list(thirds.batch(2)), list(rows.shuffle(4, seed=1).batch(2)), thirds.cardinality()]
    kinds = [spec.dtype for spec in tf.nest.flatten(rows.element_spec)]
    return [*found, kinds, list(tf.data.Dataset.random(seed=1).take(3))]


def test_checkpoints(tmp_path: Path) -> None:
    """Check that each library reads the other's checkpoint."""
    path = str(tmp_path / "saved")
    for saver, reader in ((tfpy, tensorflow), (tensorflow, tfpy)):
        saved, found = (
            {
                "v": lib.Variable(np.array([first]), dtype=lib.float64),
                "i": lib.Variable(i, dtype=lib.int64),
                "z": lib.Variable(lib.constant([1j * first], lib.complex128)),
            }
            for lib, first, i in ((saver, 1 / 3, 2**40), (reader, 0.0, 0))
        )
        saver.train.Checkpoint(**saved).write(path)
        reader.train.Checkpoint(**found).read(path).assert_consumed()
        for name, variable in saved.items():
            assert found[name].dtype.name == variable.dtype.name
            assert found[name].numpy() == variable.numpy()


def test_wrong_dtypes_are_refused() -> None:
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="float64"):
        tfpy.constant([1.0]) + tfpy.constant([1.0], tfpy.float64)
    with pytest.raises(ValueError, match="out of range"):
        tfpy.constant([2**40], tfpy.int32)
