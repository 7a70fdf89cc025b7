"""``tf.queue``: order, padding, names and errors of queues, in eager code and in functions."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from api.same import error, same

import tfpy


@same
def test_order(tf: Any) -> Any:
    q = tf.queue.FIFOQueue(3, [tf.int32, tf.float32], shapes=[[], [2]])
    q.enqueue((1, [1.0, 2.0]))
    q.enqueue_many(([2, 3], [[3.0, 4.0], [5.0, 6.0]]))
    found = [q.size(), q.dequeue(), q.dequeue_many(2), q.dequeue_many(0), q.is_closed()]
    found += [q.dtypes, q.shapes, q.names]
    errors = [
        error(lambda: q.enqueue(1)),
        error(lambda: q.enqueue((1, [1.0, 2.0, 3.0]))),
        error(lambda: q.enqueue((1.5, [1.0, 2.0]))),
        error(lambda: q.enqueue_many((1, [1.0]))),
        error(lambda: q.enqueue({"a": 1})),
        error(lambda: q.dequeue_many(-1)),
    ]
    q.enqueue((4, [0.0, 0.0]))
    q.close()
    errors += [error(lambda: q.enqueue((1, [1.0, 2.0]))), error(lambda: q.dequeue_many(2))]
    found += [q.is_closed(), q.dequeue_up_to(5)]
    errors += [error(q.dequeue), error(lambda: q.dequeue_up_to(2))]
    return [*found, errors]


@same
def test_other_queues(tf: Any) -> Any:
    free = tf.queue.FIFOQueue(5, tf.int32)
    free.enqueue(5)
    free.enqueue_many([[[1, 2], [3, 4]]])
    found = [free.dequeue(), free.dequeue(), error(lambda: free.dequeue_many(1)), str(free.shapes)]
    named = tf.queue.FIFOQueue(4, [tf.int32, tf.string], shapes=[[], []], names=["a", "b"])
    named.enqueue({"a": 1, "b": "x"})
    named.enqueue_many({"a": [1, 2], "b": ["x", "y"]})
    found += [named.dequeue(), named.dequeue_many(2)]
    found += [error(lambda: named.enqueue((1, "x"))), error(lambda: named.enqueue({"a": 1}))]
    padding = tf.queue.PaddingFIFOQueue(5, [tf.int32, tf.string], shapes=[[None], [2, None]])
    padding.enqueue(([1, 2, 3], [["a"], ["b"]]))
    padding.enqueue(([4], [["c", "d"], ["e", "f"]]))
    padding.enqueue(([5, 6], [["g"], ["h"]]))
    found += [padding.dequeue_many(2), padding.dequeue()]
    priority = tf.queue.PriorityQueue(9, [tf.string], shapes=[[]])
    priority.enqueue_many((tf.constant([3, 1, 2], tf.int64), ["c", "a", "b"]))
    found += [priority.dequeue(), priority.dequeue_many(2)]
    queues = [free, tf.queue.FIFOQueue(1, tf.int32)]
    queues[1].enqueue(7)
    found.append(tf.queue.QueueBase.from_list(1, queues).dequeue())
    return [*found, isinstance(free, tf.queue.QueueBase)]


@same
def test_random_order(tf: Any) -> Any:
    found = []
    for seed in (None, 4):
        tf.random.set_seed(seed)
        q = tf.queue.RandomShuffleQueue(20, 3, tf.int32, shapes=[[]], seed=3)
        q.enqueue_many([list(range(20))])
        found += [q.dequeue_many(10), q.dequeue(), q.dequeue_many(6)]
        q.close()
        found += [q.dequeue_up_to(9), error(q.dequeue)]
    return found


@same
def test_functions(tf: Any) -> Any:
    q = tf.queue.FIFOQueue(5, tf.int32, shapes=[[]])

    @tf.function
    def step(x: Any) -> Any:
        q.enqueue(x)
        q.enqueue_many([[x + 1, x + 2]])
        return q.dequeue() + q.size() * 10, q.dequeue_many(2)

    return [step(tf.constant(3)), step(tf.constant(4)), q.size()]


@pytest.mark.parametrize(
    "case",
    [
        lambda tf: tf.queue.PaddingFIFOQueue(5, [tf.int32], shapes=None),
        lambda tf: tf.queue.FIFOQueue(3, [tf.int32], shapes=[[], []]),
        lambda tf: tf.queue.FIFOQueue(3, [tf.int32], names=["a", "b"]),
        lambda tf: tf.queue.QueueBase.from_list(0, [3]),
    ],
)
def test_errors(case: Any) -> None:
    import tensorflow

    assert error(lambda: case(tfpy)) == error(lambda: case(tensorflow)) != "none"


def test_waiting_for_threads() -> None:
    q = tfpy.queue.FIFOQueue(1, tfpy.int32, shapes=[[]])
    found: list[int] = []
    reader = threading.Thread(target=lambda: found.extend(int(q.dequeue()) for _ in range(3)))
    reader.start()
    for number in range(3):
        q.enqueue(number)
    reader.join()
    assert found == [0, 1, 2]


def test_nothing_to_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    q = tfpy.queue.FIFOQueue(1, tfpy.int32, shapes=[[]])
    with pytest.raises(tfpy.errors.ResourceExhaustedError, match="too short"):
        q.dequeue()
    q.enqueue(1)
    with pytest.raises(tfpy.errors.ResourceExhaustedError, match="full"):
        q.enqueue(2)
