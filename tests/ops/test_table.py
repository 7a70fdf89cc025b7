"""The op table is complete: every primitive has every property, and every backend knows it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from ops import oracle

import tfpy
from tfpy import dtypes
from tfpy._src.compiler.ir import complex_expr
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.expr import SCALAR_OPS, linearize
from tfpy._src.compiler.ir.graph import Graph, single_equation
from tfpy._src.compiler.lower import wasm, webgl, webgpu
from tfpy._src.compiler.lower.program import Program, verify
from tfpy._src.compiler.lower.wasm.target import WasmTarget
from tfpy._src.compiler.lower.webgl.glsl.language import Glsl
from tfpy._src.compiler.ops import OPS, UNSUPPORTED, Op

ROOT = Path(__file__).parents[2]
PRIMITIVES = [op for op in OPS.values() if op.is_primitive]
EVERY_OP = pytest.mark.parametrize("op", PRIMITIVES, ids=lambda op: op.name)

TFJS_NAMES = {"floor_div", "squared_difference"}
"""Public names that TensorFlow.js has (in camel case), but not TensorFlow."""


@EVERY_OP
def test_facts(op: Op, rng: np.random.Generator) -> None:
    assert op.samples is not None
    assert op.samples(rng), "no samples"
    assert op.family
    ways = [op.is_alias, op.expr is not None, op.kernel is not None, bool(op.host_only)]
    assert ways.count(True) == 1
    assert op.doc or op.name in oracle.ORACLES


@EVERY_OP
def test_inference_agrees_with_reference(op: Op, rng: np.random.Generator) -> None:
    assert op.samples is not None
    for arrays, attrs in op.samples(rng):
        aval = op.infer(*(Aval(a.shape, dtypes.as_dtype(a.dtype)) for a in arrays), **attrs)
        result = np.asarray(op.ref(*arrays, **attrs))
        assert result.shape == aval.shape
        assert result.size == aval.size


@EVERY_OP
def test_tolerances_have_reasons(op: Op) -> None:
    if op.tolerance is not None:
        assert op.reason


@EVERY_OP
def test_public_names_are_tensorflows(op: Op) -> None:
    for path in op.public:
        assert oracle.public(path) is not None or path in TFJS_NAMES
        *namespace, name = path.split(".")
        module = tfpy
        for part in namespace:
            module = getattr(module, part)
        function = getattr(module, name)
        assert function.__doc__
        assert function.__name__ == op.public[0].rsplit(".", 1)[-1]


@pytest.mark.parametrize("public", [(), ("nn.nothing",)], ids=["private", "public"])
def test_a_missing_oracle(public: tuple[str, ...]) -> None:
    op = replace(OPS["relu"], name="nothing", public=public)
    with pytest.raises(LookupError, match=r"the primitive nothing: .*Add 'nothing' .*oracle\.py"):
        oracle.function(op)


@EVERY_OP
def test_expressions_use_known_scalar_ops(op: Op, rng: np.random.Generator) -> None:
    if op.expr is None:
        return
    assert op.samples is not None
    for arrays, attrs in op.samples(rng):
        operands = complex_expr.operands([dtypes.as_dtype(a.dtype) for a in arrays])
        root = op.expr(*operands, **attrs)
        aval = op.infer(*(Aval(a.shape, dtypes.as_dtype(a.dtype)) for a in arrays), **attrs)
        assert root.dtype == aval.dtype
        lines, _ = linearize(*complex_expr.components(root))
        assert {line.op for line in lines} <= SCALAR_OPS


SPELT = {"cast", "bitcast", "index", "input", "const"}
"""Scalar ops that renderers write in code instead of their operator table."""


def test_glsl_knows_every_scalar_op() -> None:
    known = {key.split()[0] for key in Glsl.operators}
    assert known | SPELT == SCALAR_OPS


def test_wasm_knows_every_scalar_op() -> None:
    text = (ROOT / "csrc/xnnpack_glue/elementwise/scalar_ops.cc").read_text(encoding="utf-8")
    names = set(re.findall(r'^    (?:\{|float_unary<\w+>\()"([\w.]+)"', text, re.MULTILINE))
    known = {name.split(".")[0] for name in names}
    assert known | SPELT >= SCALAR_OPS - {"quotient"}  # quotient is "div" in renderers


LOWER: dict[str, Callable[[Graph], Program]] = {
    "webgpu": partial(webgpu.lower, max_inputs=15),
    "webgl": webgl.lower,
    "wasm": wasm.lower,
}


@pytest.mark.parametrize("device", LOWER)
@EVERY_OP
def test_lowers(op: Op, device: str, rng: np.random.Generator) -> None:
    """Check that every sample becomes a Program that the verifier accepts."""
    if op.name in UNSUPPORTED[device]:
        return
    lower = LOWER[device]
    assert op.samples is not None
    for arrays, attrs in op.samples(rng):
        avals = [Aval(a.shape, dtypes.as_dtype(a.dtype)) for a in arrays]
        program = lower(single_equation(op, avals, tuple(attrs.items())))
        verify(program)
        assert json.loads(program.to_json())["version"] == 1


def kernel_names(rng: np.random.Generator) -> set[str]:
    """Return every kernel of the wasm runtime that some sample uses."""
    names = set()
    for op in PRIMITIVES:
        if op.kernel is None or op.name in UNSUPPORTED["wasm"]:
            continue
        assert op.samples is not None
        for arrays, attrs in op.samples(rng):
            avals = [Aval(a.shape, dtypes.as_dtype(a.dtype)) for a in arrays]
            names.add(op.kernel(*avals, **attrs).name)
    return names


def test_the_kernels_of_wasm(rng: np.random.Generator) -> None:
    """Check that the runtime has exactly the kernels that lowering uses."""
    registry = (ROOT / "csrc/xnnpack_glue/program/kernels.def").read_text(encoding="utf-8")
    in_wasm = set(re.findall(r"^KERNEL\((\w+)\)", registry, re.MULTILINE))
    assert in_wasm == kernel_names(rng) | {"elementwise"} | WasmTarget().kernels


@EVERY_OP
def test_gradient_or_none(op: Op) -> None:
    """Check that an op without a gradient is inherently not differentiable."""
    without = {
        "reduce_any",
        "reduce_all",
        "argmax",
        "argmin",
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "logical_and",
        "logical_or",
        "logical_xor",
        "logical_not",
        "is_nan",
        "is_inf",
        "is_finite",
        "bitcast",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "invert",
        "left_shift",
        "right_shift",
        "range",
        "argsort",
        "largest",
        "searchsorted",
        "ravel_index",
        "truncatemod",
        "lu_permutation",
        "logm",
        "igamma_grad_a",
        "non_max_suppression",
        "random_gamma_grad",
    }
    random = op.family == "random" and op.name != "random_gamma"
    assert (op.vjp is None) == (op.name in without or random or op.family == "text")


def test_unsupported_ops_have_reasons() -> None:
    assert set(UNSUPPORTED) >= {"cpu", *LOWER}
    for reasons in UNSUPPORTED.values():
        for name, reason in reasons.items():
            assert name in OPS
            assert reason
