"""`tf.compat.v1.wrap_function` calls a function once, in a graph from which parts can be cut."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import tensorflow as reference
from api.same import same

import tfpy


@same
def test_functions_are_called_once(tf: Any) -> Any:
    v1, calls = tf.compat.v1, []

    def scaled(x: Any, is_negated: bool) -> Any:
        calls.append(v1.get_variable_scope().name)
        v = v1.get_variable("v", [], initializer=tf.ones_initializer())
        return {"a": -x * v if is_negated else x * v, "b": (x, v + 1.0)}

    f = v1.wrap_function(scaled, [tf.TensorSpec([None], tf.float32), True])
    found = f(tf.constant([1.0, 2.0]))
    names = [v.name for v in f.variables], [x.name for x in f.inputs[:1]]
    empty = v1.wrap_function(lambda: None, [])()
    return found["a"], found["b"], calls, names, f.structured_outputs["a"].shape, empty


@same
def test_only_operations_of_the_result_run(tf: Any) -> Any:
    v1, e, u = tf.compat.v1, tf.Variable(1.0), tf.Variable(1.0)

    def add(x: Any) -> Any:
        u.assign_add(x)
        op = e.assign_add(x, name="increment", read_value=False)
        with tf.control_dependencies([op]):
            return e.read_value() * 2.0, tf.identity(x, "named")

    f = v1.wrap_function(add, [tf.TensorSpec([], tf.float32)])
    found = [e.numpy(), f(tf.constant(2.0)), e.numpy(), u.numpy()]
    pruned = f.prune(f.inputs[0], [f.graph.get_operation_by_name("increment")])
    found += [pruned(tf.constant(5.0)), e.numpy()]
    named = f.prune(f.inputs[0], "named:0")
    found += [named(tf.constant(5.0)), e.numpy()]

    @tf.function
    def outer(x: Any) -> Any:
        return f(x)[0]

    return *found, outer(tf.constant(1.0)), e.numpy()


@same
def test_gradients_of_parts(tf: Any) -> Any:
    v, made = tf.Variable(2.0), []

    def product(z: Any) -> Any:
        made.append(tf.Variable(3.0))
        return tf.identity(v * made[0] * z, "fetch")

    f = tf.compat.v1.wrap_function(product, [tf.TensorSpec([], tf.float32)])
    part = f.prune(f.inputs[:1], f.graph.get_tensor_by_name("fetch:0"))
    x, found = tf.constant(1.0), []
    for call in (f, part):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        found.append([y, tape.gradient(y, [x, v, made[0]])])
    return found


@same
def test_imported_variables(tf: Any) -> Any:
    v1 = tf.compat.v1
    path = f"{tempfile.mkdtemp()}/model"
    with tf.Graph().as_default(), v1.Session() as sess:
        v = tf.Variable(1.5, name="v")
        tf.identity(v + 1.0, name="output")
        sess.run(v.initializer)
        v1.train.Saver([v]).save(sess, path)
        initializer = v.initializer.name

    def imported() -> Any:
        v1.train.import_meta_graph(f"{path}.meta")
        return v1.get_default_graph().get_tensor_by_name("output:0")

    f = v1.wrap_function(imported, [])
    f.prune([], f.graph.as_graph_element(initializer))()
    return f(), [v.numpy() for v in f.graph.variables]


@same
def test_names_that_are_positional_arguments(tf: Any) -> Any:
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="v")
        return [
            tf.add(1.0, 2.0, "three").name,
            tf.reduce_sum([1.0, 2.0], 0, False, "total").name,
            tf.reshape([1.0], [1, 1], "matrix").name,
            v.assign(3.0, False, "written", False).name,
        ]


@same
def test_scopes_of_variables(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        with v1.variable_scope("outer"), v1.variable_scope("inner", reuse=True) as inner:
            pass
        found = []
        with v1.variable_scope("other"):
            for kwargs in ({}, {"auxiliary_name_scope": False}, {"reuse": False}):
                with v1.variable_scope(inner, **kwargs) as scope:
                    c = tf.constant(1.0, name="c")
                    found.append([scope.original_name_scope, bool(scope.reuse), c.name])
            for _ in range(2):
                with v1.variable_scope(None, "layer", auxiliary_name_scope=False) as scope:
                    found.append([scope.original_name_scope, v1.get_variable("w", []).name])
                with v1.variable_scope(inner):
                    pass
        for action in (
            lambda: v1.get_variable("w", [], custom_getter=3),
            lambda: v1.variable_scope("a", auxiliary_name_scope="no").__enter__(),
        ):
            try:
                action()
            except (TypeError, ValueError) as error:
                found.append([type(error).__name__])
    return found


def test_whole_ragged_and_sparse_arguments() -> None:
    """TensorFlow needs the components of such arguments one by one."""
    f = tfpy.compat.v1.wrap_function(
        lambda r, s: (r * 2.0, tfpy.sparse.to_dense(s)),
        [tfpy.RaggedTensorSpec([None, None]), tfpy.SparseTensorSpec([2, 2])],
    )
    dense = [[0.0, 1.0], [2.0, 0.0]]
    doubled, found = f(tfpy.ragged.constant([[1.0], [2.0, 3.0]]), tfpy.sparse.from_dense(dense))
    assert doubled.to_list() == [[2.0], [4.0, 6.0]]
    assert found.numpy().tolist() == dense


def test_savedmodels_contain_wrapped_functions() -> None:
    def scaled(x: Any) -> Any:
        v = tfpy.compat.v1.get_variable("k", initializer=3.0)
        return {"out": x * v}

    module, path = tfpy.Module(), tempfile.mkdtemp()
    spec = tfpy.TensorSpec([None], tfpy.float32, name="x")
    module.f = tfpy.compat.v1.wrap_function(scaled, [spec])
    module.v = list(module.f.variables)
    tfpy.saved_model.save(module, path)
    for tf in (tfpy, reference):
        loaded = tf.saved_model.load(path)
        found = loaded.signatures["serving_default"](tf.constant([1.0, 2.0]))["out"]
        np.testing.assert_array_equal(found.numpy(), [3.0, 6.0])
        np.testing.assert_array_equal(loaded.f(tf.constant([2.0]))["out"].numpy(), [6.0])
