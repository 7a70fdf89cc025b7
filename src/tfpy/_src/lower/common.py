"""What the lowerings of all device backends share: buffers, aliases, operands, fusions.

A backend gives an :class:`Emitter`, which adds the steps of one equation; :func:`build_program`
walks the Graph. A fusion becomes one elementwise call, or one kernel call with a prologue or
an epilogue.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from tfpy._src.dtypes import DEVICE_DTYPES
from tfpy._src.ir import expr as ex
from tfpy._src.ir.aval import Aval
from tfpy._src.ir.fusion import EPILOGUE, LOOP, PROLOGUE, fusion, is_elementwise, is_scalar_constant
from tfpy._src.ir.graph import Eqn, Graph
from tfpy._src.ir.kernel import Epilogue, KernelCall, Param, Prologue
from tfpy._src.ir.strides import MAX_DIMS, View, broadcast_view
from tfpy._src.lower.compose import Composition, compose
from tfpy._src.lower.program import Program
from tfpy._src.lower.split_complex import split_complex

_BODIES = 1024  # of fusions, for which is kept what they become: networks repeat themselves


@dataclass(frozen=True)
class Elementwise:
    """An elementwise equation: ``input_(i)`` of ``root`` is ``buffers[i]`` read by ``views[i]``."""

    root: ex.Expr
    buffers: tuple[int, ...]
    views: tuple[View, ...]
    out: Aval


class Emitter(Protocol):
    """Adds the steps of one equation to a Program."""

    def elementwise(self, program: Program, call: Elementwise, output: int) -> None:
        """Computes ``call`` into the buffer ``output``."""

    def kernel(
        self, program: Program, call: KernelCall, inputs: Sequence[int], output: int
    ) -> None:
        """Runs a named kernel on buffers of the Program.

        A call has a prologue or an epilogue only where the backend's target takes it.
        """


def build_program(graph: Graph, backend: str, emitter: Emitter) -> Program:
    """Lowers a Graph equation by equation.

    Complex values are split into two first (``split_complex.py``). An alias (reshape) shares its
    operand's buffer. The Program's outputs are distinct buffers that some step writes: an output
    that would be an input, a constant or a second name of another output is copied.

    Raises:
        ValueError: when a value has a dtype that devices do not store.
        NotLowerable: when an equation of complex values cannot be split.
    """
    building = _Building(split_complex(graph), Program(backend), emitter)
    building.add_inputs()
    for eqn in building.graph.eqns:
        building.add_equation(eqn)
    building.add_outputs()
    return building.program


class _Building:
    """A Program that grows with the equations of a Graph."""

    def __init__(self, graph: Graph, program: Program, emitter: Emitter) -> None:
        self.graph = graph
        self.program = program
        self._emitter = emitter
        self._buffers: dict[int, int] = {}

    def add_inputs(self) -> None:
        self.program.inputs = [self._add_buffer(value) for value in self.graph.inputs]

    def add_equation(self, eqn: Eqn) -> None:
        """Adds the steps of an equation, whose operands are there."""
        graph, program, buffers = self.graph, self.program, self._buffers
        for value in eqn.inputs:
            if not _folds(graph, eqn, value):
                self._add_if_constant(value)
        (out,) = eqn.outputs
        if eqn.op.is_alias:
            buffers[out] = buffers[eqn.inputs[0]]
        elif eqn.op.expr is not None:
            call = _expression(graph, eqn, buffers)
            self._emitter.elementwise(program, call, self._add_buffer(out))
        elif eqn.op is fusion and dict(eqn.attrs)["kind"] == LOOP:
            call = loop_call(eqn, [buffers[i] for i in eqn.inputs])
            self._emitter.elementwise(program, call, self._add_buffer(out))
        else:
            kernel, values = kernel_call(graph, eqn)
            operands = [buffers[i] for i in values]
            self._emitter.kernel(program, kernel, operands, self._add_buffer(out))

    def add_outputs(self) -> None:
        """Names the outputs; those that need buffers of their own are copied."""
        for value in self.graph.outputs:
            self._add_if_constant(value)
        constants = {buffer for buffer, _ in self.program.constants}
        taken = {*self.program.inputs, *constants}
        for value in self.graph.outputs:
            aval, buffer = self.graph.avals[value], self._buffers[value]
            if buffer in taken:
                source, buffer = buffer, self.program.add_buffer(aval.shape, aval.dtype)
                self._emitter.kernel(self.program, _copy(aval), [source], buffer)
            taken.add(buffer)
            self.program.outputs.append(buffer)

    def _add_buffer(self, value: int) -> int:
        aval = self.graph.avals[value]
        if aval.dtype not in DEVICE_DTYPES:
            raise ValueError(
                f"{self.program.backend}: devices do not store {aval.dtype.name} (value {aval})"
            )
        self._buffers[value] = self.program.add_buffer(aval.shape, aval.dtype)
        return self._buffers[value]

    def _add_if_constant(self, value: int) -> None:
        """Gives a constant a buffer, unless it has one."""
        if value in self.graph.constants and value not in self._buffers:
            dtype = self.graph.avals[value].dtype.as_numpy_dtype
            array: np.ndarray[Any, Any] = np.ascontiguousarray(self.graph.constants[value], dtype)
            self.program.constants.append((self._add_buffer(value), array.tobytes()))


def loop_call(eqn: Eqn, buffers: Sequence[int]) -> Elementwise:
    """The elementwise call of a fusion of kind "loop" whose inputs are in ``buffers``."""
    body: Graph = dict(eqn.attrs)["body"]
    found = _composed(body, body.outputs[0])
    places = dict(zip(body.inputs, buffers, strict=True))
    return Elementwise(
        found.root,
        tuple(places[v] for v, _ in found.reads),
        _views(found),
        Aval(found.space, body.avals[body.outputs[0]].dtype),
    )


@functools.lru_cache(maxsize=_BODIES)
def _composed(body: Graph, output: int, first: int = -1) -> Composition:
    """A value of a fusion's body, as an expression of the inputs (and ``first``)."""
    return compose(body, output, body.inputs if first < 0 else [*body.inputs, first], first)


