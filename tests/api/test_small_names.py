"""Small functions that programs use: casts, masks, bits, groups."""

from __future__ import annotations

import time
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import error, same

import tfpy

FLOATS = [3e9, -3e9, 1.7, -1.7, float("inf"), float("-inf")]
KINDS = ("int32", "uint8", "int8", "float16", "float32")


@same
def test_sequence_masks(tf: Any) -> Any:
    return [
        tf.sequence_mask([1, 3, 2], 5),
        tf.sequence_mask([[1, 3], [2, 0]]),
        tf.sequence_mask(3),
        tf.sequence_mask([1, 2], 3, tf.float32),
        tf.sequence_mask([1.5, 2.0], 3),
        tf.sequence_mask(tf.constant([], tf.int32)),
        tf.sequence_mask([1, 2], tf.constant(3)),
        tf.sequence_mask([5, -1], 2),
        tf.function(lambda n: tf.sequence_mask(n, 4))(tf.constant([1, 2])),
        error(lambda: tf.sequence_mask([1], [2, 3])),
    ]


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")  # TensorFlow's own
@same
def test_saturating_casts(tf: Any) -> Any:
    def slope(x: Any, dtype: str) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.saturate_cast(x, dtype)
        return tape.gradient(y, x)

    integers = [(kind, [0, 1, 127, 250 if kind == "uint8" else -5]) for kind in KINDS[:3]]
    return [
        [tf.saturate_cast(tf.constant(FLOATS), kind) for kind in (*KINDS, "uint32")],
        [tf.saturate_cast(tf.constant(v, k), to) for k, v in integers for to in KINDS],
        tf.saturate_cast(tf.constant(300 + 2j, tf.complex64), tf.uint8),
        tf.saturate_cast([300, -4], "uint8"),
        tf.dtypes.saturate_cast(300.7, tf.uint8),
        slope(tf.constant([300.0, -2.0]), "float16"),
        error(lambda: tf.saturate_cast(tf.constant(True), tf.uint8)),
    ]


@same
def test_the_same_bits(tf: Any) -> Any:
    c = tf.constant
    return [
        tf.bitcast(c([1.0, -0.0]), tf.int32),
        tf.bitcast(c([1065353216]), tf.float32),
        tf.bitcast(c(1.0), tf.uint8),
        tf.bitcast(c([[0, 0, 128, 63]], tf.uint8), tf.float32),
        tf.bitcast(c([-1], tf.int8), tf.uint8),
        tf.bitcast(c([-1]), tf.uint32),
        tf.bitcast(c([1.0, 2.0], tf.float16), tf.float32),
        tf.bitcast(c([1.0, 2.0]), tf.complex64),
        tf.bitcast(c([1 + 2j], tf.complex64), tf.int32),
        tf.bitcast([1, 2], tf.int8),
        tf.bitcast(tf.zeros([2, 0]), tf.int32),
        tf.function(lambda x: tf.bitcast(x, tf.int32) + 1)(c([1.0])),
        error(lambda: tf.bitcast(c([[0, 0, 128]], tf.uint8), tf.float32)),
        error(lambda: tf.bitcast(c(True), tf.uint8)),
        error(lambda: tf.bitcast(c("a"), tf.uint8)),
    ]


@same
def test_shifts(tf: Any) -> Any:
    distances = [0, 1, 7, 40, 31, 2]
    kinds = (tf.int32, tf.uint8, tf.int8, tf.uint32)
    numbers = [tf.constant([1, 1, 100, 5, 127, 3], kind) for kind in kinds]
    return [
        [tf.bitwise.left_shift(n, tf.constant(distances, n.dtype)) for n in numbers],
        [tf.bitwise.right_shift(n, tf.constant(distances, n.dtype)) for n in numbers],
        tf.bitwise.left_shift([-5, 3, -1], [1, -1, 31]),
        tf.bitwise.right_shift([-5, 3, -1, -8], [1, -1, 31, 99]),
        tf.bitwise.left_shift([[1], [2]], [1, 2, 3]),
        error(lambda: tf.bitwise.left_shift([1.0], [1.0])),
    ]


@same
def test_lists_and_numbers(tf: Any) -> Any:
    rows = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    return [
        tf.identity_n([1.0, [2, 3]]),
        tf.shape_n([[1.0], [[2, 3]]]),
        tf.math.reciprocal_no_nan([2.0, 0.0, 0.5]),
        tf.math.reciprocal_no_nan(tf.constant([0j, 1j], tf.complex64)),
        tf.scalar_mul(2.0, tf.constant([1.0, 2.0])),
        tf.math.scalar_mul(3, tf.constant([1, 2])),
        tf.scalar_mul(2.0, rows),
        tf.dtypes.cast(1.7, tf.int32),
        tf.dtypes.complex(1.0, 2.0),
        tf.math.special.bessel_i0([1.0]),
        tf.math.special.bessel_i0e([1.0]),
        tf.math.special.bessel_i1([1.0]),
        tf.math.special.bessel_i1e([1.0]),
        error(lambda: tf.identity_n([])),
        error(lambda: tf.scalar_mul([1.0, 2.0], tf.constant([1.0, 2.0]))),
        error(lambda: tf.math.reciprocal_no_nan([2])),
    ]


