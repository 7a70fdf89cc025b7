"""GraphDefs made by TensorFlow: their node lists compute the same as its session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow

import tfpy as tf
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.formats.encodings.protobuf import read
from tfpy._src.formats.node_graphs.runner import Runner
from tfpy._src.formats.tensorflow.reader.graph import canonical, read_graph
from tfpy._src.formats.tensorflow.reader.messages import GRAPH
from tfpy._src.library.io.checked_json import ModelFileError

v1 = tensorflow.compat.v1
X = np.float32([[1, -2, 3], [0.5, 4, -1]])


@pytest.fixture
def _control_flow_v1() -> Iterator[None]:
    v1.disable_control_flow_v2()
    yield
    v1.enable_control_flow_v2()


def same(build: Callable[..., Any], *arrays: Any, ops: str = "") -> None:
    """Check that a node list returns the same as TensorFlow's session.

    The graph is built by a function of placeholders.
    """
    graph = tensorflow.Graph()
    with graph.as_default():
        inputs = [v1.placeholder(a.dtype, a.shape, f"x{i}") for i, a in enumerate(arrays)]
        outputs = [tensorflow.identity(y) for y in tensorflow.nest.flatten(build(*inputs))]
    with v1.Session(graph=graph) as session:
        wanted = session.run(outputs, dict(zip(inputs, arrays, strict=True)))
    data = graph.as_graph_def()
    found_ops = {node.op for node in data.node}
    assert set(ops.split()) <= found_ops, found_ops
    net = read_graph(read(data.SerializeToString(), GRAPH), [y.name for y in outputs])
    given = {canonical(x.name): tf.constant(a) for x, a in zip(inputs, arrays, strict=True)}
    found = Runner(net)(given, net.outputs)
    for y, z in zip(found, wanted, strict=True):
        np.testing.assert_allclose(convert_to_tensor(y), z, rtol=1e-6)


def counted(x: Any) -> Any:
    return v1.while_loop(
        lambda i, y: i < 5, lambda i, y: (i + 1, y * 0.5 + x[0]), (tensorflow.constant(0), x)
    )


def nested(x: Any) -> Any:
    def outer(i: Any, y: Any) -> Any:
        inner = v1.while_loop(
            lambda j, z: j < i, lambda j, z: (j + 1, z + tensorflow.cast(i, z.dtype)), (0, y)
        )
        return i + 1, inner[1] * 0.5

    return v1.while_loop(lambda i, y: i < 4, outer, (tensorflow.constant(0), x))


def until(x: Any) -> Any:
    return v1.while_loop(lambda y: tensorflow.reduce_sum(y) < 100, lambda y: y * 2, (x,))


def chosen(x: Any) -> Any:
    return v1.cond(tensorflow.reduce_sum(x) > 0, lambda: (x * 2, x + 1), lambda: (-x, x * x))


def chosen_within(x: Any) -> Any:
    def inner() -> Any:
        return v1.cond(x[0, 1] > 0, lambda: x - 7, lambda: x + 7)

    return v1.cond(tensorflow.reduce_max(x) > 2, inner, lambda: x * 0)


def loop_with_choice(x: Any) -> Any:
    def step(i: Any, y: Any) -> Any:
        return i + 1, v1.cond(i % 2 < 1, lambda: y + x, lambda: y * 0.5)

    return v1.while_loop(lambda i, y: i < 6, step, (tensorflow.constant(0), x))


def choice_with_loop(x: Any) -> Any:
    return v1.cond(x[0, 0] > 0, lambda: until(x), lambda: x)


def by_shape(x: Any) -> Any:
    return v1.cond(tensorflow.shape(x)[0] > 5, lambda: x * 2, lambda: x + 1)


def merged(x: Any) -> Any:
    no, yes = v1.raw_ops.Switch(data=x, pred=x[0, 0] > 0)
    found = v1.raw_ops.Merge(inputs=[no * 2, yes * 3])
    return found.output, found.value_index


def arrays(x: Any) -> Any:
    rows = v1.TensorArray(tensorflow.float32, 3).unstack(tensorflow.transpose(x))
    made = v1.TensorArray(tensorflow.float32, 3)
    _, found = v1.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, rows.read(i) * 2)), (0, made)
    )
    return found.stack()


@pytest.mark.usefixtures("_control_flow_v1")
@pytest.mark.parametrize(
    "build",
    [
        counted, nested, until, chosen, chosen_within, loop_with_choice, choice_with_loop,
        by_shape, merged, arrays,
    ],
)  # fmt: skip
@pytest.mark.parametrize("sign", [1, -1])
def test_control_flow_v1(build: Callable[..., Any], sign: int) -> None:
    x = X * sign if build not in (until, choice_with_loop) else np.abs(X) * sign
    if build is until and sign < 0:
        pytest.skip("does not end")
    loops = "Enter Exit NextIteration LoopCond" if build in (counted, nested, arrays) else ""
    same(build, x, ops=loops or ("Switch Merge" if build is not until else "Enter"))


@tensorflow.function
def _called(x: Any, n: Any) -> Any:
    for i in tensorflow.range(n):
        x = x + tensorflow.cast(i, x.dtype) if i % 2 == 0 else x * 0.5
    return x, tensorflow.split(x, 3, 1)


def test_functions_and_control_flow_v2() -> None:
    def build(x: Any, n: Any) -> Any:
        y, parts = _called(x, n)
        return y, parts[2], _called(x[:, ::-1], n + 1)[0]

    same(build, X, np.int32(5), ops="PartitionedCall")
    same(lambda x: tensorflow.cond(x[0, 0] > 0, lambda: x + 1, lambda: x * 2), X, ops="StatelessIf")
    same(
        lambda x: tensorflow.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + x), (0, x)),
        X,
        ops="StatelessWhile",
    )
    same(
        lambda x, i: tensorflow.switch_case(i, [lambda: x, lambda: -x, lambda: x * 3]),
        X,
        np.int32(2),
    )


def test_many_outputs_and_lists() -> None:
    same(lambda x: tensorflow.split(x, 3, 1)[1], X, ops="Split")
    same(lambda x: tensorflow.unique(tensorflow.reshape(x, [-1])), X, ops="Unique")
    same(lambda x: tensorflow.math.top_k(x, 2), X)
    same(lambda x: tensorflow.nn.moments(x, [0]), X)


def test_frames_that_are_broken() -> None:
    def node(name: str, op: str, *inputs: str, **attr: Any) -> dict[str, Any]:
        return {"name": name, "op": op, "input": list(inputs), "attr": attr}

    frame = {"frame_name": {"s": b"f"}}
    for nodes, text in (
        ([node("x", "Placeholder"), node("e", "Enter", "x")], "has no frame_name"),
        ([node("x", "Placeholder"), node("e", "Enter", "x", **frame)], "has 0 conditions"),
        ([node("x", "Placeholder"), node("m", "Merge", "x")], "no condition selects"),
        ([node("x", "Placeholder"), node("m", "Merge", "x", "x")], "no condition selects"),
        ([node("m", "Merge", "s", "s:1"), node("s", "Switch", "m", "m")], "needs its own result"),
    ):
        with pytest.raises(ModelFileError, match=text):
            read_graph({"node": nodes}, ["e"])
