"""Input pipelines of TensorFlow 1: queues in graphs, runners, batches and readers."""

from __future__ import annotations

import gc
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from api.same import same

import tfpy


def run_all(tf: Any, sess: Any, fetch: Any, most: int = 30) -> list[Any]:
    """Return the results of runs until the end of the input."""
    found = []
    for _ in range(most):
        try:
            found.append(sess.run(fetch))
        except tf.errors.OutOfRangeError:
            found.append("end")
            break
    return found


def started(tf: Any, sess: Any) -> Any:
    coord = tf.train.Coordinator()
    sess.run(tf.compat.v1.local_variables_initializer())
    sess.run(tf.compat.v1.global_variables_initializer())
    return coord, tf.compat.v1.train.start_queue_runners(sess, coord)


def stopped(coord: Any, threads: Any) -> None:
    coord.request_stop()
    coord.join(threads)


@same
def test_queues_in_graphs(tf: Any) -> Any:
    one = tf.compat.v1
    found = []
    with tf.Graph().as_default() as graph:
        x, n = one.placeholder(tf.float32, []), one.placeholder(tf.int32, [])
        queue = one.FIFOQueue(10, tf.float32, shapes=[[]])
        add, many = queue.enqueue(x), queue.enqueue_many([[1.0, 2.0, 3.0]])
        take, two, some = queue.dequeue(), queue.dequeue_many(2), queue.dequeue_up_to(n)
        size, closed, close = queue.size(), queue.is_closed(), queue.close()
        with tf.control_dependencies([add]):
            after = queue.dequeue()
        found += [add.name, queue.name, take.name, str(two.shape), str(some.shape)]
        for _ in range(2):  # each session has its own elements
            with one.Session(graph=graph) as sess:
                sess.run(add, {x: 7.0})
                found += [sess.run(after, {x: 8.0}), sess.run(size), sess.run(take)]
                sess.run(many)
                found += [sess.run(two), sess.run(many), sess.run(some, {n: 3}), sess.run(closed)]
                sess.run(close)
                found += [sess.run(closed), sess.run(some, {n: 3})]
                for fetch, error in ((take, tf.errors.OutOfRangeError),
                                     (add, tf.errors.CancelledError)):  # fmt: skip
                    with pytest.raises(error):
                        sess.run(fetch, {x: 1.0})
    return found


