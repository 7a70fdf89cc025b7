"""The equations of a Graph that need memory, for errors."""

from __future__ import annotations

import re

from tfpy._src.compiler.ir.graph import Eqn, Graph

_WANTED = re.compile(r"(\d+) bytes wanted")


def equation_needing_memory(graph: Graph, message: str) -> Eqn:
    """Return the equation for which a device has no memory.

    The equation is the largest one with a result of the size that the device's message names.
    Otherwise, for example if results share a block of memory, it is the largest one of all.
    """
    wanted = _WANTED.search(message)
    size = int(wanted[1]) if wanted else -1

    def order(eqn: Eqn) -> tuple[bool, int]:
        sizes = [graph.avals[value].nbytes for value in eqn.outputs]
        return size in sizes, sum(sizes)

    return max(graph.eqns, key=order)
