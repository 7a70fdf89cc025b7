"""Devices, name scopes and flags of `tf.Graph` are the same as in TensorFlow."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as reference
from api.same import same

import tfpy


def error(action: Callable[[], Any]) -> str:
    """Return the name of the built-in class of an error."""
    try:
        action()
    except (ValueError, RuntimeError, TypeError) as found:
        kinds = (ValueError, TypeError, RuntimeError)
        return next(kind.__name__ for kind in kinds if isinstance(found, kind))
    return "no error"


@same
def test_devices(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        a = v1.placeholder(tf.float32, name="a")
        with tf.device("/job:worker/gpu:1"):
            b = tf.constant(1.0, name="b")
            v = v1.get_variable("v", [2])
            found = [a.device, b.device, v.device, v.op.device, v.initializer.device]
            for name in ("/cpu:0", "/job:ps/task:2", None, tf.DeviceSpec(device_type="TPU")):
                with tf.device(name):
                    found.append(tf.identity(b).op.device)
            with v1.device(lambda op: "/cpu:3" if op.type == "Identity" else op.device):
                found += [tf.identity(b).device, tf.negative(b).device]
        with graph.device(lambda op: "/job:x"), graph.device("/gpu:0"):
            found.append(tf.identity(b).device)
        nodes = {node.name: node.device for node in graph.as_graph_def().node}
    return found, nodes["a"], nodes["b"]


@same
def test_colocation(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        with tf.device("/cpu:1"):
            a = tf.constant(1.0, name="a")
        with tf.device("/gpu:0"), graph.colocate_with(a.op):
            b = tf.identity(a, name="b")
            with v1.colocate_with(b):
                c = tf.identity(b, name="c")
            with graph.colocate_with(None, ignore_existing=True):
                d = tf.identity(b, name="d")
        found = [[x.op.device, x.op.colocation_groups()] for x in (a, b, c, d)]
        refused = error(lambda: graph.colocate_with(None).__enter__())
    return found, refused


@same
def test_devices_of_imported_operations(tf: Any) -> Any:
    message = tf.compat.v1.GraphDef()
    message.node.add(name="c", op="NoOp", device="/job:w")
    message.node.add(name="d", op="NoOp")
    with tf.Graph().as_default() as graph:
        with tf.device("/gpu:1"):
            tf.import_graph_def(message, name="")
        tf.import_graph_def(message, name="more")
    return [op.device for op in graph.get_operations()]


@same
def test_name_scopes(tf: Any) -> Any:
    graph = tf.Graph()
    found: list[Any] = []

    def entered(name: Any) -> None:
        graph.name_scope(name).__enter__()

    with graph.as_default():
        for _ in range(2):
            with graph.name_scope("x") as scope:
                found += [scope, tf.constant(1.0, name="i").name, graph.get_name_scope()]
        with graph.name_scope("x/") as scope:
            found += [scope, tf.constant(1.0, name="i").name]
            with graph.name_scope(None) as empty:
                found += [empty, tf.constant(1.0, name="i").name]
            with graph.name_scope("-z") as inner:
                found.append(inner)
        with tf.name_scope("t"), tf.name_scope("u"):
            found.append(graph.get_name_scope())
        found += [error(functools.partial(entered, n)) for n in ("-z", "a b", 3)]
    with graph.name_scope("outside") as scope:
        found.append(scope)
    return found


@same
def test_flags(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph, v1.Session() as session:
        a, b = v1.placeholder(tf.float32, []), tf.constant(2.0)
        before = graph.version
        c = a + b
        found = [graph.version > before, graph.is_feedable(a), graph.is_fetchable(c)]
        found.append(float(session.run(c, {a: 1.0})))
        graph.prevent_feeding(a)
        graph.prevent_fetching(c.op)
        found += [graph.is_feedable(a), graph.is_fetchable(c), graph.is_fetchable(c.op)]
        found += [error(lambda: session.run(b, {a: 1.0})), error(lambda: session.run(c, {b: 1.0}))]
    return found


@pytest.mark.parametrize("lib", [tfpy, reference], ids=["tfpy", "tensorflow"])
def test_functions_outside_of_graphs(lib: Any) -> None:
    for device in (lib.device, lib.compat.v1.device):
        with pytest.raises(RuntimeError, match="does not support functions"):
            device(lambda op: "/cpu:0").__enter__()
    with lib.compat.v1.device("/cpu:0"):
        assert float(lib.constant(1.0) + 1.0) == 2.0


def _in_turns(count: int, run: Callable[[int, Callable[[], None]], None]) -> None:
    """Run threads that all enter contexts before the first one continues."""
    entered = [threading.Event() for _ in range(count)]
    resumed = [threading.Event() for _ in range(count)]

    def pause(i: int) -> None:
        entered[i].set()
        resumed[i].wait(10)

    threads = [
        threading.Thread(target=run, args=(i, functools.partial(pause, i))) for i in range(count)
    ]
    for thread, event in zip(threads, entered, strict=True):
        thread.start()
        event.wait(10)
    for thread, event in zip(threads, resumed, strict=True):
        event.set()
        thread.join()


@same
def test_contexts_of_threads(tf: Any) -> Any:
    graph, found = tf.Graph(), {}
    with graph.as_default(), graph.device("/job:ps"), graph.control_dependencies([tf.no_op("n")]):
        graph.switch_to_thread_local()

        def run(i: int, pause: Callable[[], None]) -> None:
            with graph.as_default():
                outer = tf.no_op(name=f"outer{i}")
                with graph.device(f"/job:worker/replica:{i}"), graph.control_dependencies([outer]):
                    pause()
                    inner = tf.no_op(name=f"inner{i}")
                for op in (outer, inner):
                    found[op.name] = op.device, [x.name for x in op.control_inputs]

        _in_turns(3, run)
        return sorted(found.items()), tf.no_op(name="last").device


@same
def test_variable_scopes_of_threads(tf: Any) -> Any:
    v1, found = tf.compat.v1, {}
    with tf.Graph().as_default() as graph, v1.variable_scope("main") as main:

        def run(i: int, pause: Callable[[], None]) -> None:
            with graph.as_default():
                with v1.variable_scope("shared"):
                    pause()
                    refused = error(lambda: v1.get_variable("v", []))
                with v1.variable_scope(f"own{i}"), v1.variable_scope(None, "a") as scope:
                    own = v1.get_variable("v", []).name
                with v1.variable_scope(main):
                    inner = v1.get_variable(f"v{i}", []).name
            found[i] = refused, own, scope.name, inner

        _in_turns(3, run)
        return sorted(found.items()), v1.get_variable_scope().name