def kernel_call(graph: Graph, eqn: Eqn) -> tuple[KernelCall, tuple[int, ...]]:
    """The kernel call of an equation and the values that it reads, in order.

    A fusion of kind "epilogue" or "prologue" holds one equation with a kernel: what comes before it
    is the prologue, what comes after it the epilogue.
    """
    attrs = dict(eqn.attrs)
    if eqn.op is not fusion or attrs["kind"] not in (EPILOGUE, PROLOGUE):
        assert eqn.op.kernel is not None
        return eqn.op.kernel(*(graph.avals[i] for i in eqn.inputs), **attrs), eqn.inputs
    body: Graph = attrs["body"]
    call, values = _call_of(body)
    places = dict(zip(body.inputs, eqn.inputs, strict=True))
    return call, tuple(places[v] for v in values)


@functools.lru_cache(maxsize=_BODIES)
def _call_of(body: Graph) -> tuple[KernelCall, tuple[int, ...]]:
    """The kernel call that a fusion's body is, and the inputs that it reads, in order."""
    (output,) = body.outputs
    (inner,) = (e for e in body.eqns if not is_elementwise(e.op))
    call, values = kernel_call(body, inner)
    if values[0] not in body.inputs:
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


def _folds(graph: Graph, eqn: Eqn, value: int) -> bool:
    """Whether the equation needs no buffer for the constant: its expression holds the number."""
    return eqn.op.expr is not None and is_scalar_constant(graph, value)


def _expression(graph: Graph, eqn: Eqn, buffers: dict[int, int]) -> Elementwise:
    """The equation's scalar expression over distinct buffers; scalar constants become numbers."""
    assert eqn.op.expr is not None
    values: list[int] = []
    operands: list[ex.Expr] = []
    for value in eqn.inputs:
        aval = graph.avals[value]
        if is_scalar_constant(graph, value):
            operands.append(ex.const(graph.constants[value].item(), aval.dtype))
            continue
        if value not in values:
            values.append(value)
        operands.append(ex.input_(values.index(value), aval.dtype))
    out = graph.avals[eqn.outputs[0]]
    return Elementwise(
        eqn.op.expr(*operands, **dict(eqn.attrs)),
        tuple(buffers[v] for v in values),
        tuple(broadcast_view(graph.avals[v].shape, out.shape) for v in values),
        out,
    )


def _copy(aval: Aval) -> KernelCall:
    """The kernel call that copies a buffer as it is."""
    ones = [1] * (MAX_DIMS - 1)
    zeros = [0] * (MAX_DIMS - 1)
    params: dict[str, Param] = {"dims": [*ones, aval.size], "strides": [*zeros, 1], "offset": 0}
    return KernelCall("strided", ("x",), params)
