"""Control flow in the forms that files support: two branches, and loops without captured values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.formats.graph_writing.emitter import Emitter, NodeValue

Branches = tuple[Graph, Graph]


def with_fixed(w: Emitter, body: Graph, state: int) -> Graph:
    """Return a loop's body that also returns the values that it only reads."""
    whole = body.copy()
    whole.outputs = [*body.outputs, *body.inputs[state:]]
    w.source.lists.like(body, whole)
    return whole


def as_bool(
    w: Emitter, index: NodeValue, values: Sequence[NodeValue], branches: Sequence[Graph]
) -> tuple[NodeValue, list[NodeValue], Branches]:
    """Convert a choice of a branch by index to a choice of two: the first branch, or the others.

    An index that is out of range selects the last branch.
    """
    first, *others = branches
    if not others:
        others = [first]
    zero = w.number(0, index)
    hit = w.op("Equal", index, zero, dtype=dtypes.bool)
    given = [index, *values]
    rest = _chain(w, 1, others)
    return hit, given, (rest, _ignoring_index(w, first))


def _chain(w: Emitter, number: int, branches: Sequence[Graph]) -> Graph:
    """Return a Graph that chooses a branch by the index. The first branch has the given number."""
    first, *others = branches
    if not others:
        return _ignoring_index(w, first)
    graph = Graph()
    inputs = [graph.add_input(_SCALAR), *(graph.add_input(first.avals[v]) for v in first.inputs)]
    constant = graph.add_constant(np.array(number, np.int32), _SCALAR)
    hit = graph.add_eqn(OPS["equal"], [inputs[0], constant], ())
    parts = (_chain(w, number + 1, others), _ignoring_index(w, first))
    graph.outputs = list(
        graph.add_outputs(OPS["cond"], [hit, *inputs], (("branches", parts),), first.outputs, first)
    )
    return graph


_SCALAR = Aval((), dtypes.int32)


def _ignoring_index(w: Emitter, branch: Graph) -> Graph:
    """Return a copy of a branch with the index as its first input, which it does not read."""
    whole = branch.copy()
    whole.inputs = [whole.add_value(_SCALAR), *branch.inputs]
    w.source.lists.like(branch, whole)
    return whole
