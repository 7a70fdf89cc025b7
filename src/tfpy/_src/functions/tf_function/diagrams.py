"""HTML for compiled functions: their signatures, and diagrams of the kernels that run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from reprlib import repr
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.fusion import name_of
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower.program import Program
from tfpy._src.core import nest
from tfpy._src.display import arrays, diagrams, tables
from tfpy._src.display.diagrams import Box, Style
from tfpy._src.functions.executor.compiled_parts import HOST, CompiledPart, GraphValue, Key
from tfpy._src.functions.tf_function.signature import aval_of
from tfpy._src.tensors.variables.variable import Variable

if TYPE_CHECKING:
    from tfpy._src.functions.tf_function.concrete import ConcreteFunction
    from tfpy._src.functions.tf_function.text import Lowered

_MOST = 120
"""Maximum number of kernels in a diagram."""
_TRACES = 8
"""Maximum number of traces in a table; the last ones are listed."""

_ARGUMENT = Style("#4a86e8", is_round=True)
_RESULT = Style("#2fa866", is_round=True)
_CONSTANT = Style("#888888", is_round=True)
_KERNEL = Style("#8d70e0")
_HOST = Style("#e07b1f")
_PRELUDE = Style("#8d70e0", is_dashed=True)


# Functions


def functions(name: str, traces: Sequence[ConcreteFunction]) -> str:
    """Return the signatures of a function as HTML, with the Programs of those that have run."""
    if not traces:
        return arrays.panel(
            "tf.function", [name], arrays.note("not traced yet; the first call traces it")
        )
    rows = [["signature", "backend", "kernels", "bytes of constants", "of temporaries"]]
    rows += [[_signature(trace), *_facts(trace)] for trace in traces[-_TRACES:]]
    count = f"{len(traces)} trace{'' if len(traces) == 1 else 's'}"
    told = "" if len(traces) <= _TRACES else f", the last {_TRACES} below"
    return arrays.panel("tf.function", [name, count + told], tables.html(rows))


def _signature(trace: ConcreteFunction) -> str:
    """Return the inputs and outputs of a trace in short form."""
    takes = [f"{name}: {aval_of(tensor).closed}" for name, tensor in trace.call.tensors]
    takes += [f"{k}={_literal(v)}" for k, v in trace.call.without_tensors().items()]
    gives = [str(tensor.aval.closed) for tensor in trace.results.tensors]
    return f"({', '.join(takes)}) → {', '.join(gives) or 'None'}"


def _literal(value: Any) -> str:
    """Return a Python value as text. Variables are abbreviated, because they print their values."""
    leaves = nest.flatten(value)
    return "Variables" if any(isinstance(leaf, Variable) for leaf in leaves) else repr(value)


def _facts(trace: ConcreteFunction) -> list[str]:
    """Return the cells of a table row, without compiling the trace."""
    if not trace.is_lowered:
        return ["not compiled yet", "", "", ""]
    parts = trace.lower().lowering.parts
    places = dict.fromkeys(part.place for part in parts)
    programs = [part.program for part in parts if part.program is not None]
    constants = sum(len(data) for program in programs for _, data in program.constants)
    constants += sum(
        array.nbytes
        for part in parts
        if part.program is None
        for array in part.graph.constants.values()
    )
    return [
        " and ".join(places),
        f"{sum(_kernels(part) for part in parts):,}",
        f"{constants:,}",
        f"{sum(_temporaries(program) for program in programs):,}" if programs else "",
    ]


def _kernels(part: CompiledPart) -> int:
    return len(part.graph.eqns if part.program is None else part.program.steps)


def _temporaries(program: Program) -> int:
    """Return the bytes of the values between steps. Values may share memory."""
    if program.arena is not None:
        return program.arena.nbytes
    made = {b for step in program.steps for b in step.outputs} - {*program.outputs}
    return sum(program.buffers[b].nbytes for b in made)


# Diagrams


def lowered(shown: Lowered) -> str:
    """Return the diagram as HTML, below a line that summarizes it."""
    parts = shown.lowering.parts
    kernels = sum(map(_kernels, parts))
    facts = [f"{kernels:,} kernel{'' if kernels == 1 else 's'}"]
    facts += dict.fromkeys(part.place for part in parts)
    if any(part.is_prelude for part in parts):
        facts.append("dashed: again only when a weight has changed")
    if any(part.place == HOST for part in parts):
        facts.append("orange: by NumPy or Python on the host")
    picture = f'<div style="overflow-x:auto">{svg(shown)}</div>'
    return arrays.panel(shown.name, facts, _left_out(kernels), picture)


def svg(shown: Lowered) -> str:
    """Return the diagram as SVG."""
    drawing = _Drawing(
        {
            value.key: (name, value.aval)
            for value, name in _named(shown.lowering.inputs, shown.inputs)
        }
    )
    for part in shown.lowering.parts:
        drawing.add(part)
    for value, name in _named(shown.lowering.outputs, shown.results):
        drawing.add_result(value.key, name, value.aval)
    return diagrams.svg(drawing.boxes, drawing.edges, f"the kernels of {shown.name}")


def _named(values: Sequence[GraphValue], names: Sequence[str]) -> Iterator[tuple[GraphValue, str]]:
    return zip(values, names, strict=True)


def _left_out(kernels: int) -> str:
    if kernels <= _MOST:
        return ""
    return arrays.note(f"the first {_MOST} kernels of {kernels:,}; as_text() lists all of them")


class _Node(NamedTuple):
    """A kernel with the numbers of the values that it reads and produces."""

    title: str
    lines: Sequence[str]
    inputs: Sequence[int]
    outputs: Sequence[int]


class _Drawing:
    """The boxes and arrows of parts that run in order.

    Args:
        inputs: Name and aval of each input of the function.
    """

    def __init__(self, inputs: Mapping[Key, tuple[str, Aval]]) -> None:
        self.boxes: dict[Key, Box] = {}
        self.edges: list[tuple[Key, Key]] = []
        self._inputs = inputs
        self._makers: dict[Key, Key] = {}  # the box that produces each value
        self._parts = self._kernels = self._results = 0

    def add(self, part: CompiledPart) -> None:
        """Add a part. Surplus kernels are left out."""
        self._parts += 1
        what = part.graph if part.program is None else part.program
        keys: dict[int, Key] = dict(zip(what.inputs, part.inputs, strict=True))
        style = _HOST if part.place == HOST else _PRELUDE if part.is_prelude else _KERNEL
        for node in _of_graph(what) if isinstance(what, Graph) else _of_program(what):
            if self._kernels == _MOST:
                break
            self._kernels += 1
            box = ("kernel", self._kernels)
            self.boxes[box] = Box(node.title, node.lines, style)
            for value in dict.fromkeys(node.inputs):
                source = self._source(self._key(keys, value), part, value)
                if source is not None:
                    self.edges.append((source, box))
            for value in node.outputs:
                self._makers[self._key(keys, value)] = box
        for key, value in zip(part.outputs, what.outputs, strict=True):
            source = self._source(self._key(keys, value), part, value)
            if source is not None:
                self._makers.setdefault(key, source)

    def _key(self, keys: Mapping[int, Key], value: int) -> Key:
        """Return the key of a part's value. Values of different parts may have equal numbers."""
        return keys.get(value, ("value", self._parts, value))

    def _source(self, key: Key, part: CompiledPart | None = None, value: int = -1) -> Key | None:
        """Return the box that produces a value, or None if it is not drawn."""
        if key not in self._makers and key in self._inputs:
            name, aval = self._inputs[key]
            self._add_source(key, Box(name, [_type(aval)], _ARGUMENT))
        elif key not in self._makers and part is not None:
            nbytes = _constant_bytes(part, value)
            if nbytes is not None:
                self._add_source(key, Box("constant", [f"{nbytes:,} bytes"], _CONSTANT))
        return self._makers.get(key)

    def _add_source(self, key: Key, box: Box) -> None:
        self.boxes[key] = box
        self._makers[key] = key

    def add_result(self, key: Key, name: str, aval: Aval) -> None:
        """Add a result of the function."""
        self._results += 1
        box = ("result", self._results)
        self.boxes[box] = Box(name, [_type(aval)], _RESULT)
        source = self._source(key)
        if source is not None:
            self.edges.append((source, box))


