"""What a compiled function runs, for who reads it: Graphs and Programs, and how they follow."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from tfpy._src.backends.interface import Code
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower.program import Program

Key = Hashable
"""A value that goes from part to part: equal where it is the same."""

HOST = "host"
"""The place of what NumPy or Python computes."""


class CompiledPart(NamedTuple):
    """What is run as a whole."""

    place: str
    """What computes it: a backend's name, or HOST."""
    graph: Graph
    program: Program | None
    """Of the Graph, where the backend runs Programs."""
    inputs: Sequence[Key]
    """Of the Program, or of the Graph where there is none."""
    outputs: Sequence[Key]
    is_prelude: bool = False
    """Whether it runs only when a weight has changed."""
    code: Code | None = None
    """What the backend runs that has no Programs, if it is not the Graph itself."""


class GraphValue(NamedTuple):
    """What goes into a Graph or comes out of it."""

    key: Key
    aval: Aval


class Lowering(NamedTuple):
    """All that a Graph is run as."""

    parts: Sequence[CompiledPart]
    inputs: Sequence[GraphValue]
    """The Graph's."""
    outputs: Sequence[GraphValue]
