"""A description of the parts of a compiled function: Graphs, Programs and the values between."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from tfpy._src.backends.interface import Code
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower.program import Program

Key = Hashable
"""Identifier of a value that is passed between parts. Equal keys mean the same value."""

HOST = "host"
"""Place of parts that NumPy or Python computes."""


class CompiledPart(NamedTuple):
    """A part of a compiled function that runs as a whole."""

    place: str
    """Name of the backend that computes the part, or HOST."""
    graph: Graph
    program: Program | None
    """Program of the Graph, if the backend runs Programs."""
    inputs: Sequence[Key]
    """Inputs of the Program, or of the Graph if there is no Program."""
    outputs: Sequence[Key]
    is_prelude: bool = False
    """True if the part runs only when a weight has changed."""
    code: Code | None = None
    """Code that the backend runs instead of a Program, if it is not the Graph itself."""


class GraphValue(NamedTuple):
    """An input or output of a Graph."""

    key: Key
    aval: Aval


class Lowering(NamedTuple):
    """All parts that a Graph is run as, in order."""

    parts: Sequence[CompiledPart]
    inputs: Sequence[GraphValue]
    """Inputs of the Graph."""
    outputs: Sequence[GraphValue]


class Result(NamedTuple):
    """An output of a Graph as its runs return it."""

    aval: Aval
    computed: int
    """Position of the value among the computed values."""
    before: int
    """Position of the input that has this output as its next value, or -1."""