@same
def test_groups(tf: Any) -> Any:
    v = tf.Variable(1.0)

    @tf.function
    def update() -> Any:
        tf.group(v.assign_add(1.0), tf.no_op())
        return v.read_value()

    return [tf.no_op(), tf.group(tf.constant(1)), tf.group(), update()]


@same
def test_static_values(tf: Any) -> Any:
    seen = []

    def traced(x: Any) -> Any:
        seen.append(tf.get_static_value(x))
        seen.append(tf.get_static_value(tf.shape(x)))
        return x

    tf.function(traced)(tf.constant([1, 2]))
    known = [
        tf.constant([1, 2]),
        tf.constant("a"),
        3,
        np.array([1], np.int32),
        tf.Variable(1.0),
        None,
    ]
    return [[tf.get_static_value(v) for v in known], seen]


def test_timestamps_advance_at_each_call() -> None:
    now = tfpy.function(lambda: tfpy.timestamp())
    first = float(now())
    time.sleep(0.01)  # float32 has a coarse resolution in a process that runs for long
    second = float(now())
    time.sleep(0.01)
    assert 0 < first < second < float(tfpy.timestamp())


@same
def test_volumes_in_groups(tf: Any) -> Any:
    """Compare grouped 3-D convolutions.

    TensorFlow supports them only if they are compiled with XLA.
    """
    rng = np.random.default_rng(2)
    x = tf.constant(rng.normal(size=(2, 4, 5, 4, 6)).astype(np.float32))
    f = tf.constant(rng.normal(size=(2, 3, 2, 2, 9)).astype(np.float32))
    compiled = {} if tf is tfpy else {"jit_compile": True}

    def gradients(strides: int, padding: str) -> Any:
        @tf.function(**compiled)
        def run(x: Any, f: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch([x, f])
                y = tf.nn.conv3d(x, f, [1, strides, strides, strides, 1], padding)
                total = tf.reduce_sum(y * y)
            return [y, *tape.gradient(total, [x, f])]

        return [v / 100.0 for v in run(x, f)]

    return [gradients(1, "VALID"), gradients(2, "SAME")]


X = np.array([[2.0, 1.0], [1.0, 3.0]], np.float32)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    "function",
    [
        lambda tf: tf.linalg.qr(X),
        lambda tf: tf.linalg.lu(X),
        lambda tf: tf.linalg.slogdet(X),
        lambda tf: tf.nn.max_pool_with_argmax(X[None, ..., None], 2, 2, "VALID"),
        lambda tf: tf.quantization.fake_quant_with_min_max_vars_gradient(X, X, 0.0, 2.0),
        lambda tf: tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient(
            X, X, [0.0, 0.0], [1.0, 2.0]
        ),
        lambda tf: tf.unique([3, 1, 3]),
    ],
)
def test_results_have_names(function: Any, compiled: bool) -> None:
    """Check that results are TensorFlow's named tuples, also in compiled functions."""

    @same
    def check(tf: Any) -> Any:
        return tf.function(lambda: function(tf))() if compiled else function(tf)

    check()


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("linalg.einsum", "einsum"),
        ("math.softmax", "nn.softmax"),
        ("math.log_softmax", "nn.log_softmax"),
        ("image.decode_gif", "io.decode_gif"),
        ("image.encode_jpeg", "io.encode_jpeg"),
        ("image.is_jpeg", "io.is_jpeg"),
        *((f"experimental.{n}", f"dtypes.experimental.{n}") for n in dir(tfpy.dtypes.experimental)
          if n[0] in "fiu"),
    ],
)  # fmt: skip
def test_aliases(alias: str, name: str) -> None:
    for lib in (tfpy, tensorflow):
        assert attrgetter(alias)(lib) is attrgetter(name)(lib)


def test_fingerprints_of_saved_models(tmp_path: Path) -> None:
    content = b"\x08\x07\x10\x05\x18\xac\x02\x20\x09\x28\x0b\x32\x03\x08\xac\x02"
    (tmp_path / "fingerprint.pb").write_bytes(content)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "fingerprint.pb").write_bytes(b"\xff\xff")
    found = []
    for lib in (tfpy, tensorflow):
        read = lib.saved_model.experimental.read_fingerprint
        one = read(str(tmp_path))
        hashes = (one.saved_model_checksum, one.signature_def_hash, one.singleprint())
        wrong = [error(lambda p=p, read=read: read(str(tmp_path / p))) for p in ("broken", "no")]
        found.append((hashes, wrong))
    assert found[0] == found[1]
    assert tfpy.saved_model.experimental.read_fingerprint(tmp_path).version == 300


