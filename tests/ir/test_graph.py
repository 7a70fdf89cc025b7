"""Graph: printing, verification, evaluation."""

from __future__ import annotations

import pickle
import weakref

import numpy as np
import pytest

from tfpy import dtypes
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Eqn, Graph, single_equation
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.ops import OPS

ATTRS = (("transpose_a", False), ("transpose_b", True))


def dense_layer() -> Graph:
    """Return relu(x @ transpose(w) + b), with a constant b."""
    graph = Graph()
    x = graph.add_input(Aval((2, 3), dtypes.float32))
    w = graph.add_input(Aval((4, 3), dtypes.float32))
    b = graph.add_constant(np.arange(4, dtype=np.float32), Aval((4,), dtypes.float32))
    product = graph.add_eqn(OPS["matmul"], [x, w], ATTRS)
    shifted = graph.add_eqn(OPS["add"], [product, b], ())
    graph.outputs = [graph.add_eqn(OPS["relu"], [shifted], ()), product]
    return graph


def test_printing() -> None:
    assert str(dense_layer()).splitlines() == [
        "graph(%0:float32[2,3], %1:float32[4,3])",
        "  %2:float32[4] = constant",
        "  %3:float32[2,4] = matmul(%0, %1) transpose_a=False transpose_b=True",
        "  %4:float32[2,4] = add(%3, %2)",
        "  %5:float32[2,4] = relu(%4)",
        "  return %5, %3",
    ]


def test_aval() -> None:
    aval = Aval((2, 3), dtypes.float32)
    assert (aval.size, aval.nbytes, aval.rank, str(aval)) == (6, 24, 2, "float32[2,3]")
    assert aval == Aval((2, 3), dtypes.float32)
    assert aval != Aval((2, 3), dtypes.int32)
    assert hash(aval) == hash(Aval((2, 3), dtypes.float32))
    assert str(Aval((), dtypes.bool)) == "bool[]"


def test_evaluation(rng: np.random.Generator) -> None:
    x = rng.normal(size=(2, 3)).astype(np.float32)
    w = rng.normal(size=(4, 3)).astype(np.float32)
    relu, product = evaluate(dense_layer(), [x, w])
    np.testing.assert_allclose(product, x @ w.T, rtol=1e-6)
    np.testing.assert_allclose(relu, np.maximum(x @ w.T + np.arange(4), 0), rtol=1e-6)
    assert relu.dtype == np.float32


def test_evaluation_of_constants_and_inputs() -> None:
    graph = Graph()
    x = graph.add_input(Aval((2,), dtypes.int32))
    one = graph.add_constant(np.array([1, 1], np.int32), Aval((2,), dtypes.int32))
    graph.outputs = [one, x, x]
    results = evaluate(graph, [np.array([5, 6], np.int32)])
    assert [r.tolist() for r in results] == [[1, 1], [5, 6], [5, 6]]


def test_evaluation_needs_every_input() -> None:
    with pytest.raises(ValueError, match="zip"):
        evaluate(dense_layer(), [np.zeros((2, 3), np.float32)])


def test_single_equation() -> None:
    aval = Aval((3,), dtypes.float32)
    graph = single_equation(OPS["multiply"], [aval, aval], ())
    verify(graph)
    assert str(graph).splitlines()[1] == "  %2:float32[3] = multiply(%0, %1)"


def test_refused_equation_is_not_added() -> None:
    graph = dense_layer()
    before = str(graph)
    with pytest.raises(InvalidArgumentError, match=r"matmul.*\[2, 3\].*\[4\]|matmul.*dimensions"):
        graph.add_eqn(OPS["matmul"], [0, 2], ATTRS)
    assert str(graph) == before


def test_verify_accepts() -> None:
    verify(dense_layer())


def test_verify_refuses_a_value_read_too_early() -> None:
    graph = dense_layer()
    graph.eqns.reverse()
    with pytest.raises(ValueError, match=r"relu reads %4 before it is defined"):
        verify(graph)


def test_verify_refuses_a_second_definition() -> None:
    graph = dense_layer()
    graph.eqns.append(Eqn(OPS["relu"], (4,), (5,), ()))
    with pytest.raises(ValueError, match=r"relu defines %5 a second time"):
        verify(graph)


def test_verify_refuses_unknown_values() -> None:
    graph = dense_layer()
    graph.eqns.append(Eqn(OPS["relu"], (4,), (9,), ()))
    with pytest.raises(ValueError, match=r"unknown value %9"):
        verify(graph)


def test_verify_refuses_a_wrong_shape() -> None:
    graph = dense_layer()
    graph.avals[5] = Aval((4, 2), dtypes.float32)
    with pytest.raises(ValueError, match=r"relu returns float32\[2,4\], but %5 is float32\[4,2\]"):
        verify(graph)


def test_verify_refuses_a_wrong_constant() -> None:
    graph = dense_layer()
    graph.constants[2] = np.zeros(3, np.float32)
    with pytest.raises(ValueError, match=r"constant %2"):
        verify(graph)


def test_verify_refuses_undefined_outputs() -> None:
    graph = dense_layer()
    graph.avals.append(Aval((), dtypes.float32))
    graph.outputs.append(6)
    with pytest.raises(ValueError, match=r"output %6 is never defined"):
        verify(graph)


def test_equal_avals_are_one_object_while_they_are_in_use() -> None:
    shape = (np.int64(7), 11)
    first = Aval(shape, dtypes.float32)
    assert first is Aval((7, 11), dtypes.float32)
    assert first is pickle.loads(pickle.dumps(first))
    assert type(first.shape[0]) is int
    assert first != Aval((7, 11), dtypes.int32)
    assert (first.rank, first.size, first.nbytes) == (2, 77, 308)
    known = weakref.ref(first)
    del first
    assert known() is None
    assert Aval((7, 11), dtypes.float32).size == 77
