"""Integers of few bits between devices' dtypes, computed in int32 with the same bits."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from passes.sketch import Sketch, becomes, check

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ops import OPS
from tfpy._src.compiler.passes.narrow_integers import NARROW, widen_narrow_integers

widen = partial(widen_narrow_integers, stored=dtypes.DEVICE_DTYPES)
I32, F32 = dtypes.int32, dtypes.float32
WHOLE = np.array([0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -70000, 2**31 - 1])
FLOATS = np.array([0.0, -0.5, 1.5, 127.9, -129.1, 255.5, 300.0, 3e9, -3e9, np.nan, np.inf, 1e30])
NAMES = sorted(dtype.name for dtype in NARROW)


def narrow_values(graph: Graph) -> list[str]:
    """Return the ops with operands or results of few bits."""
    return [
        eqn.op.name
        for eqn in graph.eqns
        if any(graph.avals[v].dtype in NARROW for v in (*eqn.inputs, *eqn.outputs))
    ]


def test_printed() -> None:
    s = Sketch(((4,), I32))
    quantized = s("cast", 0, dtype=dtypes.uint8)
    becomes(
        s.returns(s("cast", quantized, dtype=F32)),
        widen,
        "%3:int32[4] = cast(%0) dtype=<dtype: 'int32'>",
        "%5:int32[4] = bitwise_and(%3, %4)",
        "%2:float32[4] = cast(%5) dtype=<dtype: 'float32'>",
        "return %2",
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("values", [WHOLE.astype(np.int32), FLOATS.astype(np.float32)])
def test_casts_wrap(name: str, values: Any) -> None:
    s = Sketch((values.shape, dtypes.as_dtype(values.dtype)))
    made = s("cast", 0, dtype=dtypes.as_dtype(name))
    other = s("cast", made, dtype=dtypes.int8)
    results = [s("cast", v, dtype=d) for v in (made, other) for d in (F32, I32, dtypes.bool)]
    graph = check(s.returns(*results), widen, inputs=[values])
    # The host decides the 16-bit results of floats beyond int32.
    assert bool(narrow_values(graph)) == (values.dtype == np.float32 and name.endswith("16"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "maximum", "less", "equal"])
def test_arithmetic(name: str, op: str) -> None:
    values = WHOLE.astype(np.int32)
    s = Sketch((values.shape, I32))
    made = s("cast", 0, dtype=dtypes.as_dtype(name))
    found = s(op, s("reshape", made, shape=(13, 1)), s.constant(np.array([7, 100, 1], name)))
    graph = check(s.returns(s("cast", found, dtype=F32)), widen, inputs=[values])
    assert not narrow_values(graph)


def test_other_ops_and_outputs_have_their_dtype() -> None:
    s = Sketch(((6,), I32), ((2,), dtypes.int8), ((6,), F32))
    made = s("cast", 0, dtype=dtypes.int8)
    joined = s("concat", made, 1, axis=0)
    powers = s("pow", joined, joined)
    untouched = s("pow", 1, 1)
    graph = check(
        s.returns(joined, powers, s("cast", joined, dtype=F32), untouched, s("cast", 2, dtype=I32)),
        widen,
        inputs=[
            np.array([1, 300, 2, 3, 0, 5], np.int32),
            np.array([1, 2], np.int8),
            np.zeros(6, np.float32),
        ],
    )
    assert narrow_values(graph) == ["cast", "cast", "pow", "pow"]
    assert [eqn.op for eqn in graph.eqns].count(OPS["cast"]) == 5


def test_what_never_was_on_the_device_stays() -> None:
    s = Sketch(((6,), dtypes.uint8))
    graph = s.returns(s("cast", s("reshape", 0, shape=(2, 3)), dtype=F32))
    assert widen(graph) is graph
    assert widen_narrow_integers(graph, frozenset(dtypes.ALL)) is graph
