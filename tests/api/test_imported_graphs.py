"""Graphs as messages: export, import, and the functions that change them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import error, same

import tfpy

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def built(tf: Any) -> Any:
    """Return a graph with Variables, slices, sizes and control flow."""
    one = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = one.placeholder(tf.float32, [None, 3], name="x")
        with one.variable_scope("layer"):
            w = one.get_variable("w", initializer=np.eye(3, 2, dtype=np.float32))
            b = one.get_variable("b", [2], initializer=tf.zeros_initializer())
        h = tf.nn.relu(tf.matmul(x, w) + b, name="h")
        tf.reshape(h, [tf.shape(h)[0] * 2], name="r")
        tf.split(h, 2, axis=1, name="parts")
        tf.identity(h[:1, ..., None, -1], name="slice")
        tf.identity(tf.cond(tf.reduce_sum(h) > 0, lambda: h + 1.0, lambda: h), name="c")
        loop = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), [0, h])
        tf.identity(loop[1], name="loop")
        rows = tf.nn.embedding_lookup(w, [2, 0])
        tf.add(rows, tf.reduce_mean(h, axis=0, keepdims=True), name="y")
        w.assign(w * 2.0)
        one.global_variables_initializer()
    return graph


NAMES = ("h:0", "r:0", "parts:1", "slice:0", "c:0", "loop:0", "y:0")


def values(tf: Any, data: bytes) -> list[Any]:
    """Return the values of an imported graph."""
    message = tf.compat.v1.GraphDef.FromString(data)
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        tf.import_graph_def(message, name="")
        sess.run("init")
        return sess.run(list(NAMES), {"x:0": X})


def test_each_library_runs_graphs_of_the_other() -> None:
    """A message has the same values in both libraries, also after it was exported again."""
    wanted = values(tensorflow, built(tensorflow).as_graph_def().SerializeToString())
    ours = built(tfpy).as_graph_def().SerializeToString()
    theirs = built(tensorflow).as_graph_def().SerializeToString()
    with tfpy.Graph().as_default() as graph:
        tfpy.import_graph_def(tfpy.compat.v1.GraphDef.FromString(theirs), name="")
    again = graph.as_graph_def().SerializeToString()
    for library, data in (
        (tfpy, ours),
        (tensorflow, ours),
        (tfpy, theirs),
        (tensorflow, again),
    ):
        for one, other in zip(values(library, data), wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)


@same
def test_import_graph_def(tf: Any) -> Any:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        y = tf.nn.relu(x - 1.0, name="y")
        tf.nn.top_k(y, 2, name="top")
    message = graph.as_graph_def()
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as sess:
        kept = tf.graph_util.import_graph_def(message, return_elements=["y", "top:1"])
        given = {"x:0": tf.constant(X)}
        with tf.name_scope("scope"):
            (z,) = tf.import_graph_def(message, given, ["y:0"], name="given")
        (slope,) = tf.gradients(z, [graph.get_operation_by_name("scope/given/y").inputs[0]])
        tf.import_graph_def(message, name="")
        tf.import_graph_def(message, name="")
        return [
            [kept[0].name, kept[0].type, kept[1].name, kept[1].shape, kept[1].dtype],
            [z.name, z.shape, sess.run(z), sess.run(slope)],
            sess.run(kept[1], {"import/x:0": X}),
            sess.run("y_1:0", {"x_1:0": X}),
            kept[0].get_attr("T"),
            kept[0].node_def.op,
        ]


@same
def test_import_errors(tf: Any) -> Any:
    message = tf.compat.v1.GraphDef()
    message.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    found = []
    for arguments in (
        {"graph_def": 3},
        {"graph_def": message, "input_map": {"z:0": 1.0}},
        {"graph_def": message, "input_map": 5},
        {"graph_def": message, "return_elements": ["z"]},
        {"graph_def": message, "return_elements": [3]},
    ):
        with tf.Graph().as_default():
            try:
                tf.import_graph_def(**arguments)
            except (TypeError, ValueError) as error:
                found.append(type(error).__name__)
    return found


@same
def test_graph_util(tf: Any) -> Any:
    one, util = tf.compat.v1, tf.compat.v1.graph_util
    with tf.Graph().as_default(), one.Session() as sess:
        x = one.placeholder(tf.float32, [None, 3], name="x")
        w = tf.Variable(np.ones([3, 2], np.float32), name="w")
        table = tf.Variable(X, name="table")
        y = tf.identity(tf.matmul(x, w), name="copy") + tf.reduce_sum(tf.gather(table, [1]))
        tf.negative(y, name="y")
        sess.run(one.global_variables_initializer())
        frozen = util.convert_variables_to_constants(sess, sess.graph_def, ["y"])
        partly = util.convert_variables_to_constants(
            sess, sess.graph_def, ["y"], variable_names_blacklist=["w"]
        )
    kinds = {node.name: node.op for node in partly.node}
    lean = util.remove_training_nodes(frozen, ["y"])
    with tf.Graph().as_default() as graph, one.Session() as sess:
        tf.import_graph_def(lean, name="")
        return [
            sorted({node.op for node in frozen.node}),
            [kinds["w"], kinds["table"]],
            sess.run("y:0", {"x:0": X}),
            util.tensor_shape_from_node_def_name(graph, "w"),
            util.must_run_on_cpu(graph.get_operation_by_name("w")),
            [node.name for node in util.extract_sub_graph(frozen, ["w"]).node],
            "copy" in [node.name for node in lean.node],
        ]


def trained(tf: Any, folder: str) -> None:
    """Save a graph with collections and a training step."""
    one = tf.compat.v1
    with tf.Graph().as_default(), one.Session() as sess:
        x = one.placeholder(tf.float32, [None, 3], name="x")
        w = one.get_variable("w", [3, 2], initializer=tf.ones_initializer())
        tf.Variable(0, trainable=False, name="n")
        y = tf.matmul(x, w, name="y")
        loss = tf.reduce_mean(tf.square(y))
        one.add_to_collection("out", y)
        one.add_to_collection("step", one.train.MomentumOptimizer(0.1, 0.9).minimize(loss))
        one.add_to_collection("numbers", 3)
        sess.run(one.global_variables_initializer())
        sess.run(w.assign(np.arange(6).reshape(3, 2)))
        one.train.Saver(max_to_keep=3).save(sess, f"{folder}/model", global_step=7)


def continued(tf: Any, folder: str) -> list[Any]:
    """Return values of a graph that is loaded and trained."""
    one = tf.compat.v1
    with tf.Graph().as_default(), one.Session() as sess:
        saver = one.train.import_meta_graph(f"{folder}/model-7.meta")
        saver.restore(sess, one.train.latest_checkpoint(folder))
        found = [sess.run("y:0", {"x:0": X})]
        for _ in range(2):
            sess.run(one.get_collection("step"), {"x:0": X})
        return [
            *found,
            *sess.run(one.trainable_variables()),
            sorted(v.name for v in one.global_variables())[-1],
            [one.get_collection("out")[0].name, one.get_collection("numbers")],
        ]


@pytest.mark.parametrize("writer", [tfpy, tensorflow])
@pytest.mark.parametrize("reader", [tfpy, tensorflow])
def test_meta_graphs(writer: Any, reader: Any, tmp_path: Path) -> None:
    """A program continues the training of a graph that either library has saved."""
    trained(writer, str(tmp_path))
    files = {path.name for path in tmp_path.iterdir()}
    assert "model-7.meta" in files
    step = 2 * 0.1
    w = np.arange(6, dtype=np.float32).reshape(3, 2)
    momentum = np.zeros_like(w)
    first = X @ w
    for _ in range(2):
        momentum = 0.9 * momentum + X.T @ (X @ w) * step / 4
        w = w - momentum
    y, found, name, collections = continued(reader, str(tmp_path))
    np.testing.assert_allclose(y, first)
    np.testing.assert_allclose(found, w, rtol=1e-4)
    assert (name, collections) == ("w:0", ["y:0", [3]])


@same
def test_import_meta_graph_with_scope(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default():
        v = tf.Variable(2.0, name="v")
        one.add_to_collection("y", tf.square(v, name="y"))
        message = one.train.export_meta_graph()
    with tf.Graph().as_default(), one.Session() as sess:
        saver = one.train.import_meta_graph(message, import_scope="part")
        sess.run(one.global_variables_initializer())
        return [
            type(saver).__name__,
            [v.name for v in one.global_variables()],
            sess.run(one.get_collection("y")),
            sorted(message.collection_def),
            error(lambda: one.train.import_meta_graph("missing.meta")),
        ]
