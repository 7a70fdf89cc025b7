"""Every op of the table on JAX, on the samples of its record, against its NumPy meaning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfpy  # noqa: F401  (fills the table)
from tfpy._src.dtypes import as_dtype
from tfpy._src.ir.aval import Aval
from tfpy._src.ir.evaluate import evaluate
from tfpy._src.ir.graph import Graph
from tfpy._src.ir.op import OPS, Op
from tfpy._src.runtime import registry

EITHER_SIGN = {"eig"}
"""What has eigenvectors, which LAPACK gives in either direction."""
COMPUTED = [
    op for op in OPS.values() if op.is_primitive and op.family != "text" and not op.is_alias
]


def test_what_is_left_to_the_host() -> None:
    """Strings alone: every numeric op has a rule."""
    from tfpy._src.ir.op import UNSUPPORTED

    left = {name for name in UNSUPPORTED["jax"] if OPS[name].is_primitive}
    assert left == {op.name for op in OPS.values() if op.family == "text"}


def chosen(samples: list[Any], everything: bool) -> list[Any]:
    """All, or two of each dtype: what is compiled at all is mostly right at every shape."""
    kinds: dict[Any, list[Any]] = {}
    for arrays, attrs in samples:
        kinds.setdefault(np.result_type(*arrays) if arrays else None, []).append((arrays, attrs))
    return samples if everything else [s for same in kinds.values() for s in same[1:3] or same]


@pytest.mark.parametrize("op", COMPUTED, ids=lambda op: op.name)
def test_samples(op: Op, rng: np.random.Generator, everything: bool) -> None:
    """All in one program, since compiling one takes a tenth of a second."""
    assert op.samples is not None
    graph, given = Graph(), []
    for arrays, attrs in chosen(op.samples(rng), everything):
        avals = [Aval(np.shape(a), as_dtype(np.asarray(a).dtype)) for a in arrays]
        inputs = [graph.add_input(aval) for aval in avals]
        graph.outputs.append(graph.add_eqn(op, inputs, tuple(attrs.items())))
        given += [np.asarray(a) for a in arrays]
    backend = registry.active_backend()
    program = backend.compile(graph)
    slots = [backend.upload(a) for a in given]
    first = backend.run(program, *slots)
    bound = op.tolerance or 1e-4
    for i, (value, wanted) in enumerate(zip(graph.outputs, evaluate(graph, given), strict=True)):
        found = backend.read(first + i, graph.avals[value])
        assert found.dtype == wanted.dtype
        if op.name in EITHER_SIGN:
            found, wanted = abs(found), abs(wanted)
        if wanted.dtype.kind in "fc":
            np.testing.assert_allclose(found, wanted, bound, bound, err_msg=str(graph.eqns[i]))
        else:
            np.testing.assert_array_equal(found, wanted, err_msg=str(graph.eqns[i]))
    backend.free([*slots, *range(first, first + len(graph.outputs))])
    backend.release(program)
