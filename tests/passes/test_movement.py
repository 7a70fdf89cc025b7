"""Movement ops that change nothing or are repeated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from passes.sketch import Sketch, becomes, check

from tfpy import dtypes
from tfpy._src.compiler.passes.movement import simplify_movement
from tfpy._src.compiler.passes.padding import absorb_padding


def sliced(s: Sketch, x: int, begin: Any, size: Any, strides: Any = None) -> int:
    strides = strides or (1,) * len(begin)
    return s("strided_slice", x, begin=begin, size=size, strides=strides)


def test_reshapes() -> None:
    s = Sketch((2, 6))
    twice = s("reshape", s("reshape", 0, shape=(12,)), shape=(3, 4))
    back = s("reshape", twice, shape=(2, 6))
    same = s("reshape", 0, shape=(2, 6))
    becomes(
        s.returns(twice, back, same),
        simplify_movement,
        "%1:float32[3,4] = reshape(%0) shape=(3, 4)",
        "return %1, %0, %0",
    )


def test_transposes() -> None:
    s = Sketch((2, 3, 4))
    turned = s("transpose", 0, perm=(1, 2, 0))
    again = s("transpose", turned, perm=(0, 2, 1))
    back = s("transpose", turned, perm=(2, 0, 1))
    becomes(
        s.returns(again, back, s("transpose", 0, perm=(0, 1, 2))),
        simplify_movement,
        "%1:float32[3,2,4] = transpose(%0) perm=(1, 0, 2)",
        "return %1, %0, %0",
    )


def test_a_transpose_of_dimensions_of_one_is_a_reshape() -> None:
    s = Sketch((4, 1, 3))
    graph = s.returns(s("transpose", 0, perm=(1, 0, 2)), s("transpose", 0, perm=(2, 1, 0)))
    becomes(
        graph,
        simplify_movement,
        "%1:float32[1,4,3] = reshape(%0) shape=(1, 4, 3)",
        "%2:float32[3,1,4] = transpose(%0) perm=(2, 1, 0)",
        "return %1, %2",
    )


def test_broadcasts() -> None:
    s = Sketch((1, 3))
    grown = s("broadcast_to", s("broadcast_to", 0, shape=(2, 3)), shape=(4, 2, 3))
    one = s("broadcast_to", 0, shape=(1, 1, 3))
    filled = s("reshape", s("broadcast_to", sliced(s, 0, (0, 1), (1, 1)), shape=(2, 2)), shape=(4,))
    becomes(
        s.returns(grown, one, s("broadcast_to", 0, shape=(1, 3)), filled),
        simplify_movement,
        "%1:float32[4,2,3] = broadcast_to(%0) shape=(4, 2, 3)",
        "%2:float32[1,1,3] = reshape(%0) shape=(1, 1, 3)",
        "%3:float32[1,1] = strided_slice(%0) begin=(0, 1) size=(1, 1) strides=(1, 1)",
        "%4:float32[] = reshape(%3) shape=()",
        "%5:float32[4] = broadcast_to(%4) shape=(4,)",
        "return %1, %2, %0, %5",
    )


@pytest.mark.parametrize(
    ("begin", "size", "strides", "left"),
    [
        ((0, 0), (6, 8), (1, 1), 0),
        ((0, 0), (6, 7), (1, 1), 1),
        ((5, 7), (6, 8), (-1, -1), 1),
    ],
)
def test_slices_of_everything(begin: Any, size: Any, strides: Any, left: int) -> None:
    s = Sketch((6, 8))
    result = check(s.returns(sliced(s, 0, begin, size, strides)), simplify_movement)
    assert len(result.eqns) == left


def test_slices_of_slices() -> None:
    s = Sketch((9, 8))
    first = sliced(s, 0, (8, 1), (5, 3), (-2, 2))
    graph = s.returns(sliced(s, first, (1, 2), (2, 2), (2, -1)))
    becomes(
        graph,
        simplify_movement,
        "%1:float32[2,2] = strided_slice(%0) begin=(6, 5) size=(2, 2) strides=(-4, -2)",
        "return %1",
    )


def test_slices_of_joined_pieces() -> None:
    s = Sketch((2, 3), (2, 4))
    joined = s("concat", 0, 1, axis=1)
    first, second = sliced(s, joined, (0, 0), (2, 3)), sliced(s, joined, (0, 4), (2, 3))
    backwards = sliced(s, joined, (0, 6), (1, 4), (1, -1))
    both = sliced(s, joined, (0, 2), (2, 2))
    becomes(
        s.returns(first, second, backwards, both),
        simplify_movement,
        "%2:float32[2,7] = concat(%0, %1) axis=1",
        "%3:float32[2,3] = strided_slice(%1) begin=(0, 1) size=(2, 3) strides=(1, 1)",
        "%4:float32[1,4] = strided_slice(%1) begin=(0, 3) size=(1, 4) strides=(1, -1)",
        "%5:float32[2,2] = strided_slice(%2) begin=(0, 2) size=(2, 2) strides=(1, 1)",
        "return %0, %3, %4, %5",
    )


def padded(s: Sketch, x: int, *padding: Any, interior: Any = None, value: Any = 0) -> int:
    return s("pad", x, padding=padding, interior=interior or (0,) * len(padding), value=value)


def test_pads() -> None:
    s = Sketch((3, 2))
    nothing = padded(s, 0, (0, 0), (0, 0))
    twice = padded(s, padded(s, 0, (1, 0), (2, 0)), (0, 1), (3, 0))
    becomes(
        s.returns(nothing, twice),
        simplify_movement,
        "%1:float32[5,7] = pad(%0) padding=((1, 1), (5, 0)) interior=(0, 0) value=0",
        "return %0, %1",
    )


def test_pads_that_stay() -> None:
    s = Sketch((3, 2))
    inner = padded(s, 0, (1, 0), (2, 0))
    other_value = padded(s, inner, (1, 1), (1, 1), value=1)
    cropped = padded(s, inner, (-1, 0), (1, 0))
    spread = padded(s, inner, (1, 0), (1, 0), interior=(1, 0))
    graph = s.returns(other_value, cropped, spread, padded(s, 0, (0, 0), (0, 0), interior=(1, 1)))
    assert len(check(graph, simplify_movement).eqns) == 5


def test_concats() -> None:
    s = Sketch((2, 3), (0, 3))
    becomes(
        s.returns(s("concat", 0, axis=0), s("concat", 1, 0, axis=0), s("concat", 0, 1, 0, axis=0)),
        simplify_movement,
        "%2:float32[4,3] = concat(%0, %0) axis=0",
        "return %0, %0, %2",
    )


def test_updates_of_everything() -> None:
    s = Sketch((2, 3), (2, 3), (1, 3), ((2,), dtypes.int32))
    whole = s("dynamic_update_slice", 0, 1, 3)
    part = s("dynamic_update_slice", 0, 2, 3)
    becomes(
        s.returns(whole, part),
        simplify_movement,
        "%4:float32[2,3] = dynamic_update_slice(%0, %2, %3)",
        "return %1, %4",
    )


def test_reductions_over_nothing() -> None:
    s = Sketch((3, 1, 2))
    becomes(
        s.returns(s("reduce_sum", 0, axes=(1, 2)), s("reduce_max", 0, axes=(1, 3))),
        simplify_movement,
        "%1:float32[3,2] = reshape(%0) shape=(3, 2)",
        "%2:float32[3] = reduce_max(%0) axes=(1, 3)",
        "return %1, %2",
    )


WINDOW: dict[str, Any] = {"strides": (2, 2), "dilations": (1, 1), "padding": ((0, 1), (0, 0))}


def test_padding_goes_into_convolutions(rng: np.random.Generator) -> None:
    for op, filter_ in (("conv2d", (3, 3, 2, 4)), ("depthwise_conv2d", (3, 3, 2, 2))):
        s = Sketch((1, 8, 8, 2), filter_)
        x = padded(s, 0, (0, 0), (1, 0), (2, 1), (0, 0))
        inputs = [rng.normal(size=n).astype(np.float32) for n in ((1, 8, 8, 2), filter_)]
        result = check(s.returns(s(op, x, 1, **WINDOW)), absorb_padding, inputs=inputs)
        (eqn,) = result.eqns
        assert dict(eqn.attrs)["padding"] == ((1, 1), (2, 1))


@pytest.mark.parametrize(
    "attrs",
    [
        {"padding": ((0, 1), (1, 1), (1, 1), (0, 0))},
        {"padding": ((0, 0), (1, 1), (1, 1), (0, 1))},
        {"padding": ((0, 0), (-1, 1), (1, 1), (0, 0))},
        {"value": 1},
        {"interior": (0, 1, 0, 0)},
    ],
)
def test_other_padding_stays(attrs: dict[str, Any]) -> None:
    s = Sketch((1, 8, 8, 2))
    plain = {"padding": ((0, 0), (1, 1), (1, 1), (0, 0)), "interior": (0,) * 4, "value": 0}
    x = s("pad", 0, **(plain | attrs))
    filter_ = np.ones((3, 3, s.builder.aval(x).shape[3], 4), np.float32)
    graph = s.returns(s("conv2d", x, filter_, **WINDOW))
    assert [eqn.op.name for eqn in absorb_padding(graph).eqns] == ["pad", "conv2d"]


def test_slices_of_joined_and_padded_values(rng: np.random.Generator) -> None:
    s = Sketch((1, 3, 4), (1, 3, 4))
    layer = s("reshape", s("concat", 0, 1, axis=0), shape=(1, 2, 3, 4))
    x = s("pad", layer, padding=((0, 0), (0, 0), (0, 5), (0, 0)), interior=(0,) * 4, value=0)
    inner = s("reshape", x, shape=(2, 8, 1, 4))
    graph = s.returns(sliced(s, inner, (1, 0, 0, 0), (1, 8, 1, 4)))
    inputs = [rng.normal(size=(1, 3, 4)).astype(np.float32) for _ in range(2)]
    result = check(graph, *[simplify_movement] * 4, inputs=inputs)
    assert {eqn.op.name for eqn in result.eqns} == {"reshape", "pad"}
    (padded_,) = (eqn for eqn in result.eqns if eqn.op.name == "pad")
    assert result.avals[padded_.outputs[0]].size == 8 * 4


def test_slices_of_other_padded_values_stay() -> None:
    s = Sketch((2, 3), (2, 3))
    padding: dict[str, Any] = {"interior": (0, 0), "value": 0}
    joined = s("concat", 0, 1, axis=0)
    along = s("pad", joined, padding=((0, 0), (1, 0)), **padding)
    spread = s("pad", joined, padding=((0, 0), (1, 0)), **(padding | {"interior": (1, 0)}))
    alone = s("pad", 0, padding=((0, 0), (1, 0)), **padding)
    wide = s("reshape", joined, shape=(2, 6))
    results = [sliced(s, x, (0, 0), (1, 2)) for x in (along, wide)]
    results += [sliced(s, x, (0, 0), (1, 4)) for x in (spread, alone)]
    graph = s.returns(*results)
    names = [eqn.op.name for eqn in simplify_movement(graph).eqns]
    assert names.count("strided_slice") == 4
    assert names.count("pad") == 3
