"""Executables: Graphs compiled for the active backend."""

from __future__ import annotations

from typing import Any

import numpy as np
from function.quantizing import QuantizingDevice
from passes.sketch import Sketch

import tfpy as tf
from tfpy._src.functions.executor.executable import Executable
from tfpy._src.functions.executor.execution_hints import Usage
from tfpy._src.functions.executor.regions import Place, cut


def test_what_depends_on_constants_alone_is_computed_at_the_first_call() -> None:
    s = Sketch((300,))
    numbers = s("range", start=0.0, delta=0.01, count=300, dtype=tf.float32)
    run = Executable(s.returns(s("add", 0, s("exp", numbers))))
    for x in (1.0, 2.0):
        (result,) = run.run([tf.fill([300], x)])
        np.testing.assert_allclose(result.numpy(), x + np.exp(np.arange(300) * 0.01), rtol=1e-5)


def test_weights_may_change() -> None:
    s = Sketch((3,), (3,))
    run = Executable(s.returns(s("add", 0, s("exp", 1))), Usage(frozenset((1,))))
    x = tf.constant([1.0, 2.0, 3.0])
    for weight in ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]):
        given = tf.constant(weight)
        for _ in range(2):
            (result,) = run.run([x, given])
            np.testing.assert_allclose(result.numpy(), x.numpy() + np.exp(weight), rtol=1e-6)


def test_one_program_gives_the_outputs_in_the_graphs_order() -> None:
    s = Sketch((3,))
    doubled, raised = s("add", 0, 0), s("exp", 0)
    executable = Executable(s.returns(raised, 0, doubled))
    x = tf.constant([1.0, 2.0, 3.0])
    for _ in range(2):
        results = [t.numpy() for t in executable.run([x])]
        wanted = [np.exp([1.0, 2.0, 3.0]), [1, 2, 3], [2, 4, 6]]
        np.testing.assert_allclose(results, wanted, rtol=1e-6)


def test_regions_give_what_the_graph_does_in_its_order() -> None:
    s = Sketch((3,))
    doubled, raised = s("add", 0, 0), s("exp", 0)
    graph = s.returns(raised, doubled)
    (region,) = cut(graph, lambda eqn: Place.DEVICE)
    assert region.outputs == graph.outputs


def test_values_of_weights_do_not_divide_the_device() -> None:
    """Check that the host computes them first, and other values when they are needed."""
    s = Sketch((3,), (3,))
    graph = s.returns(s("add", s("exp", 0), s("sin", 1)))

    def place(eqn: Any) -> Place:
        return Place.HOST if eqn.op.name == "sin" else Place.DEVICE

    device, host = Place.DEVICE, Place.HOST
    assert [region.place for region in cut(graph, place)] == [device, host, device]
    assert [region.place for region in cut(graph, place, (3,).__contains__)] == [host, device]


def test_what_the_host_makes_of_weights_stays_on_the_device(quantizing: QuantizingDevice) -> None:
    """Check that the host converts int8 weights to int32 and uploads them only after changes.

    The device does not store int8.
    """
    w = tf.Variable(tf.cast(tf.fill([600], 3), tf.int8))

    @tf.function
    def scaled(x: Any) -> Any:
        return x * tf.cast(tf.cast(w, tf.int32), tf.float32)

    x = tf.fill([600], 2.0)
    scaled(x)
    before = quantizing.uploads
    for _ in range(3):
        np.testing.assert_allclose(scaled(x).numpy(), 6.0, rtol=1e-6)
    assert quantizing.uploads == before
    w.assign(tf.cast(tf.fill([600], -4), tf.int8))
    before = quantizing.uploads
    np.testing.assert_allclose(scaled(x).numpy(), -8.0, rtol=1e-6)
    assert quantizing.uploads == before + 1
