"""Node lists: their order, the traced part, and the rest."""

import numpy as np
import pytest

import tfpy as tf
from tfpy._src.formats.node_graphs.node import Node, NodeGraph, Spec
from tfpy._src.formats.node_graphs.plan import plan
from tfpy._src.formats.node_graphs.runner import Runner
from tfpy._src.formats.node_graphs.weights import Weights
from tfpy._src.library.io.checked_json import ModelFileError

OPS = {
    "Add": tf.add,
    "Mul": tf.multiply,
    "Neg": tf.negative,
    "Where": tf.where,
    "Shape": lambda x: np.array(x.shape),
    "Size": lambda x: np.array(x.size),
    "Reshape": tf.reshape,
    "Names": lambda x: _Names([x]),
    "First": lambda names: names.values[0],
}


class _Names:
    """A value that cannot leave a trace."""

    def __init__(self, values):
        self.values = values


class _Dialect:
    name = "test"
    shape_ops = frozenset(("Shape", "Size"))

    def __init__(self):
        self.ran = []

    def run(self, node, inputs, scope):
        self.ran.append(node.name)
        if node.op == "If":
            return scope.call_inside(node.attrs["then" if inputs and inputs[0] else "else"], [])
        if node.op == "Call":
            return scope.call(scope.function(node.attrs["f"]), inputs)
        return [OPS[node.op](*inputs)]

    def decides(self, node):
        return {"If": node.inputs[:1], "Reshape": node.inputs[1:]}.get(node.op, ())

    def calls(self, node):
        return [node.attrs["f"]] if node.op == "Call" else []

    def outside(self, node):
        return None


def graph(nodes, outputs, weights=None, inputs=("x",), **more):
    """Return a graph of nodes (op, inputs, output). An output is also its node's name."""
    made = tuple(
        Node(output, op, tuple(inputs), (output,), *attrs) for op, inputs, output, *attrs in nodes
    )
    specs = tuple(Spec(name) for name in inputs)
    return NodeGraph("net", _Dialect(), specs, tuple(outputs), made, Weights(weights), **more)


W = np.arange(20, dtype=np.float32)
X = np.linspace(-9, 10, 20).astype(np.float32)


def test_only_what_is_wanted_runs_and_each_node_once():
    net = graph(
        [("Neg", "b", "c"), ("Add", "xw", "a"), ("Mul", "aa", "b"), ("Neg", "b", "d")],
        "cd",
        {"w": W},
    )
    assert [n.name for n in plan(net, ("c",), ("x",)).nodes] == ["a", "b", "c"]
    assert [n.name for n in plan(net, ("d", "c"), ("x",)).nodes] == ["a", "b", "d", "c"]
    assert [n.name for n in plan(net, ("c",), ("x", "b")).nodes] == ["c"]
    assert plan(net, ("c",), ("x",)).unused == ((), ("a",), ("b",))
    (c,) = Runner(net)({"x": tf.constant(X)}, ("c",))
    np.testing.assert_allclose(c, -((X + W) ** 2), rtol=1e-6)


def test_what_needs_elements_runs_behind_the_compiled_part():
    net = graph(
        [("Add", "xw", "a"), ("Where", "a", "i"), ("Neg", "i", "n"), ("Mul", "aa", "b")],
        "nb",
        {"w": W},
    )
    runner = Runner(net)
    for shift in (0, 3):
        n, b = runner({"x": tf.constant(X - shift)}, ("n", "b"))
        np.testing.assert_array_equal(n, -np.argwhere(X - shift + W))
        np.testing.assert_allclose(b, (X - shift + W) ** 2, rtol=1e-6)
    assert net.dialect.ran == ["a", "i", "b", "i", "n", "i", "n"]


def test_what_follows_is_compiled_for_sizes_that_come_again():
    net = graph(
        [
            *(("Where", "x", "i"), ("Neg", "i", "n"), ("Shape", "n", "s"), ("Mul", "nn", "m")),
            *(("Where", "m", "j"), ("Neg", "j", "k"), ("Neg", "x", "y")),
        ],
        "kmsy",
    )
    runner = Runner(net)

    def ran(x):
        net.dialect.ran.clear()
        k, m, s, y = runner({"x": tf.constant(x)}, tuple("kmsy"))
        squares = np.argwhere(x) ** 2
        np.testing.assert_array_equal(m, squares)
        np.testing.assert_array_equal(k, -np.argwhere(squares))
        np.testing.assert_array_equal(s, squares.shape)
        np.testing.assert_array_equal(y, -x)
        return "".join(net.dialect.ran)

    assert ran(X) == "iyinmjks"  # traced up to the first cut, the rest runs eagerly
    assert ran(X + 1) == "inmjsjk"  # the rest is traced up to the second cut
    assert ran(X) == "ijk"
    assert ran(X + 2) == "ij"  # everything except the cuts is compiled
    assert ran(np.maximum(X, 0)) == "inmjks"  # other sizes
    assert ran(X) == "ij"


def test_lists_behind_a_cut_keep_what_follows_from_being_compiled():
    net = graph(
        [("Where", "x", "i"), ("Names", "i", "l"), ("First", "l", "f"), ("Neg", "f", "n")], "n"
    )
    runner = Runner(net)
    for _ in range(4):
        (n,) = runner({"x": tf.constant(X)}, ("n",))
        np.testing.assert_array_equal(n, -np.argwhere(X))