@same
def test_error_numbers(tf: Any) -> Any:
    errors, options = tf.compat.v1.errors, tf.io.TFRecordOptions
    kinds = [errors.exception_type_from_error_code(code) for code in range(1, 17)]
    types = tf.compat.v1.io.TFRecordCompressionType
    return [
        [kind.__name__ for kind in kinds],
        [*map(errors.error_code_from_exception_type, kinds)],
        error(lambda: errors.exception_type_from_error_code(99)),
        [options.get_compression_type_string(options(t)) for t in (types.NONE, types.GZIP)],
    ]


@same
def test_sparse_features(tf: Any) -> Any:
    one = tf.compat.v1
    table = tf.sparse.from_dense([[0, 2, 5], [3, 0, 0]])
    places = [[0, 0], [1, 0], [1, 1], [1, 2]]
    ids = tf.SparseTensor(places, tf.constant([0, 1, 4, 3], tf.int64), [3, 3])
    values = tf.SparseTensor(places, [-3.0, 1.0, 1.0, 4.0], [3, 3])
    return [
        one.sparse.reduce_max_sparse(table, axis=1, keepdims=True),
        one.sparse_reduce_sum_sparse(table, reduction_axes=[0]),
        one.sparse_merge(ids, values, 6),
        one.sparse.merge([ids, ids], values, [6, 7], already_sorted=True),
        error(lambda: one.sparse_merge(3, values, 6)),
        error(lambda: one.sparse_merge([ids], values, 6)),
        error(lambda: one.sparse_merge([ids], values, [6, 7])),
    ]


@same(tolerance=1e-2)
def test_gradients_in_graphs(tf: Any) -> Any:
    test = tf.compat.v1.test
    start = np.array([[1.0, 2.0], [3.0, 0.5]], np.float32)
    with tf.Graph().as_default() as graph, tf.compat.v1.Session():
        x, w = tf.constant(start), tf.constant([1.0, 2.0])
        z = tf.reduce_sum(tf.matmul(x, x)) * w
        pairs = test.compute_gradient([x, w], [[2, 2], [2]], z, [2], [start, np.ones(2, "f")])
        return [
            test.compute_gradient(x, [2, 2], tf.matmul(x, x), [2, 2], start),
            [*map(list, pairs)],
            bool(test.compute_gradient_error(x, [2, 2], z, [2], start) < 0.1),
            test.assert_equal_graph_def(graph.as_graph_def(), graph.as_graph_def()),
            error(lambda: tf.test.assert_equal_graph_def(graph.as_graph_def(), 3)),
        ]


@same
def test_xla_compile(tf: Any) -> Any:
    compiled = tf.xla.experimental.compile
    total = tf.Variable(1.0)

    def in_scope(x: Any) -> Any:
        with tf.xla.experimental.jit_scope():
            return x * 2

    return [
        compiled(lambda: 1.0),
        compiled(lambda x, y: (x, {"a": y + 1}), [1, np.ones(2, np.float32)]),
        compiled(lambda x: x[0] + x[1], [[1, 2]]),
        compiled(lambda x: (x,), [3.0]),
        compiled(lambda x: [x, x * 2], [3.0]),
        compiled(total.assign_add, [2.0]),
        tf.function(lambda x: compiled(lambda a: a * 2, [x]))(tf.constant(2.0)),
        tf.function(in_scope)(tf.constant(2)),
        error(lambda: compiled(lambda x: x, 1.0)),
        error(lambda: in_scope(tf.constant(2))),
    ]


@same
def test_settings_of_the_graph_optimizer(tf: Any) -> Any:
    settings = tf.config.optimizer
    settings.set_jit(True)
    found = [settings.get_jit()]
    settings.set_jit(False)
    settings.set_experimental_options({"constant_folding": True, "unknown": 1})
    return [*found, settings.get_jit(), settings.get_experimental_options()]


@same
def test_settings_of_other_dtypes(tf: Any) -> Any:
    v1 = tf.compat.v1
    array = np.array([[1.0, 2.0], [3.0, 5.0]], np.float16)
    x = tf.constant(array)
    images = tf.reshape(x, [1, 2, 1, 2])
    numbers = np.array([1.0, 2.0])
    found = [
        tf.clip_by_global_norm([x, tf.cast(x, tf.float32)], 4.0, tf.constant(5.0))[0],
        v1.nn.fused_batch_norm(
            images, tf.ones([2]), tf.zeros([2]), numbers, numbers, is_training=False
        )[0],
    ]
    with tf.Graph().as_default(), v1.Session() as sess:
        v, gradient = tf.Variable(array), tf.constant(array)
        for kind in ("Adagrad", "GradientDescent", "RMSProp"):
            optimizer = getattr(v1.train, f"{kind}Optimizer")(tf.constant(0.5))
            step = optimizer.apply_gradients([(gradient, v)])
            sess.run(v1.global_variables_initializer())
            sess.run(step)
            found.append(sess.run(v).astype(np.float32).round(2))
    return found
