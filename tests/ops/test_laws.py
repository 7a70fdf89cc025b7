"""The laws of op records that datasets, sparse tensors and passes rely on: valid and complete."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy import dtypes
from tfpy._src.compiler.ir.expr import COSTS, SCALAR_OPS
from tfpy._src.compiler.ir.op import GRADIENT, LAYOUT
from tfpy._src.compiler.ops import OPS, Op
from tfpy._src.distribute.dtensor import relayouts

COUNT = 67
"""Number of elements that exceeds the width of any vectorized loop."""


def ops(fact: str) -> pytest.MarkDecorator:
    found = [op for op in OPS.values() if getattr(op.laws, fact)]
    return pytest.mark.parametrize("op", found, ids=lambda op: op.name)


def same_bits(one: Any, other: Any) -> bool:
    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    return one.dtype == other.dtype and one.tobytes() == other.tobytes()


@ops("exact")
def test_exact_results_do_not_depend_on_what_else_is_computed(
    op: Op, rng: np.random.Generator
) -> None:
    assert op.samples is not None
    for arrays, attrs in op.samples(rng):
        if any(a.dtype.kind == "c" or not a.size for a in arrays):
            continue  # datasets run complex numbers element by element
        given = [np.resize(a, COUNT) for a in arrays]
        whole = op.ref(*given, **attrs)
        for i in range(COUNT):
            assert same_bits(whole[i], op.ref(*(a[i : i + 1] for a in given), **attrs)[0])


def test_every_op_whose_results_are_bools_is_exact(rng: np.random.Generator) -> None:
    for op in OPS.values():
        if op.expr is not None and op.samples is not None:
            results = [np.asarray(op.ref(*x, **attrs)) for x, attrs in op.samples(rng)]
            assert op.laws.exact or any(r.dtype.kind != "b" for r in results), op


@ops("sparse")
def test_zero_stays_zero(op: Op) -> None:
    attrs = {"dtype": dtypes.int32} if op.name == "cast" else dict(op.defaults)
    assert op.ref(np.zeros(1, np.float32), **attrs) == 0


def test_every_op_that_moves_elements_moves_those_of_a_stack(rng: np.random.Generator) -> None:
    moving = [op for op in OPS.values() if op.family == "movement"]
    assert [op for op in OPS.values() if op.stacked is not None] == moving
    for op in moving:
        assert op.samples is not None
        assert op.stacked is not None
        for arrays, attrs in op.samples(rng):
            stacks = [np.stack([a, np.flip(a)]) for a in arrays]
            if op.name == "broadcast_to":  # the operand needs the result's rank
                ones = (1,) * (len(attrs["shape"]) - arrays[0].ndim)
                stacks = [
                    s.reshape(2, *ones, *a.shape) for s, a in zip(stacks, arrays, strict=True)
                ]
            found = op.ref(*stacks, **op.stacked(2, dict(attrs)))
            assert same_bits(found[0], op.ref(*arrays, **attrs))
            assert same_bits(found[1], op.ref(*map(np.flip, arrays), **attrs))


def test_annotations_return_their_first_operands() -> None:
    found = {op: op.annotates for op in OPS.values() if op.annotates}
    layouts = dict.fromkeys([relayouts.RELAYOUT, relayouts.RELAYOUT_LIKE], LAYOUT)
    assert found == {OPS["custom_gradient"]: GRADIENT, **layouts}
    x = np.arange(3.0)
    attrs = {"count": 1, "given": 0, "backward": None, "wanted": ()}
    assert all(op.multiple and op.ref(x, x, **attrs)[0] is x for op in found)


def test_every_scalar_operation_has_a_cost() -> None:
    assert COSTS.keys() == SCALAR_OPS