def test_values_that_cannot_leave_a_trace_are_made_again():
    net = graph(
        [("Names", "x", "l"), ("First", "l", "f"), ("Where", "f", "w"), ("Names", "f", "m")], "w"
    )
    (where,) = Runner(net)({"x": tf.constant(X)}, ("w",))
    np.testing.assert_array_equal(where, np.argwhere(X))


def test_shapes_are_known_while_a_function_is_traced():
    net = graph([("Shape", "y", "s"), ("Reshape", "xs", "r")], "r", inputs="xy")
    (r,) = Runner(net)({"x": tf.constant(X), "y": tf.zeros([4, 5])}, ("r",))
    assert r.shape == [4, 5]


def test_subgraphs_see_what_is_around_them_and_functions_do_not():
    then = graph([("Add", "xa", "y")], "y", inputs=())
    net = graph([("Neg", "x", "a"), ("If", "", "b", {"else": then})], "b")
    (b,) = Runner(net)({"x": tf.constant(X)}, ("b",))
    np.testing.assert_array_equal(b, X - X)
    net = graph(
        [("Neg", "x", "a"), ("Call", "x", "b", {"f": "then"})], "b", functions={"then": then}
    )
    with pytest.raises(ModelFileError, match="takes 0 values"):
        Runner(net)({"x": tf.constant(X)}, ("b",))


def choosing(**more):
    """Return a graph in which "i" and "j" select branches and "k" does not.

    The other branch is invalid.
    """
    inner = graph([("Neg", "x", "y")], "y", inputs=())
    outer = graph([("If", "j", "z", {"then": inner, "else": inner})], "z", inputs=())
    never = graph([("Reshape", "xn", "y")], "y", {"n": np.array([7, 7])}, inputs=())
    nodes = [
        ("Mul", "io", "p"),
        ("If", "p", "a", {"then": outer, "else": never}),
        ("Mul", "ak", "m"),
    ]
    return graph(nodes, "m", {"o": np.array(1)}, inputs="xijk", **more)


def numbers(i, j, k, shape=()):
    values = {"i": i, "j": j, "k": k}
    return {name: tf.constant(value, tf.int32, shape) for name, value in values.items()}


def test_numbers_that_choose_branches_are_known():
    net = choosing()
    runner, x = Runner(net), tf.constant(X.astype(np.int32))
    for i, j, k in [(1, 1, 2), (1, 1, 3), (2, 1, 3), (1, 1, 2)]:
        (found,) = runner({"x": x, **numbers(i, j, k)}, "m")
        np.testing.assert_array_equal(found, -X.astype(np.int32) * k)
    assert net.dialect.ran == ["p", "a", "m"] * 2  # once for each pair of "i" and "j"
    with pytest.raises(ValueError, match="requested shape"):
        runner({"x": x, **numbers(0, 1, 1)}, "m")


def test_known_numbers_in_a_function():
    runner, x = Runner(choosing()), tf.constant(X.astype(np.int32))

    @tf.function
    def call(x, k):
        return runner({"x": x, **numbers(1, 1, 0), "k": k}, "m")[0]

    np.testing.assert_array_equal(call(x, tf.constant(5)), -X.astype(np.int32) * 5)


def test_numbers_that_decide_shapes_are_known_until_there_are_many():
    net = graph([("Mul", "so", "n"), ("Reshape", "xn", "r")], "r", {"o": np.ones(2, int)}, "xs")
    runner = Runner(net)
    for _ in range(2):
        for size in range(1, 19):
            (found,) = runner({"x": tf.ones([size]), "s": tf.constant([size, 1])}, "r")
            assert found.shape == [size, 1]
    assert len(net.dialect.ran) == 16 * 2 + 2 * 2 + 4
    # 16 are compiled. Of two others "n" is compiled, and "r" runs after it in each of four calls.


def test_weights_become_variables_that_are_trained():
    net = graph(
        [("Mul", "xw", "a"), ("Add", "ab", "y")], "y", {"w": W, "b": np.array(2, np.float32)}
    )
    (w,) = net.weights.make_variables().values()
    with tf.GradientTape() as tape:
        (y,) = Runner(net)({"x": tf.constant(X)}, ("y",))
    np.testing.assert_array_equal(tape.gradient(y, w), X)


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ([("Add", "xb", "a"), ("Neg", "a", "b")], "needs its own result"),
        ([("Add", "xq", "b")], "nothing makes the value 'q'"),
        ([("Neg", "x", "b"), ("Neg", "x", "b")], "made by two nodes"),
        ([("Neg", "x", "b", {}, ("q",))], "the node 'q' does not exist"),
        ([("Call", "x", "b", {"f": "g"})], "the function 'g' does not exist"),
    ],
)
def test_broken_graphs(nodes, text):
    with pytest.raises(ModelFileError, match=text):
        Runner(graph(nodes, "b"))({"x": tf.constant(X)}, ("b",))


def test_functions_that_call_themselves_end():
    function = graph([("Call", "x", "b", {"f": "f"})], "b")
    net = graph([("Call", "x", "b", {"f": "f"})], "b", functions={"f": function})
    with pytest.raises(ModelFileError, match="levels deep"):
        Runner(net)({"x": tf.constant(X)}, ("b",))


def test_errors_name_the_node():
    net = graph([("Add", "xy", "a")], "a", inputs="xy")
    with pytest.raises(ValueError, match="Incompatible shapes") as caught:
        Runner(net)({"x": tf.ones([3]), "y": tf.ones([4])}, ("a",))
    assert "in Add 'a' of 'net'" in caught.value.__notes__
