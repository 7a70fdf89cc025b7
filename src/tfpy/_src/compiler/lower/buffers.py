"""Buffer assignment: the buffers of a Graph's values, and the calls that fill these buffers.

It is the first half of every backend's lowering. The second half makes steps of the calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base.dtypes import DEVICE_DTYPES, DType
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower.calls import Call, call_of, copy_call
from tfpy._src.compiler.lower.program import Buffer, Program
from tfpy._src.compiler.lower.split_complex import split_complex


class Task(NamedTuple):
    """A call that becomes steps of a Program, and its buffers there."""

    call: Call
    inputs: tuple[int, ...]
    output: int


def assign_buffers(
    graph: Graph, backend: str, dtypes: Set[DType] = DEVICE_DTYPES
) -> tuple[Program, list[Task]]:
    """Return a Program with the buffers of a Graph but without steps, and the tasks of the steps.

    First, complex values are split into two (`split_complex.py`). An alias (reshape) shares its
    operand's buffer. The Program's outputs are distinct buffers that some step writes: an output
    that would be an input, a constant or a second name of another output is copied.

    Args:
        dtypes: Dtypes that the device stores.

    Raises:
        ValueError: If a value has a dtype that devices do not store.
        NotLowerable: If an equation of complex values cannot be split.
    """
    graph = split_complex(graph)
    eqns = [e for e in graph.eqns if not e.op.is_alias]
    calls = [(*call_of(graph, e), e.outputs[0]) for e in eqns]
    origin = _origins(graph)
    read = dict.fromkeys(origin[v] for _, values, _ in calls for v in values)
    read |= dict.fromkeys(origin[v] for v in graph.outputs)
    constants = [v for v in read if v in graph.constants]
    stored = [*graph.inputs, *constants, *(output for _, _, output in calls)]
    number = {v: i for i, v in enumerate(stored)}
    at = {v: number[source] for v, source in enumerate(origin) if source in number}
    program = Program(backend)
    program.buffers = [_buffer(graph, v, backend, dtypes) for v in stored]
    program.inputs = [at[v] for v in graph.inputs]
    program.equations = {at[e.outputs[0]]: e for e in eqns}
    program.constants = [(at[v], _bytes_of(graph, v)) for v in constants]
    tasks = [Task(call, tuple(at[v] for v in values), at[out]) for call, values, out in calls]
    return program, [*tasks, *_name_outputs(graph, program, at)]


def _origins(graph: Graph) -> list[int]:
    """Return for each value the value that owns its bytes: itself, unless it is an alias."""
    origin = list(range(len(graph.avals)))
    for eqn in graph.eqns:
        if eqn.op.is_alias:
            origin[eqn.outputs[0]] = origin[eqn.inputs[0]]
    return origin


def _buffer(graph: Graph, value: int, backend: str, dtypes: Set[DType]) -> Buffer:
    aval = graph.avals[value]
    if aval.dtype not in dtypes:
        raise ValueError(f"{backend}: devices do not store {aval.dtype.name} (value {aval})")
    return Buffer(aval.shape, aval.dtype)


def _bytes_of(graph: Graph, constant: int) -> bytes:
    dtype = graph.avals[constant].dtype.as_numpy_dtype
    array: np.ndarray[Any, Any] = np.ascontiguousarray(graph.constants[constant], dtype)
    return array.tobytes()


def _name_outputs(graph: Graph, program: Program, at: Mapping[int, int]) -> list[Task]:
    """Set the Program's outputs, and return the copies that are left to do."""
    copies = []
    taken = {*program.inputs, *(buffer for buffer, _ in program.constants)}
    for value in graph.outputs:
        aval, buffer = graph.avals[value], at[value]
        if buffer in taken:
            source, buffer = buffer, program.add_buffer(aval.shape, aval.dtype)
            copies.append(Task(copy_call(aval), (source,), buffer))
        taken.add(buffer)
        program.outputs.append(buffer)
    return copies