@same
def test_kinds_of_queues_in_graphs(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default(), one.Session() as sess:
        padding = one.PaddingFIFOQueue(5, tf.int32, shapes=[[None]])
        first = one.PriorityQueue(5, [tf.string], shapes=[[]])
        named = one.FIFOQueue(5, [tf.int32, tf.string], [[], []], names=["a", "b"])
        sess.run([padding.enqueue([[1, 2]]), first.enqueue_many(([2, 1], ["x", "y"]))])
        sess.run([padding.enqueue([[3]]), named.enqueue({"a": 1, "b": "z"})])
        return [sess.run(padding.dequeue_many(2)).tolist(), sess.run(first.dequeue())[1],
                sess.run(named.dequeue())]  # fmt: skip


@same
def test_producers(tf: Any) -> Any:
    train = tf.compat.v1.train
    found = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        fetches = [
            train.limit_epochs(tf.constant("a"), 2),
            train.input_producer([[1, 2], [3, 4]], num_epochs=2, shuffle=False).dequeue(),
            train.string_input_producer(["a", "b"], 2, shuffle=False).dequeue_many(2),
            train.range_input_producer(3, 1, shuffle=False).dequeue(),
            train.slice_input_producer([["a", "b"], [[1], [2]]], 2, shuffle=False),
        ]
        coord, threads = started(tf, sess)
        found += [run_all(tf, sess, fetch) for fetch in fetches]
        stopped(coord, threads)
    return found


@same
def test_batches(tf: Any) -> Any:
    train = tf.compat.v1.train
    found = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:

        def row() -> Any:
            (value,) = train.slice_input_producer([list(range(7))], 1, shuffle=False)
            return tf.reshape(value, [])

        parts = [row() for _ in range(7)]
        sparse = tf.SparseTensor([[0]], tf.reshape(parts[3], [1]), [2])
        fetches = [
            train.batch([parts[0]], 3),
            train.batch({"x": parts[1], "y": "text"}, 3, allow_smaller_final_batch=True),
            train.batch([tf.range(parts[2])], 3, dynamic_pad=True, shapes=[[None]]),
            train.batch([sparse, 2.0], 2),
            train.maybe_batch([parts[4]], parts[4] % 2 < 1, 2),
            train.batch([tf.stack([parts[5], parts[5]])], 4, enqueue_many=True),
            train.maybe_batch([tf.stack([parts[6], parts[6] + 10])], tf.stack([parts[6] > 3, True]),
                              3, enqueue_many=True),
        ]  # fmt: skip
        coord, threads = started(tf, sess)
        for fetch in fetches:
            for values in run_all(tf, sess, fetch):
                for x in tf.nest.flatten(values):
                    sparse_value = hasattr(x, "dense_shape")
                    found += [np.asarray(y) for y in x] if sparse_value else [np.asarray(x)]
        stopped(coord, threads)
    return found


@same
def test_shuffled_and_joined_batches(tf: Any) -> Any:
    train = tf.compat.v1.train
    found = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        rows = [train.range_input_producer(6, 1, seed=i).dequeue() for i in range(5)]
        fetches = [
            train.shuffle_batch([rows[0]], 3, 20, 3, num_threads=2, seed=1),
            train.shuffle_batch_join([[rows[1]], [rows[2]]], 4, 20, 3),
            train.batch_join([[rows[3]], [rows[4]]], 4, allow_smaller_final_batch=True),
        ]
        coord, threads = started(tf, sess)
        for fetch in fetches:
            batches = run_all(tf, sess, fetch)
            found += [sorted(np.concatenate(batches[:-1]).tolist()), batches[-1]]
        stopped(coord, threads)
    return found


@same
def test_readers(tf: Any) -> Any:
    folder = Path(tempfile.mkdtemp())
    one, train = tf.compat.v1, tf.compat.v1.train
    found = []
    for i in range(2):
        (folder / f"{i}.txt").write_bytes(b"head\na%d\r\nbc" % i)
        with tf.io.TFRecordWriter(str(folder / f"{i}.rec")) as writer:
            for size in (1, 2):
                writer.write(b"r" * size)
    with tf.Graph().as_default(), one.Session() as sess:

        def files(ending: str) -> Any:
            names = [str(folder / f"{i}.{ending}") for i in range(2)]
            return train.string_input_producer(names, 1, shuffle=False)

        lines = one.TextLineReader(skip_header_lines=1)
        records = one.TFRecordReader()
        reads = [
            lines.read(files("txt")),
            records.read(files("rec")),
            one.WholeFileReader().read(files("txt")),
            one.IdentityReader().read(files("txt")),
            one.FixedLengthRecordReader(5, header_bytes=1, footer_bytes=5).read(files("txt")),
            one.TFRecordReader().read_up_to(files("rec"), 3),
        ]
        numbers = [lines.num_records_produced(), records.num_work_units_completed()]
        coord, threads = started(tf, sess)
        for read in reads:
            for record in run_all(tf, sess, read):
                parts = np.asarray(record, object).ravel().tolist()
                found += [str(x).replace(str(folder), "") for x in parts]
        found += [int(x) for x in sess.run(numbers)]
        stopped(coord, threads)
    with pytest.raises(RuntimeError, match="eager"):
        one.TextLineReader()
    return found


@same
def test_a_failing_source(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default(), one.Session() as sess:
        queue = one.FIFOQueue(10, tf.float32, shapes=[[]])
        checked = tf.debugging.check_numerics(
            tf.constant(1.0) / one.placeholder_with_default(0.0, []), "no"
        )
        one.train.add_queue_runner(one.train.QueueRunner(queue, [queue.enqueue(checked)]))
        taken = queue.dequeue()
        coord = tf.train.Coordinator()
        threads = one.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(taken)
        with pytest.raises(tf.errors.InvalidArgumentError):
            coord.join(threads)
    return True


def test_refusals() -> None:
    one = tfpy.compat.v1
    with tfpy.Graph().as_default():
        x = one.placeholder(tfpy.float32)
        with pytest.raises(ValueError, match="Cannot infer Tensor's rank"):
            one.train.batch([x], 2)
        with pytest.raises(ValueError, match="Must provide queue"):
            one.train.QueueRunner()
        with pytest.raises(ValueError, match="No default session"):
            one.train.start_queue_runners()
        with pytest.raises(TypeError, match="queue of a graph"):
            one.WholeFileReader().read(x)


@same
def test_records_of_growing_files(tf: Any) -> Any:
    folder = Path(tempfile.mkdtemp())
    path, found = str(folder / "grows"), []
    writer = tf.io.TFRecordWriter(path)
    writer.write(b"one")
    writer.flush()
    records = tf.compat.v1.io.tf_record_iterator(path)
    found += [next(records), next(records, None)]
    writer.write(b"two")
    writer.close()
    found += [next(records), next(records, None)]
    options = tf.io.TFRecordOptions(
        tf.io.TFRecordOptions(tf.compat.v1.io.TFRecordCompressionType.GZIP)
    )
    with tf.io.TFRecordWriter(path, options) as writer:
        writer.write(b"packed")
    return [*found, *tf.compat.v1.io.tf_record_iterator(path, options)]


def test_a_graph_with_a_pipeline_is_freed() -> None:
    def run() -> weakref.ref[Any]:
        with tfpy.Graph().as_default() as graph, tfpy.compat.v1.Session() as session:
            (row,) = tfpy.compat.v1.train.slice_input_producer([[1, 2, 3]], shuffle=False)
            both = tfpy.compat.v1.train.batch([row], 2)
            tfpy.compat.v1.train.start_queue_runners()
            assert session.run(both).tolist() == [1, 2]
            return weakref.ref(graph)

    freed = run()
    gc.collect()
    assert freed() is None
