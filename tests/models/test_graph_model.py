"""The API of a graph-model, tested on a small one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from models.small_graph import FLOAT, NODES, SIGNATURE, W, X, files, load, shape

import tfpy as tf
from tfpy._src.backends import event_loop
from tfpy._src.formats.node_graphs.stage import Stage


def test_inputs_come_in_many_forms() -> None:
    model = load()
    wanted = np.maximum(X @ W, 0)
    named = {"x": X}
    for found in (
        model(X),
        model.predict([X]),
        model(x=X),
        model.predict(named),
        model({"x:0": X}),
    ):
        y, at = found
        np.testing.assert_allclose(y, wanted, rtol=1e-6)
        np.testing.assert_array_equal(at, np.argwhere(wanted))
    found = model.signatures["serving_default"](x=X)
    assert list(found) == ["y", "at"]


def test_description() -> None:
    model = load(files(userDefinedMetadata={"classes": ["a"]}))
    assert model.metadata == {"classes": ["a"]}
    (spec,) = model.inputs
    assert (spec.name, spec.shape.as_list(), spec.dtype) == ("x", [None, 3], tf.float32)
    assert model.outputs == ["y", "at"]
    assert repr(model) == "<tf.GraphModel (x: float32[?, 3]) -> (y, at)>"
    lines: list[str] = []
    model.summary(lines.append)
    assert "MatMul" in lines[0]
    assert "1 constants of 6 elements" in lines[0]
    np.testing.assert_array_equal(model.weights["w"], W)


def test_values_within_the_graph() -> None:
    model = load()
    np.testing.assert_allclose(model.execute(X, "product"), X @ W, rtol=1e-6)
    product, y = model.execute({"x": X}, ["product:0", "y"])
    np.testing.assert_array_equal(y, np.maximum(product, 0))
    given = model.execute({"product": np.float32([[1, -1]])}, "positive")
    np.testing.assert_array_equal(given, [[1, 0]])
    with pytest.raises(ValueError, match="no value 'q'"):
        model.execute(X, "q")


def test_training() -> None:
    model = load(trainable=True)
    (w,) = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model.execute(X, "product"))
    np.testing.assert_allclose(
        tape.gradient(loss, w), np.repeat(X.sum(0)[:, None], 2, 1), rtol=1e-5
    )
    w.assign(tf.zeros([3, 2]))
    assert not np.any(model(X)[0])
    assert load().trainable_variables == []


def test_within_a_function() -> None:
    model = load()

    @tf.function
    def doubled(x: Any) -> Any:
        return 2 * model.execute(x, "positive")

    np.testing.assert_allclose(doubled(X), 2 * np.maximum(X @ W, 0), rtol=1e-6)


def test_structured_outputs() -> None:
    found = load(files(userDefinedMetadata={"structuredOutputKeys": ["a", "b"]}))(X)
    assert list(found) == ["a", "b"]


def test_files_without_a_signature() -> None:
    model = load(files(signature=None))
    assert model.outputs == ["places"]
    np.testing.assert_array_equal(model(X), np.argwhere(X @ W > 0))


def test_warming_up() -> None:
    model, heard = load(), list[float]()
    model.warm_up(progress=heard.append)
    model.warm_up(tf.TensorSpec([4, 3]))
    assert model(X)[0].shape == [2, 2]


BEHIND: list[dict[str, Any]] = [
    *NODES,
    {"name": "far", "op": "Mul", "input": ["places", "places"], "attr": {"T": {"type": 9}}},
]


@pytest.mark.parametrize("given", [X, None, tf.TensorSpec([2, 3])])
def test_warming_up_what_is_behind_values(given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that operations after one with a shape that depends on values are compiled as well."""
    behind = {"inputs": SIGNATURE["inputs"], "outputs": {"y": {"name": "far"}}}
    model, heard = load(files(BEHIND, behind)), list[float]()
    model.warm_up(given, progress=heard.append)
    assert heard[-1] == 1
    assert heard == sorted(heard)
    x = X if given is X else np.zeros([2 if given else 1, 3], np.float32)
    ran: dict[str, list[Stage]] = {"__call__": [], "_traced": []}
    for name, stages in ran.items():
        method = getattr(Stage, name)

        def noted(stage: Stage, given: Any, stages: Any = stages, method: Any = method) -> Any:
            stages.append(stage)
            return method(stage, given)

        monkeypatch.setattr(Stage, name, noted)
    np.testing.assert_array_equal(model(x), np.argwhere(x @ W > 0) ** 2)
    assert [len(stages) for stages in ran.values()] == [2, 0]


async def turns_during(call: Any) -> tuple[Any, int]:
    """Return the result of an awaited call, and the number of event-loop tasks meanwhile."""
    count = 0

    async def tick() -> None:
        nonlocal count
        while True:
            count += 1
            await asyncio.sleep(0)

    ticking = asyncio.ensure_future(tick())
    try:
        return await call, count
    finally:
        ticking.cancel()


