"""Real Graphs to corrupt: every primitive on its samples, and random fused Graphs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from passes.sketch import random_graph

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph, single_equation
from tfpy._src.compiler.ir.op import OPS, UNSUPPORTED

DEVICE = {"float32", "int32", "bool"}
SAMPLES = 3
"""Number of samples of a primitive that are used."""
NETWORKS = 20


def graphs(backend: str) -> Iterator[Graph]:
    """Yield Graphs that a backend runs, always the same ones."""
    for op in OPS.values():
        if not op.is_primitive or op.is_alias or op.samples is None:
            continue
        if op.name in UNSUPPORTED[backend]:
            continue
        for arrays, attrs in op.samples(np.random.default_rng(7))[:SAMPLES]:
            avals = [Aval(np.shape(a), as_dtype(np.asarray(a).dtype)) for a in arrays]
            graph = single_equation(op, avals, tuple(attrs.items()))
            if all(a.dtype.name in DEVICE for a in graph.avals):
                yield graph
    yield from map(random_graph, range(NETWORKS))
