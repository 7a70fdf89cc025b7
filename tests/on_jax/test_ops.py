"""Every op of the table on JAX, on the samples of its record, compared with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ops.test_matrix_functions import MATRICES

import tfpy
from tfpy._src.backends import registry
from tfpy._src.base.dtypes import as_dtype, bfloat16
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import OPS, Op

EITHER_SIGN = {"eig"}
"""Ops with eigenvectors, which LAPACK returns in either direction."""
COMPUTED = [
    op for op in OPS.values() if op.is_primitive and op.family != "text" and not op.is_alias
]


def test_what_is_left_to_the_host() -> None:
    """Check that every numeric op has a rule and that only ops on strings run on the host."""
    from tfpy._src.compiler.ir.op import UNSUPPORTED

    left = {name for name in UNSUPPORTED["jax"] if OPS[name].is_primitive}
    assert left == {op.name for op in OPS.values() if op.family == "text"}


def chosen(samples: list[Any], everything: bool) -> list[Any]:
    """Return all samples, or two of each dtype, because compiled code is rarely wrong by shape."""
    kinds: dict[Any, list[Any]] = {}
    for arrays, attrs in samples:
        kinds.setdefault(np.result_type(*arrays) if arrays else None, []).append((arrays, attrs))
    return samples if everything else [s for same in kinds.values() for s in same[1:3] or same]


@pytest.mark.parametrize("op", COMPUTED, ids=lambda op: op.name)
def test_samples(op: Op, rng: np.random.Generator, everything: bool) -> None:
    assert op.samples is not None
    check(op, chosen(op.samples(rng), everything), op.tolerance or 1e-4)


def in_bfloat16(op: Op, rng: np.random.Generator) -> list[Any]:
    """Return samples with bfloat16 in place of floats, for ops that accept it."""
    assert op.samples is not None
    found = []
    for arrays, attrs in op.samples(rng):
        kept = [np.asarray(a) for a in arrays]
        narrow = [a.astype(bfloat16.as_numpy_dtype) if a.dtype == np.float32 else a for a in kept]
        if any(a.dtype == np.float32 for a in kept) and _takes(op, narrow, attrs):
            found.append((narrow, attrs))
    return found


def _takes(op: Op, arrays: list[Any], attrs: dict[str, Any]) -> bool:
    avals = [Aval(a.shape, as_dtype(a.dtype)) for a in arrays]
    try:
        op.infer(*avals, **attrs)
    except (TypeError, InvalidArgumentError):
        return False
    return registry.active_backend().takes(op, avals)


@pytest.mark.share(24)
@pytest.mark.parametrize("op", COMPUTED, ids=lambda op: op.name)
def test_samples_in_bfloat16(op: Op, rng: np.random.Generator, everything: bool) -> None:
    """Compare results, which are computed in float32 and rounded, with NumPy's.

    They may differ by one unit in the last place.
    """
    if samples := in_bfloat16(op, rng):
        check(op, samples if everything else samples[:2], 2**-7)


def check(op: Op, samples: list[Any], bound: float) -> None:
    """Check all samples in one program, because compiling one takes a tenth of a second."""
    graph, given = Graph(), []
    for arrays, attrs in samples:
        avals = [Aval(np.shape(a), as_dtype(np.asarray(a).dtype)) for a in arrays]
        inputs = [graph.add_input(aval) for aval in avals]
        graph.outputs.append(graph.add_eqn(op, inputs, tuple(attrs.items())))
        given += [np.asarray(a) for a in arrays]
    backend = registry.active_backend()
    program = backend.register(backend.lower(graph))
    slots = [backend.upload(a) for a in given]
    first = backend.run(program, *slots)
    for i, (value, wanted) in enumerate(zip(graph.outputs, evaluate(graph, given), strict=True)):
        found = backend.read(first + i, graph.avals[value])
        assert found.dtype == wanted.dtype
        if wanted.dtype == bfloat16.as_numpy_dtype:
            found, wanted = found.astype(np.float32), wanted.astype(np.float32)
        if op.name in EITHER_SIGN:
            found, wanted = abs(found), abs(wanted)
        if wanted.dtype.kind in "fc":
            np.testing.assert_allclose(found, wanted, bound, bound, err_msg=str(graph.eqns[i]))
        else:
            np.testing.assert_array_equal(found, wanted, err_msg=str(graph.eqns[i]))
    backend.free([*slots, *range(first, first + len(graph.outputs))])
    backend.release(program)


def test_functions_of_matrices_without_eigenvectors() -> None:
    """Check that matrices of one size share a program."""
    pairs = np.array([a for a in MATRICES.values() if len(a) == 2], np.complex64)
    three = np.array([a for a in MATRICES.values() if len(a) == 3], np.complex64)
    for batch in (pairs, three):
        for name, x in (("logm", batch), ("sqrtm", batch), ("sqrtm", batch.real)):
            op = OPS[name]
            kind = op.infer(Aval(x.shape, as_dtype(x.dtype))).dtype.as_numpy_dtype
            with np.errstate(all="ignore"):
                wanted = op.ref(x).astype(kind)
            np.testing.assert_allclose(getattr(tfpy.linalg, name)(x), wanted, 1e-5, 1e-5)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_rates_of_poisson_numbers(dtype: str, rng: np.random.Generator) -> None:
    rates = np.float32([-np.inf, -1, 0, 0.5, 300, 3.3e38, np.inf, np.nan])
    op = OPS["random_poisson"]
    assert op.samples is not None
    *state, _ = op.samples(rng)[0][0]
    check(op, [([*state, rates], {"samples": 4, "dtype": as_dtype(dtype)})], 1e-6)