def _type(aval: Aval) -> str:
    return f"{aval}, {aval.nbytes:,} bytes"


def _of_graph(graph: Graph) -> Iterator[_Node]:
    for eqn in graph.eqns:
        lines = [_type(graph.avals[v]) for v in eqn.outputs]
        yield _Node(name_of(eqn), lines, eqn.inputs, eqn.outputs)


def _of_program(program: Program) -> Iterator[_Node]:
    for step in program.steps:
        eqns = (program.equations[b] for b in step.outputs if b in program.equations)
        kernel = program.kernels[step.kernel].name
        title = next(map(name_of, eqns), kernel)
        buffers = [program.buffers[b] for b in step.outputs]
        lines = [f"{_buffer_type(b.dtype.name, b.shape)}, {b.nbytes:,} bytes" for b in buffers]
        named = [] if title == kernel else [f"kernel {kernel}"]
        yield _Node(title, [*named, *lines], step.inputs, step.outputs)


def _buffer_type(dtype: str, shape: Sequence[int]) -> str:
    return f"{dtype}[{','.join(map(str, shape))}]"


def _constant_bytes(part: CompiledPart, value: int) -> int | None:
    """Return the size of a constant in bytes; None for one element, or if it is not constant."""
    if part.program is None:
        array = part.graph.constants.get(value)
        return None if array is None or array.size == 1 else array.nbytes
    sizes = {buffer: len(data) for buffer, data in part.program.constants}
    return None if sizes.get(value, 0) <= 4 else sizes[value]
