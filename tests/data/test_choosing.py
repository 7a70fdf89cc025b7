"""take, skip, repeat, shuffle, shard, cache, zip, concatenate and others, as in TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
from api.same import same
from data.shown import numbers, outcome, shown


def datasets(tf: Any) -> dict[str, Any]:
    data = tf.data.Dataset
    rows = {"a": np.arange(6).reshape(3, 2).astype(np.int32), "b": np.array([1.0, 2.0, 3.0])}
    return {
        "numbers": data.range(7),
        "none": data.range(0),
        "rows": data.from_tensor_slices(rows),
        "pairs": data.from_tensor_slices((rows["a"], (rows["b"], [b"x", b"y", b"z"]))),
        "unknown": data.range(7).filter(lambda x: x % 2 == 0),
        "infinite": data.counter(3, 2),
    }


@same
def test_take(tf: Any) -> Any:
    return [shown(tf, d.take(n)) for d in datasets(tf).values() for n in (0, 2, 9)]


@same
def test_take_all(tf: Any) -> Any:
    return [shown(tf, d.take(-1)) for d in datasets(tf).values()]


@same
def test_skip(tf: Any) -> Any:
    return [shown(tf, d.skip(n), 5) for d in datasets(tf).values() for n in (-1, 0, 2, 9)]


@same
def test_repeat(tf: Any) -> Any:
    counts = (0, 1, 3, None, -1)
    return [shown(tf, d.repeat(n), 17) for d in datasets(tf).values() for n in counts]


@same
def test_shard(tf: Any) -> Any:
    return [shown(tf, d.shard(3, n), 5) for d in datasets(tf).values() for n in range(3)]


@same
def test_counts_are_tensors(tf: Any) -> Any:
    two = tf.constant(2, tf.int64)
    numbers = tf.data.Dataset.range(9)
    found = [numbers.take(two), numbers.skip(two), numbers.repeat(two), numbers.shard(two, 1)]
    return [shown(tf, d) for d in [*found, numbers.batch(two), numbers.enumerate(two)]]


@same
def test_zip(tf: Any) -> Any:
    data, found = tf.data.Dataset, datasets(tf)
    a, b, c = found["numbers"], found["rows"], found["pairs"]
    return [
        shown(tf, d)
        for d in (
            data.zip(a, b),
            data.zip((a, b)),
            data.zip(a),
            data.zip({"x": a, "y": (b, c)}),
            data.zip(datasets=(a, a, found["infinite"])),
            data.zip(a, found["unknown"]),
            data.zip(found["infinite"], a),
        )
    ]


@same
def test_concatenate(tf: Any) -> Any:
    found = datasets(tf)
    data = tf.data.Dataset
    return [
        shown(tf, d, 12)
        for d in (
            found["numbers"].concatenate(data.range(2)),
            found["rows"].concatenate(found["rows"].take(1)),
            found["numbers"].concatenate(found["unknown"]),
            found["infinite"].concatenate(found["numbers"]),
            data.from_tensors([1, 2]).concatenate(data.from_tensors([1, 2, 3])),
            data.from_tensors([1, 2]).concatenate(data.from_tensors([[1]])),
        )
    ]


@same
def test_enumerate(tf: Any) -> Any:
    return [shown(tf, d.enumerate(5), 3) for d in datasets(tf).values()]


@same
def test_cache_and_prefetch(tf: Any) -> Any:
    d = tf.data.Dataset.range(4).shuffle(4, seed=3).cache()
    part = tf.data.Dataset.range(4).cache()
    next(iter(part))
    return [numbers(d), numbers(d), shown(tf, d.prefetch(2)), shown(tf, part)]


@same
def test_unique(tf: Any) -> Any:
    data = tf.data.Dataset
    texts = data.from_tensor_slices([b"a", b"b", b"a"])
    return [shown(tf, d.unique()) for d in (data.range(3).repeat(2), texts)]


@same
def test_iterating_twice(tf: Any) -> Any:
    d = tf.data.Dataset.range(3)
    first, second = iter(d), iter(d)
    return [next(first), next(second), next(first), [next(second), next(first)]]


@same
def test_lengths(tf: Any) -> Any:
    found = datasets(tf)
    return [
        len(found["numbers"]),
        len(found["rows"]),
        outcome(lambda: len(found["unknown"])),
        outcome(lambda: len(found["infinite"])),
        bool(found["none"]),
        found["numbers"] == found["numbers"],
        found["numbers"] == tf.data.Dataset.range(7),
    ]


@same
def test_errors(tf: Any) -> Any:
    data = tf.data.Dataset
    numbers = data.range(4)
    return [
        outcome(call)
        for call in (
            lambda: numbers.take(1.5),
            lambda: numbers.shard(2, 2),
            lambda: numbers.shard(0, 0),
            lambda: numbers.shard(2, -1),
            lambda: numbers.shuffle(0),
            lambda: numbers.concatenate(data.from_tensors(1.0)),
            lambda: numbers.concatenate(data.zip(numbers, numbers)),
            lambda: data.zip([numbers, numbers]),
            lambda: data.zip((numbers, 3)),
            lambda: data.zip(),
            lambda: numbers.apply(lambda d: 3),
        )
    ]


@same
def test_apply_and_options(tf: Any) -> Any:
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 3
    options.experimental_optimization.map_fusion = True
    other = tf.data.Options()
    other.deterministic = True
    d = tf.data.Dataset.range(3).with_options(options).map(lambda x: x + 1).with_options(other)
    found = d.options()
    wrong = error_of_setting(tf)
    return [
        shown(tf, d.apply(lambda d: d.take(2))),
        found.deterministic,
        found.experimental_deterministic,
        found.threading.private_threadpool_size,
        found.experimental_optimization.map_fusion,
        found.autotune.enabled,
        int(found.experimental_distribute.auto_shard_policy),
        tf.data.Options() == tf.data.Options(),
        options == other,
        wrong,
    ]


def error_of_setting(tf: Any) -> str:
    return outcome(lambda: setattr(tf.data.Options(), "speed", 3))


@same
def test_batches_gathered_by_their_indices(tf: Any) -> Any:
    """Gather batches from arrays by indices, as Keras does."""
    data = tf.data.Dataset
    x = np.arange(22).reshape(11, 2).astype(np.float32)

    def batches(indices: Any) -> Any:
        whole = data.from_tensor_slices(tf.reshape(tf.slice(indices, [0], [8]), [2, 4]))
        return whole.concatenate(data.from_tensors(tf.slice(indices, [8], [3])))

    indices = data.range(1).map(lambda _: tf.range(11)[::-1]).prefetch(1).flat_map(batches)
    both = data.zip((indices, data.from_tensors((x, {"y": x[:, 0]})).repeat()))
    return shown(tf, both.map(lambda i, rows: (tf.gather(rows[0], i), tf.gather(rows[1]["y"], i))))
