"""Names that programs use next to tensors: versions, averages, coordinators, distances."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from api.same import error, same

import tfpy


@same
def test_versions(tf: Any) -> Any:
    version = tf.version
    return [
        version.VERSION,
        [version.GRAPH_DEF_VERSION, version.GRAPH_DEF_VERSION_MIN_CONSUMER],
        version.GRAPH_DEF_VERSION_MIN_PRODUCER,
        isinstance(version.GIT_VERSION, str) and isinstance(version.COMPILER_VERSION, str),
        tf.sysconfig.get_build_info(),
    ]


def test_the_logger_hides_warnings(caplog: pytest.LogCaptureFixture) -> None:
    logger = tfpy.get_logger()
    logger.setLevel("ERROR")
    try:
        for n in range(8):  # the sixth trace is a warning
            tfpy.function(lambda x: x)(n)
        logger.warning("hidden")
        assert caplog.records == []
    finally:
        logger.setLevel("NOTSET")


@same
def test_types(tf: Any) -> Any:
    types = tf.types.experimental
    f = tf.function(lambda x: x + 1)
    concrete = f.get_concrete_function(tf.constant(1))
    return [
        isinstance(f, types.GenericFunction),
        isinstance(f, types.PolymorphicFunction),
        isinstance(concrete, types.GenericFunction),
        isinstance(len, types.GenericFunction),
        [getattr(tf.AggregationMethod, n) for n in ("DEFAULT", "ADD_N", "EXPERIMENTAL_TREE")],
    ]


@same
def test_critical_sections(tf: Any) -> Any:
    total, section = tf.Variable(1.0), tf.CriticalSection(name="section")

    @tf.function
    def step(x: Any) -> Any:
        section.execute(lambda: total.assign_add(x))
        return section.execute(lambda: total * 2.0)

    found = [section.execute(lambda: total.assign_add(2.0)), step(tf.constant(3.0)), total]
    return [*found, error(lambda: section.execute(3))]


@same
def test_moving_averages(tf: Any) -> Any:
    x, y = tf.Variable([1.0, 2.0], name="x"), tf.Variable(3.0, dtype=tf.float16)
    steps = tf.Variable(0)
    average = tf.train.ExponentialMovingAverage(0.9)
    counted = tf.train.ExponentialMovingAverage(tf.constant(0.99), steps, name="counted")
    found = [average.name, average.average_name(x), average.average(x) is None]
    for n in range(3):
        average.apply([x, y])
        counted.apply([x])
        found += [average.average(x), average.average(y), counted.average(x)]
        x.assign_add([1.0, n])
        y.assign(n)
        steps.assign_add(1)
    inside = tf.train.ExponentialMovingAverage(0.5, name="inside")

    @tf.function
    def step() -> None:
        x.assign_add([1.0, 1.0])
        inside.apply([x])

    step()
    step()
    shadow = average.average(x)
    wrong = [
        error(lambda: average.apply([tf.constant(1.0)])),
        error(lambda: average.apply([tf.Variable(1)])),
    ]
    return [*found, inside.average(x), shadow.trainable, average.average_name(x), wrong]


@same
def test_coordinators(tf: Any) -> Any:
    coordinator = tf.train.Coordinator()
    found = [coordinator.should_stop(), coordinator.wait_for_stop(0.01)]
    turns: list[int] = []

    def work(number: int) -> None:
        with coordinator.stop_on_exception():
            while not coordinator.should_stop():
                turns.append(number)
                if len(turns) > 5:
                    raise ValueError("enough")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for thread in threads:
        coordinator.register_thread(thread)
        thread.start()
    found += [error(lambda: coordinator.join(threads)), coordinator.should_stop()]
    found += [coordinator.joined, error(coordinator.raise_requested_exception)]
    coordinator.clear_stop()
    found += [coordinator.joined, coordinator.should_stop()]
    coordinator.request_stop(tf.errors.OutOfRangeError(None, None, "end"))
    coordinator.request_stop(ValueError("late"))
    coordinator.join()

    def fail() -> None:
        try:
            raise KeyError("a")
        except KeyError as failure:
            coordinator.request_stop(failure)

    return [*found, coordinator.joined, error(fail)]


@same
def test_edit_distances(tf: Any) -> Any:
    sparse = tf.sparse.from_dense
    first = sparse([[1, 2, 3, 4], [5, 6, 0, 0], [0, 0, 0, 0]])
    second = sparse([[1, 3, 3], [0, 0, 0], [0, 0, 0], [7, 0, 0]])
    words = tf.SparseTensor([[0, 0, 0], [1, 0, 1]], ["a", "b"], [2, 1, 1 + 1])
    others = tf.SparseTensor([[0, 0, 0], [0, 0, 1], [1, 0, 0]], ["a", "c", "b"], [2, 2, 2])
    inside = tf.function(lambda x, y: tf.edit_distance(x, y, normalize=False))
    return [
        tf.edit_distance(first, second),
        tf.edit_distance(first, second, normalize=False),
        tf.edit_distance(words, others),
        inside(first, second),
        error(lambda: tf.edit_distance(first, others)),
        error(lambda: tf.edit_distance([[1]], first)),
    ]


@same
def test_fingerprints(tf: Any) -> Any:
    numbers = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    return [
        tf.fingerprint(["a", "b", "longer than that"]),
        tf.fingerprint([["a", "b"], ["", "d"]]),
        tf.fingerprint([["a"], ["b"]]),
        tf.fingerprint(numbers),
        tf.fingerprint(tf.zeros([0, 3])),
        tf.fingerprint(tf.zeros([2, 0])),
        tf.fingerprint(numbers.astype(np.float32)),
        tf.fingerprint(tf.constant([True, False])),
        tf.function(tf.fingerprint)(tf.constant(["a", "b"])),
        error(lambda: tf.fingerprint("a")),
        error(lambda: tf.fingerprint(["a"], "md5")),
    ]
