"""Graphs as messages: export, import, and the functions that change them."""

from __future__ import annotations

import gc
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
        return [*sess.run(list(NAMES), {"x:0": X})]


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
def test_functions_of_imported_graphs(tf: Any) -> Any:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        tf.negative(tf.nn.softmax(x, name="y"), name="z")
    message = graph.as_graph_def()
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(message, name=""), [])
    element = wrapped.graph.as_graph_element
    pruned = wrapped.prune(element("x:0"), {"y": element("y:0"), "z": element("z:0")})

    @tf.function
    def inside(x: Any) -> Any:
        (found,) = tf.import_graph_def(message, {"x:0": x}, ["z:0"])
        return found + pruned(x)["y"]

    given = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(given)
        loss = tf.reduce_sum(pruned(given)["z"][:, 0])
    names = [x.name for x in (*pruned.inputs, *pruned.outputs)]
    return [pruned(given), inside(given), tape.gradient(loss, given), names]


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
    w: Any = np.arange(6, dtype=np.float32).reshape(3, 2)
    momentum = np.zeros([3, 2])
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


def built_model(tf: Any, folder: str) -> None:
    """Write a SavedModel with an asset, a local Variable and a main operation."""
    one = tf.compat.v1
    Path(f"{folder}.txt").write_text("a\nb\n")
    with tf.Graph().as_default(), one.Session() as sess:
        x = one.placeholder(tf.float32, [None, 3], name="x")
        w = one.get_variable("w", [3, 2], initializer=tf.ones_initializer())
        keys = one.GraphKeys.LOCAL_VARIABLES
        local = one.get_variable("local", initializer=1.0, collections=[keys])
        y = tf.add(tf.matmul(x, w), local, name="y")
        asset = tf.constant(f"{folder}.txt", name="asset")
        sess.run(one.global_variables_initializer())
        sess.run(w.assign(np.arange(6).reshape(3, 2)))
        builder = one.saved_model.Builder(folder)
        signature = one.saved_model.predict_signature_def({"x": x}, {"y": y})
        start = one.local_variables_initializer()
        tags, signatures = ["serve", "part"], {"serving_default": signature}
        builder.add_meta_graph_and_variables(sess, tags, signatures, [asset], main_op=start)
        builder.add_meta_graph(["other"], signatures)
        builder.save()


def loaded_model(tf: Any, folder: str) -> list[Any]:
    """Return facts about a SavedModel that is loaded in a session."""
    model, one = tf.compat.v1.saved_model, tf.compat.v1
    with tf.Graph().as_default(), one.Session() as sess:
        message = model.load(sess, ["serve", "part"], folder, import_scope="scope")
        signature = message.signature_def["serving_default"]
        found = model.utils.get_tensor_from_tensor_info(signature.outputs["y"], None, "scope")
        return [
            found.name,
            sess.run(found, {f"scope/{signature.inputs['x'].name}": X}).tolist(),
            [v.name for v in one.global_variables()],
            [one.saved_model.is_valid_signature(signature), signature.method_name],
            [
                model.maybe_saved_model_directory(folder),
                len(message.collection_def["saved_model_assets"].any_list.value),
            ],
            error(lambda: model.loader.load(sess, ["serve"], folder)),
            error(lambda: model.load(sess, ["serve"], "missing")),
            error(lambda: model.Builder(folder)),
        ]


@pytest.mark.parametrize("writer", [tfpy, tensorflow])
def test_saved_models_of_graphs(writer: Any, tmp_path: Path) -> None:
    """Both libraries load the SavedModels of both in a session."""
    folder = str(tmp_path / "model")
    built_model(writer, folder)
    assert loaded_model(tfpy, folder) == loaded_model(tensorflow, folder)
    updater = tfpy.compat.v1.saved_model.signature_def_utils.MethodNameUpdater(folder)
    updater.replace_method_name("serving_default", "changed", ["serve", "part"])
    updater.save()
    assert loaded_model(tensorflow, folder)[3] == [False, "changed"]


def test_session_loads_object_graphs(tmp_path: Path) -> None:
    """A session loads a SavedModel of TensorFlow 2 with Variables and tables."""

    class Model(tensorflow.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.v = tensorflow.Variable([1.0, 2.0])
            pairs = tensorflow.lookup.KeyValueTensorInitializer(["a", "b"], [3.0, 4.0])
            self.table = tensorflow.lookup.StaticHashTable(pairs, 0.0)

        @tensorflow.function(input_signature=[tensorflow.TensorSpec([None, 2])])  # type: ignore[untyped-decorator]
        def call(self, x: Any) -> Any:
            return {"y": x * self.v + self.table.lookup(tensorflow.constant("b"))}

    model = Model()
    tensorflow.saved_model.save(model, str(tmp_path), model.call)
    one = tfpy.compat.v1
    with tfpy.Graph().as_default(), one.Session() as sess:
        message = one.saved_model.load(sess, ["serve"], str(tmp_path))
        signature = message.signature_def["serving_default"]
        found = sess.run(signature.outputs["y"].name, {signature.inputs["x"].name: [[1.0, 1.0]]})
        np.testing.assert_allclose(found, [[5.0, 6.0]])


@same
def test_signatures(tf: Any) -> Any:
    one, utils = tf.compat.v1, tf.compat.v1.saved_model.signature_def_utils
    with tf.Graph().as_default():
        text = one.placeholder(tf.string, [None], name="text")
        x = one.placeholder(tf.float32, [None], name="x")
        sparse = tf.SparseTensor([[0]], tf.identity(x, name="v")[:1], [3])
        info = one.saved_model.build_tensor_info
        found = [
            utils.classification_signature_def(text, text, x),
            utils.classification_signature_def(text, None, x),
            utils.regression_signature_def(text, x),
            utils.predict_signature_def({"a": x}, {"b": text}),
            utils.build_signature_def({"a": info(x)}, None, "method", {"a": tf.constant(1.0)}),
            utils.build_signature_def({"a": info(x)}, {"x": info(x)}, "tensorflow/serving/regress"),
        ]
        return [
            [(sorted(s.inputs), sorted(s.outputs), s.method_name) for s in found],
            [utils.is_valid_signature(s) for s in (*found, None)],
            [info(x).WhichOneof("encoding"), info(sparse).WhichOneof("encoding"), info(x).dtype],
            [error(call) for call in (
                lambda: utils.predict_signature_def({}, {"b": x}),
                lambda: utils.regression_signature_def(x, x),
                lambda: utils.regression_signature_def(None, x),
                lambda: utils.classification_signature_def(text, None, None),
                lambda: utils.classification_signature_def(3, text, None),
            )],
        ]  # fmt: skip


def test_written_graphs_are_freed() -> None:
    def write() -> None:
        with tfpy.Graph().as_default() as graph:
            v = tfpy.compat.v1.get_variable("v", initializer=2.0)
            tfpy.add(v, 1.0, name="y")
            assert "y" in {node.name for node in graph.as_graph_def().node}

    write()
    gc.collect()
    before = tfpy.memory()["numTensors"]
    write()
    gc.collect()
    assert tfpy.memory()["numTensors"] == before
