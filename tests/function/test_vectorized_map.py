"""``tf.vectorized_map``: batching rules return the same as a loop over the rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare, same

import tfpy
from e2e.test_control_flow import VECTORIZED
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph, single_equation
from tfpy._src.compiler.ir.op import OPS, Op
from tfpy._src.core.conversion import constant
from tfpy._src.functions.control.batching.apply import RowDependence, RowGraph
from tfpy._src.functions.control.batching.table import BY_ROWS, RULES

PRIMITIVES = [op for op in OPS.values() if op.is_primitive]
DRAWS = {op.name for op in PRIMITIVES if op.family == "random" and op.name in RULES}
ROWS = 3


def test_each_primitive_has_a_rule_or_runs_by_rows() -> None:
    without_inputs = {"range"}
    for op in PRIMITIVES:
        listed = (op.name in RULES) + (op.name in BY_ROWS) + (op.name in without_inputs)
        assert listed == 1, op.name
    assert set(RULES) | BY_ROWS <= {op.name for op in PRIMITIVES}


def test_rules_take_every_attribute() -> None:
    for name, rule in RULES.items():
        taken = inspect.signature(rule).parameters.values()
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken):
            continue
        given = inspect.signature(OPS[name].infer).parameters.values()
        attributes = {p.name for p in given if p.annotation == "int" or p.default is not p.empty}
        assert attributes <= {parameter.name for parameter in taken}, name


def _graph(op: Op, arrays: Any, attrs: Any) -> Graph:
    return single_equation(op, [constant(a).aval for a in arrays], tuple(attrs.items()))


def _samples(op: Op) -> list[Any]:
    """Return a few small samples of different shapes."""
    assert op.samples is not None
    found: dict[Any, Any] = {}
    for arrays, attrs in op.samples(np.random.default_rng(0)):
        if sum(a.size for a in arrays) < 3000:
            found.setdefault((tuple(a.shape for a in arrays), len(attrs)), (arrays, attrs))
    return list(found.values())[:4]


@pytest.mark.parametrize(
    "op",
    [op for op in PRIMITIVES if op.samples is not None and op.name not in {"range", *DRAWS}],
    ids=lambda op: op.name,
)
def test_rules(op: Op) -> None:
    """Compare each row with the primitive applied to it, for each choice of batched operands."""
    rng = np.random.default_rng(1)
    for arrays, attrs in _samples(op):
        graph = _graph(op, arrays, attrs)
        choices = [c for c in product([False, True], repeat=len(arrays)) if any(c)]
        for batched in choices if len(choices) < 8 else choices[-2:]:
            rows = [
                np.stack([rng.permutation(a.reshape(-1)).reshape(a.shape) for _ in range(ROWS)])
                if is_batched and op.family not in ("linalg", "boxes", "scatter")
                else np.stack([a] * ROWS)
                if is_batched
                else a
                for a, is_batched in zip(arrays, batched, strict=True)
            ]
            kinds = [RowDependence.ROWS if b else RowDependence.SHARED for b in batched]
            (found,) = RowGraph(graph, kinds).run([constant(a) for a in rows], ROWS)
            assert found.is_batched
            each = [
                [np.asarray(a[i], a.dtype) if b else a for a, b in zip(rows, batched, strict=True)]
                for i in range(ROWS)
            ]
            wanted = np.stack([evaluate(graph, given)[0] for given in each])
            mine = found.tensor.numpy()
            assert (mine.shape, mine.dtype) == (wanted.shape, wanted.dtype), (op.name, batched)
            if wanted.dtype.kind in "OSb":
                assert mine.tolist() == wanted.tolist(), (op.name, batched)
            else:
                np.testing.assert_allclose(mine, wanted, 1e-4, 1e-4, err_msg=f"{op} {batched}")


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_random_rules(name: str) -> None:
    """Check that rows of a stream differ, and have the distribution of the primitive."""
    op = OPS[name]
    arrays, attrs = op.samples(np.random.default_rng(0))[0]  # type: ignore[misc]
    graph = _graph(op, arrays, attrs)
    kinds = [RowDependence.STREAM] * 6 + [RowDependence.SHARED] * (len(arrays) - 6)
    (found,) = RowGraph(graph, kinds).run([constant(a) for a in arrays], ROWS)
    assert found.tensor.shape == (ROWS, *graph.avals[graph.outputs[0]].shape)
    values = found.tensor.numpy()
    assert not np.array_equal(values[0], values[1])


def _results(lib: Any, function: Callable[..., Any], inputs: Any, compiled: bool) -> Any:
    tensors = [lib.constant(x) for x in inputs]

    def program(*tensors: Any) -> Any:
        return lib.vectorized_map(
            lambda row: function(lib, *(row if len(tensors) > 1 else (row,))),
            tensors if len(tensors) > 1 else tensors[0],
        )

    run = lib.function(program) if compiled else program
    with lib.GradientTape() as tape:
        tape.watch([t for t in tensors if t.dtype == lib.float32])
        found = run(*tensors)
        floats = [t for t in lib.nest.flatten(found) if t.dtype == lib.float32]
    watched = [t for t in tensors if t.dtype == lib.float32]
    grads = tape.gradient(floats, watched, unconnected_gradients="zero") if floats else []
    return found, [lib.convert_to_tensor(g) for g in grads]


@pytest.mark.parametrize("name", VECTORIZED)
def test_programs(name: str) -> None:
    function, shapes = VECTORIZED[name]
    rng = np.random.default_rng(0)
    inputs = [rng.uniform(0.5, 2.0, (4, *s)).astype(np.float32) for s in shapes]
    wanted = _results(tensorflow, function, inputs, compiled=True)
    for compiled in (False, True):
        mine = _results(tfpy, function, inputs, compiled)
        compare(mine, wanted, 1e-3, f"{name}, compiled: {compiled}")
        none = _results(tfpy, function, [x[:0] for x in inputs], compiled)
        shapes = [[(0, *t.shape[1:]) for t in tfpy.nest.flatten(r)] for r in mine]
        assert [[tuple(t.shape) for t in tfpy.nest.flatten(r)] for r in none] == shapes


@same
def test_losses_of_labels(lib: Any) -> Any:
    """Compare losses of labels, which are indices with their own name in errors."""
    logits = lib.constant(np.linspace(-1, 1, 24, dtype=np.float32).reshape(4, 2, 3))
    loss = lib.nn.sparse_softmax_cross_entropy_with_logits
    found = [
        lib.vectorized_map(lambda row: loss(lib.constant([1, 2]), row), logits),
        lib.vectorized_map(lambda label: loss(label, logits[0]), lib.constant([[1, 2], [0, 1]])),
        lib.vectorized_map(lambda pair: loss(*pair), (lib.constant([[1, 2]] * 4), logits)),
    ]
    return found, lib.vectorized_map(lib.nn.scale_regularization_loss, lib.constant([2, 3]))


@same
def test_captured_tensors_and_variables(lib: Any) -> Any:
    x, w = lib.constant([[1.0, 2.0], [3.0, 4.0]]), lib.Variable([[1.0, 2.0], [0.5, 1.0]])
    b = lib.constant([0.5, 1.5])

    def program() -> Any:
        with lib.GradientTape() as tape:
            tape.watch([x, b])
            y = lib.vectorized_map(lambda v: lib.linalg.matvec(w, v) * b + lib.reduce_sum(v), x)
            z = lib.reduce_sum(y**2)
        return y, tape.gradient(z, [x, b, w])

    return program(), lib.function(program)()


@same
def test_structures(lib: Any) -> Any:
    x = lib.constant([[1.0, 2.0], [3.0, 4.0]])
    return (
        lib.vectorized_map(
            lambda d: {"sum": d["x"] + d["y"], "same": d["y"]}, {"x": x, "y": x * 2}
        ),
        lib.vectorized_map(lambda pair: pair[0] * pair[1], (x, lib.ones([1, 2]) * 3)),
        lib.vectorized_map(lambda v: 7, x),
        lib.vectorized_map(lambda v: lib.constant([1, 2]), x),
        lib.vectorized_map(lambda v: v * 2, x[:0]),
    )


def test_random_numbers_differ_between_rows() -> None:
    x = tfpy.zeros([50, 2])
    for run in (lambda f: f, tfpy.function):
        draw = run(lambda x: tfpy.vectorized_map(lambda v: v + tfpy.random.normal([2]), x))
        first, second = draw(x).numpy(), draw(x).numpy()
        assert len(np.unique(np.concatenate([first, second]))) > 190
    same_seed = tfpy.vectorized_map(lambda v: tfpy.random.stateless_normal([2], [1, 2]), x)
    assert len(np.unique(same_seed.numpy())) == 2


def test_control_flow_and_effects_run_row_by_row() -> None:
    x = tfpy.constant([[1.0, 2.0], [-3.0, 4.0]])

    def branch(v: Any) -> Any:
        return tfpy.cond(v[0] > 0, lambda: v, lambda: v * 10)

    for run in (lambda f: f, tfpy.function):
        mapped = run(lambda x: tfpy.vectorized_map(branch, x))
        assert mapped(x).numpy().tolist() == [[1, 2], [-30, 40]]
        with pytest.raises(ValueError, match="no batching rule for cond"):
            run(lambda x: tfpy.vectorized_map(branch, x, fallback_to_while_loop=False))(x)
    assert tfpy.function(lambda x: tfpy.vectorized_map(branch, x))(x[:0]).shape == (0, 2)
    total = tfpy.Variable(0.0)
    tfpy.vectorized_map(lambda v: total.assign_add(tfpy.reduce_sum(v)), x)
    assert total.numpy() == 4.0


def test_refusals() -> None:
    x = tfpy.ones([3, 2])
    with pytest.raises(ValueError, match="first dimensions differ"):
        tfpy.vectorized_map(lambda pair: pair[0], (x, x[:2]))
    with pytest.raises(ValueError, match="made the variable"):
        tfpy.vectorized_map(lambda v: tfpy.Variable(1.0) * v, x)
    with pytest.raises(ValueError, match="RaggedTensor"):
        tfpy.vectorized_map(lambda v: tfpy.RaggedTensor.from_row_splits(v, [0, 1, 2]), x)


def test_custom_gradients() -> None:
    @tfpy.custom_gradient
    def scaled(v: Any) -> Any:
        return v * 2.0, lambda g: g * 10.0

    x, shared = tfpy.ones([3, 2]), tfpy.ones([2])

    def gradients() -> Any:
        with tfpy.GradientTape() as tape:
            tape.watch([x, shared])
            y = tfpy.vectorized_map(
                lambda v: scaled(v) + scaled(shared) + tfpy.stop_gradient(v * v), x
            )
        return tape.gradient(y, [x, shared])

    for run in (gradients, tfpy.function(gradients)):
        of_x, of_shared = run()
        assert of_x.numpy().tolist() == [[10.0, 10.0]] * 3
        assert of_shared.numpy().tolist() == [30.0, 30.0]


def test_many_rows_are_traced_once() -> None:
    calls: list[Any] = []

    def row(v: Any) -> Any:
        calls.append(v)
        return tfpy.reduce_sum(tfpy.nn.relu(v) * v)

    mapped = tfpy.function(lambda x: tfpy.vectorized_map(row, x))
    assert mapped(tfpy.ones([2048, 16])).shape == (2048,)
    assert len(calls) == 1
    graph = mapped.get_concrete_function(tfpy.TensorSpec([2048, 16])).traced.graph
    assert len(graph.eqns) < 10
