"""The graphs of concrete functions, which programs inspect."""

from __future__ import annotations

from typing import Any

import pytest
from api.same import error, same

import tfpy


@same
def test_attributes(tf: Any) -> Any:
    concrete = tf.function(lambda x: x * 2.0 + 3.0).get_concrete_function(
        tf.TensorSpec([2], name="x")
    )
    graph = concrete.graph
    nodes = graph.as_graph_def().node
    (placeholder,) = (node for node in nodes if node.op == "Placeholder")
    (result,) = (node for node in nodes if node.name == "Identity")
    operation = graph.get_operation_by_name("x")
    return [
        type(graph).__name__,
        graph.building_function,
        [placeholder.name, placeholder.attr["dtype"].type],
        [dim.size for dim in placeholder.attr["shape"].shape.dim],
        [result.op, len(result.input)],
        sorted(op.type for op in graph.get_operations() if op.type in ("Mul", "AddV2")),
        isinstance(operation, tf.Operation),
        [operation.name, operation.type, len(operation.inputs)],
        [str(operation.get_attr("dtype")), graph.get_tensor_by_name("x:0").shape.as_list()],
        graph.get_tensor_by_name("Identity:0").dtype.name,
        [t.name for t in (*graph.inputs, *graph.outputs)],
        concrete.function_def.signature.input_arg[0].name,
        [p.name for p in concrete.function_type.parameters.values()],
        str(tf.function(lambda x: x * 2.0).get_concrete_function(tf.constant(1.0)).function_type),
        concrete.inference_fn(tf.constant([1.0, 2.0])),
        error(lambda: graph.get_operation_by_name("nix")),
        error(lambda: graph.get_tensor_by_name("nix:0")),
        error(lambda: operation.get_attr("nix")),
    ]


def test_captured_variables_and_several_results() -> None:
    v = tfpy.Variable([1.0, 2.0])
    concrete = tfpy.function(lambda x: tfpy.nn.top_k(x * v)).get_concrete_function(
        tfpy.TensorSpec([2])
    )
    nodes = {node.name: node for node in concrete.graph.as_graph_def().node}
    for node in nodes.values():
        assert all(name.strip("^").partition(":")[0] in nodes for name in node.input)
    assert [n.op for n in nodes.values()].count("Placeholder") == 2
    assert {"Identity", "Identity_1"} <= nodes.keys()
    assert concrete.graph is concrete.graph
    assert concrete.graph.variables == (v,)


def test_functions_that_tensorflow_cannot_run() -> None:
    """A primitive without a counterpart becomes a node of its own."""
    function = tfpy.function(lambda x: tfpy.py_function(lambda a: a, [x], tfpy.TensorSpec([2])))
    concrete = function.get_concrete_function(tfpy.TensorSpec([2]))
    kinds = [node.op for node in concrete.graph.as_graph_def().node]
    assert kinds[0] == "Placeholder"
    assert kinds[-1] == "Identity"
    with pytest.raises(tfpy.errors.UnimplementedError):
        assert concrete.function_def
