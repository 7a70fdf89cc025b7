"""The call of an equation: an elementwise expression over arrays, or a named kernel.

A fusion also becomes one call: an expression, or a kernel with a prologue or an epilogue.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.fusion import (
    EPILOGUE,
    LOOP,
    PROLOGUE,
    fusion,
    is_elementwise,
    is_scalar_constant,
)
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.kernel import Epilogue, KernelCall, Param, Prologue
from tfpy._src.compiler.ir.strides import MAX_DIMS, View, broadcast_view
from tfpy._src.compiler.lower.compose import Composition, compose

_BODIES = 1024  # cached bodies of fusions: networks repeat themselves

Values = tuple[int, ...]


@dataclass(frozen=True)
class Elementwise:
    """An expression over arrays: `input_(i)` of `root` is an element of array number i."""

    root: ex.Expr
    views: tuple[View, ...]
    """View of each array from the index space of `out`."""
    out: Aval


Call = Elementwise | KernelCall


def call_of(graph: Graph, eqn: Eqn) -> tuple[Call, Values]:
    """Return the call of an equation that is not an alias, and the values that it reads, in order.

    A kernel call has a prologue or an epilogue only if the backend's target supports it.
    """
    if eqn.op.expr is not None:
        return _elementwise_call(graph, eqn)
    if eqn.op is fusion and dict(eqn.attrs)["kind"] == LOOP:
        return loop_call(eqn)
    return kernel_call(graph, eqn)


def _elementwise_call(graph: Graph, eqn: Eqn) -> tuple[Elementwise, Values]:
    """Return the expression over distinct arrays. One-element constants become numbers."""
    assert eqn.op.expr is not None
    numbers = [is_scalar_constant(graph, value) for value in eqn.inputs]
    pairs = list(zip(eqn.inputs, numbers, strict=True))
    arrays = tuple(dict.fromkeys(value for value, is_number in pairs if not is_number))
    operands = [
        ex.const(graph.constants[value].item(), graph.avals[value].dtype)
        if is_number
        else ex.input_(arrays.index(value), graph.avals[value].dtype)
        for value, is_number in pairs
    ]
    out = graph.avals[eqn.outputs[0]]
    root = ex.applied(eqn.op.expr, operands, eqn.attrs, out.dtype)
    views = tuple(broadcast_view(graph.avals[value].shape, out.shape) for value in arrays)
    return Elementwise(root, views, out), arrays


def loop_call(eqn: Eqn) -> tuple[Elementwise, Values]:
    """Return the elementwise call of a fusion of kind "loop", and the values that it reads."""
    body: Graph = dict(eqn.attrs)["body"]
    found = _composed(body, body.outputs[0])
    outside = dict(zip(body.inputs, eqn.inputs, strict=True))
    out = Aval(found.space, body.avals[body.outputs[0]].dtype)
    return Elementwise(found.root, _views(found), out), tuple(outside[v] for v, _ in found.reads)


@functools.lru_cache(maxsize=_BODIES)
def _composed(body: Graph, output: int, first: int = -1) -> Composition:
    """Return a value of a fusion's body as an expression of the inputs (and `first`)."""
    return compose(body, output, body.inputs if first < 0 else [*body.inputs, first], first)


def kernel_call(graph: Graph, eqn: Eqn) -> tuple[KernelCall, Values]:
    """Return the kernel call of an equation and the values that it reads, in order.

    A fusion of kind "epilogue" or "prologue" contains one equation with a kernel: equations before
    it are the prologue, equations after it the epilogue. If it contains two kernels, the first one
    computes the operand of the second one.
    """
    attrs = dict(eqn.attrs)
    if eqn.op is not fusion or attrs["kind"] not in (EPILOGUE, PROLOGUE):
        assert eqn.op.kernel is not None
        call = eqn.op.kernel(*(graph.avals[i] for i in eqn.inputs), **attrs)
        return call, eqn.inputs[: len(call.inputs)] if eqn.op is fusion else eqn.inputs
    body: Graph = attrs["body"]
    call, values = _call_of_body(body)
    outside = dict(zip(body.inputs, eqn.inputs, strict=True))
    return call, tuple(outside[v] for v in values)


@functools.lru_cache(maxsize=_BODIES)
def _call_of_body(body: Graph) -> tuple[KernelCall, Values]:
    """Return the kernel call of a fusion's body, and the inputs that it reads, in order."""
    (output,) = body.outputs
    *makers, inner = (e for e in body.eqns if not is_elementwise(e.op))
    call, values = kernel_call(body, inner)
    if makers:
        (maker,) = makers
        made_by, read = kernel_call(body, maker)
        call, values = replace(call, maker=made_by), (*read, *values[1:])
    elif values[0] not in body.inputs:
        made = _composed(body, values[0])
        out = Aval(made.space, body.avals[values[0]].dtype)
        call = replace(call, prologue=Prologue(made.root, _views(made), out))
        values = (*(v for v, _ in made.reads), *values[1:])
    (result,) = inner.outputs
    if result != output:
        done = _composed(body, output, result)
        out = Aval(done.space, body.avals[output].dtype)
        dtype = body.avals[result].dtype
        call = replace(call, epilogue=Epilogue(done.root, _views(done)[1:], out, dtype))
        values = (*values, *(v for v, _ in done.reads[1:]))
    return call, values


def _views(found: Composition) -> tuple[View, ...]:
    return tuple(view for _, view in found.reads)


def copy_call(aval: Aval) -> KernelCall:
    """Return the kernel call that copies an array."""
    ones = [1] * (MAX_DIMS - 1)
    zeros = [0] * (MAX_DIMS - 1)
    params: dict[str, Param] = {"dims": [*ones, aval.size], "strides": [*zeros, 1], "offset": 0}
    return KernelCall("strided", ("x",), params)