def test_awaited_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that awaited calls return the same as calls.

    This includes operations after one with a shape that depends on values. Other tasks run
    meanwhile.
    """
    monkeypatch.setattr(event_loop, "SLICE", 0.0)
    monkeypatch.setattr(event_loop, "SHORT", -1.0)
    behind = {"inputs": SIGNATURE["inputs"], "outputs": {"y": {"name": "far"}}}
    model = load(files(BEHIND, behind))
    wanted = np.argwhere(X @ W > 0) ** 2
    for _ in range(3):  # eager, traced, compiled
        found, count = asyncio.run(turns_during(model.call_async(X)))
        np.testing.assert_array_equal(found, wanted)
        assert count >= 2
    np.testing.assert_array_equal(asyncio.run(model.call_async({"x:0": X})), wanted)
    y, at = asyncio.run(load().call_async(x=X))
    np.testing.assert_allclose(y, np.maximum(X @ W, 0), rtol=1e-6)
    np.testing.assert_array_equal(at, np.argwhere(X @ W > 0))
    structured = load(files(userDefinedMetadata={"structuredOutputKeys": ["a", "b"]}))
    assert list(asyncio.run(structured.call_async(X))) == ["a", "b"]
    with pytest.raises(ValueError, match="takes 1 "):
        asyncio.run(model.call_async(X, X))
    with pytest.raises(TypeError, match=r"write `await model\.call_async"):
        model.call_async(X) + 1.0


def test_progress_of_loading(tmp_path: Any) -> None:
    for name, data in files().items():
        (tmp_path / name).write_bytes(data)
    heard: list[float] = []
    load(tmp_path, progress=heard.append)
    assert heard[-1] == 1


@pytest.fixture
def twice() -> Iterator[None]:
    tf.register_op("Twice", lambda node: node.inputs[0] * node.attrs["by"])
    yield
    tf.deregister_op("Twice")


OWN = [
    *NODES[:3],
    {"name": "positive", "op": "Twice", "input": ["product"], "attr": {"by": {"f": 2}}},
]


@pytest.mark.usefixtures("twice")
def test_operations_of_a_program() -> None:
    np.testing.assert_allclose(load(files(OWN, None))(X), 2 * X @ W, rtol=1e-6)


@pytest.mark.usefixtures("twice")
def test_operations_of_a_program_change_no_other_models() -> None:
    def changes(node: Any) -> Any:
        node.attrs["sizes"].append(7)
        return node.inputs[0] * len(node.attrs["sizes"])

    tf.register_op("Twice", changes)
    sizes = {"sizes": {"list": {"i": ["5"]}}}
    nodes = [*NODES[:3], {**OWN[3], "attr": sizes}]
    for _ in range(2):
        np.testing.assert_allclose(load(files(nodes, None))(X), 2 * X @ W, rtol=1e-6)


def test_constants_in_the_graph_are_not_written_to() -> None:
    """Check that equal constants are shared between models."""
    value = {"dtype": "DT_FLOAT", "tensorShape": shape(2), "floatVal": [1, 2]}
    bias = {"name": "b", "op": "Const", "attr": {"dtype": FLOAT, "value": {"tensor": value}}}
    add = {"name": "positive", "op": "Add", "input": ["product", "b"], "attr": {"T": FLOAT}}
    model = load(files([*NODES[:3], bias, add], None))
    np.testing.assert_allclose(model(X), X @ W + [1, 2], rtol=1e-6)
    with pytest.raises(ValueError, match="read-only"):
        model.weights["b"] += 1


def test_nodes_may_leave_out_and_add_what_does_not_matter() -> None:
    nodes = [{**node, "device": "", "input": node.get("input")} for node in NODES]
    nodes[1] |= {"attr": None}
    nodes[3] |= {"attr": {"_output_shapes": {"list": 3}, "T": FLOAT}}
    np.testing.assert_array_equal(load(files(nodes))(X)[0], load()(X)[0])


def test_unknown_operations() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=r"Twice .*'positive'.*register_op"):
        load(files(OWN, None))(X)


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ((np.zeros([2, 4], np.float32),), ValueError, r"'x' must have the shape \[\?, 3\]"),
        ((np.zeros([2, 3], np.int32),), TypeError, "'x' must be of dtype float32, got int32"),
        (({"q": X},), ValueError, "no value 'q'"),
        ((), ValueError, r"\['x'\] are missing"),
        ((X, X), ValueError, "takes 1 "),
    ],
)
def test_wrong_inputs(given: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        load()(*given)


def changed(at: int, **how: Any) -> list[Any]:
    return [{**node, **(how if i == at else {})} for i, node in enumerate(NODES)]


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (files(changed(2, input=["positive", "w"])), "needs its own result"),
        (files(changed(3, name="product")), "'product' is empty or occurs several"),
        (files(changed(2, input=["gone", "w"])), "nothing makes the value 'gone'"),
        (files(changed(1, name="v")), "'v' has no value"),
        (files(changed(0, attr={"dtype": {"type": "DT_X"}})), "must be a integer"),
        (files(changed(0, attr={"dtype": {"type": 999}})), "not the number of a dtype"),
        (files([{"op": "Relu"}]), "'' is empty"),
        (files([3]), "must be an object"),
        (files(changed(3, input="product")), "input.it must be a list"),
        (files(changed(3, input=[3])), "input.it must be a string"),
        (files(changed(3, attr=[])), "attr.it must be an object"),
        (files(changed(3, attr={"T": None})), r"positive\.T\.AttrValue must be an object"),
        (files(changed(3, attr={"T": {"type": {}}})), r"positive\.T\.type\.it must be"),
        (files(format="layers-model"), "Use tf.load_layers_model"),
        (files(modelTopology={"node": 3}), "must be a list"),
        (files(signature={"inputs": {}, "outputs": {"y": {"name": 3}}}), "must be a string"),
        (files(userDefinedMetadata={"structuredOutputKeys": ["a"]}), "1 names for 2"),
    ],
)
def test_broken_files(contents: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load(contents)(X)
