"""Constant folding and common subexpressions."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from passes.sketch import Sketch, becomes, check, lines

from tfpy import dtypes
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ops import OPS
from tfpy._src.compiler.passes.common_subexpressions import merge_common_subexpressions
from tfpy._src.compiler.passes.constants import FOLD_LIMIT, fold_constants


def test_constants_are_folded() -> None:
    s = Sketch((2,))
    e = s("exp", s("add", np.array([1.0, 2.0], np.float32), 1.0))
    graph = s.returns(s("add", 0, e))
    becomes(graph, fold_constants, "%2:float32[2] = add(%0, %1)", "return %2")
    folded = fold_constants(graph).constants
    np.testing.assert_allclose(folded[1], np.exp([2.0, 3.0]), rtol=1e-6)


def test_a_result_that_is_an_output_is_folded() -> None:
    s = Sketch()
    graph = s.returns(s("cast", np.array([1.5, -2.5], np.float32), dtype=dtypes.int32))
    result = check(graph, fold_constants)
    assert result.eqns == []
    assert result.constants[result.outputs[0]].tolist() == [1, -2]


def test_large_results_of_small_constants_are_left() -> None:
    count = FOLD_LIMIT // 4
    for n, folded in ((count, True), (count + 1, False)):
        s = Sketch((n,))
        zeros = s("broadcast_to", 0.0, shape=(n,))
        result = check(s.returns(s("concat", 0, zeros, axis=0)), fold_constants)
        assert (len(result.eqns) == 1) == folded


def test_large_constants_are_folded_where_they_do_not_grow() -> None:
    s = Sketch((4,))
    filters = s.constant(np.zeros((300, 300), np.float32))
    turned = s("transpose", filters, perm=(1, 0))
    assert fold_constants(s.returns(0, turned)).eqns == []


def test_what_an_op_refuses_fails_when_it_is_run() -> None:
    s = Sketch((2,))
    picked = s(
        "gather", 1.0 * np.ones(3, np.float32), np.array([7], np.int32), axis=0, batch_dims=0
    )
    graph = fold_constants(s.returns(s("add", 0, picked)))
    assert [eqn.op.name for eqn in graph.eqns] == ["gather", "add"]
    with pytest.raises(InvalidArgumentError, match="gather"):
        evaluate(graph, [np.zeros(2, np.float32)])


def test_stateful_equations_are_not_folded() -> None:
    effect = dataclasses.replace(OPS["exp"], name="effect", stateful=True)
    s = Sketch()
    one = s.constant(1.0)
    s.builder.apply(effect, one)
    s.builder.apply(effect, one)
    graph = s.returns()
    for function in (fold_constants, merge_common_subexpressions):
        assert [eqn.op.name for eqn in function(graph).eqns] == ["effect", "effect"]


def test_equal_equations_are_merged() -> None:
    s = Sketch((4,), (4,))
    graph = s.returns(s("multiply", s("add", 0, 1), s("add", 1, 0)), s("subtract", 0, 1))
    becomes(
        graph,
        merge_common_subexpressions,
        "%2:float32[4] = add(%0, %1)",
        "%3:float32[4] = multiply(%2, %2)",
        "%4:float32[4] = subtract(%0, %1)",
        "return %3, %4",
    )


def test_chains_of_equal_equations_are_merged() -> None:
    s = Sketch((4,))
    first, second = (s("exp", s("negative", s("add", 0, 0.5))) for _ in range(2))
    result = check(s.returns(s("subtract", first, second)), merge_common_subexpressions)
    assert [eqn.op.name for eqn in result.eqns] == ["add", "negative", "exp", "subtract"]
    assert len(result.constants) == 1


def test_order_matters_where_an_op_is_not_symmetric() -> None:
    s = Sketch((4,), (4,))
    graph = s.returns(s("subtract", 0, 1), s("subtract", 1, 0))
    assert len(check(graph, merge_common_subexpressions).eqns) == 2
    s = Sketch(((2,), dtypes.string), ((2,), dtypes.string))
    graph = s.returns(s("add", 0, 1), s("add", 1, 0))
    assert len(merge_common_subexpressions(graph).eqns) == 2


def test_attributes_are_told_apart() -> None:
    s = Sketch((3,))
    padded = [
        s("pad", 0, padding=((1, 0),), interior=(0,), value=value) for value in (0.0, -0.0, 0.0)
    ]
    result = check(s.returns(*padded), merge_common_subexpressions)
    assert len(result.eqns) == 2
    assert result.outputs == [1, 2, 1]


def test_constants_are_told_apart_by_bits_and_dtype() -> None:
    s = Sketch()
    values = [s.constant(v) for v in (0.0, -0.0, 0.0, np.int32(0), np.zeros((1,), np.float32))]
    result = check(s.returns(*values), merge_common_subexpressions)
    assert result.outputs == [0, 1, 0, 2, 3]


def test_a_value_that_only_the_output_names_stays() -> None:
    s = Sketch((2,))
    graph = s.returns(0, s("exp", 0), 0)
    assert lines(check(graph, merge_common_subexpressions, fold_constants)) == lines(graph)
