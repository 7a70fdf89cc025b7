"""The order of the passes.

:data:`STAGES` lists every pass in the order of execution, with the facts that it needs. The
functions below run stages. No other module of tfpy calls a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Set
from typing import Any, NamedTuple

from tfpy._src.base.dtypes import DType
from tfpy._src.base.flags.environment import env
from tfpy._src.compiler.ir.closing import close
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.passes.algebra import simplify_algebra
from tfpy._src.compiler.passes.annotations import strip_annotations
from tfpy._src.compiler.passes.block_weights import (
    divide_with_block_weights,
    multiply_block_weights,
    recompute_with_block_weights,
)
from tfpy._src.compiler.passes.common_subexpressions import merge_common_subexpressions
from tfpy._src.compiler.passes.concatenations import replace_concatenations
from tfpy._src.compiler.passes.constants import fold_constants
from tfpy._src.compiler.passes.dead_code import without_dead_code
from tfpy._src.compiler.passes.fuse.elementwise import fuse_elementwise
from tfpy._src.compiler.passes.fuse.epilogue import fuse_epilogue
from tfpy._src.compiler.passes.fuse.kernels import PATTERNS
from tfpy._src.compiler.passes.fuse.prologue import fuse_prologue
from tfpy._src.compiler.passes.loop_constants import embed_loop_constants
from tfpy._src.compiler.passes.loop_variables import divide_loop_variables
from tfpy._src.compiler.passes.loops import reduce_loops, share_loops
from tfpy._src.compiler.passes.movement import simplify_movement
from tfpy._src.compiler.passes.narrow_integers import widen_narrow_integers
from tfpy._src.compiler.passes.padding import absorb_padding
from tfpy._src.compiler.passes.prelude import split_prelude
from tfpy._src.compiler.passes.quantize import quantize
from tfpy._src.compiler.passes.reductions import merge_reductions
from tfpy._src.compiler.passes.reshapes import sink_reshapes
from tfpy._src.compiler.passes.scales import fold_scales
from tfpy._src.compiler.passes.stored_weights import multiply_stored_weights
from tfpy._src.compiler.passes.transposes import absorb_transposes, sink_transposes


class Pass(NamedTuple):
    """A pass and the facts that it needs, which are keyword arguments of its function."""

    function: Callable[..., Any]
    """(Graph, **facts) -> Graph. Only ``split_prelude`` returns two Graphs."""
    needs: tuple[str, ...] = ()
    """``target``: the Target. ``weights``: positions in `graph.inputs` of captured tensors and of
    Variables that the Graph only reads. ``bits``: precision of quantized products, 0 for none.
    ``stored``: dtypes that the device stores. ``spreads``: True if the backend spreads values over
    several devices.
    """
    condition: str = ""
    """Fact that enables the pass, if any."""


STAGES: Mapping[str, tuple[Pass, ...]] = {
    # Once for each traced Graph and backend, before the Graph is cut into regions.
    "close": (Pass(close),),
    "share loops": (Pass(share_loops),),
    "strip": (Pass(strip_annotations, ("spreads",)),),
    "reduce loops": (
        Pass(reduce_loops),
        Pass(divide_loop_variables),
        Pass(embed_loop_constants),
    ),
    "integers": (
        Pass(multiply_block_weights, ("target",)),
        Pass(multiply_stored_weights, ("target", "weights")),
        Pass(widen_narrow_integers, ("stored",)),
    ),
    # Once for each region that a device runs.
    "clean": (Pass(without_dead_code),),
    "simplify": (  # repeated until no pass changes the Graph
        Pass(fold_constants),
        Pass(simplify_algebra),
        Pass(simplify_movement),
        Pass(absorb_transposes),
        Pass(sink_transposes),
        Pass(sink_reshapes, condition="for_kernels"),
        Pass(replace_concatenations, condition="for_kernels"),
        Pass(merge_reductions),
        Pass(absorb_padding),
        Pass(fold_scales, ("weights",)),
        Pass(merge_common_subexpressions),
    ),
    "quantize": (Pass(quantize, ("target", "weights", "bits"), condition="bits"),),
    "split": (Pass(split_prelude, ("weights",)),),
    "fuse": (
        Pass(divide_with_block_weights),
        *(Pass(pattern, ("target",)) for pattern in PATTERNS),  # attention, softmax, layer norm
        Pass(recompute_with_block_weights, ("target",)),
        Pass(fuse_epilogue, ("target",)),
        Pass(fuse_prologue, ("target",)),
        Pass(fuse_elementwise, ("target",)),
    ),
}

_MAX_ROUNDS = 8


def prepare(
    graph: Graph, target: Target, weights: Collection[int], stored: Set[DType], *, spreads: bool
) -> Graph:
    """Return the Graph that is cut into regions for a backend.

    Args:
        weights: Positions of weights, see :class:`Pass`.
        stored: Dtypes that the backend stores.
        spreads: Keep layouts, for a backend that spreads values over several devices.

    Raises:
        ValueError: If the flag TFPY_VERIFY_PASSES is set and a pass breaks the Graph. The error
            names the pass.
    """
    facts = {"target": target, "weights": weights, "stored": stored, "spreads": spreads}
    return _run(graph, "close", "share loops", "strip", "reduce loops", "integers", **facts)


def strip(graph: Graph, *, spreads: bool = False) -> Graph:
    """Return the Graph for a caller that runs it equation by equation, without a plan.

    Args:
        spreads: Keep layouts.

    Raises:
        ValueError: As :func:`prepare`.
    """
    return _run(graph, "close", "strip", spreads=spreads)


def optimize(graph: Graph, target: Target) -> Graph:
    """Return a Graph with the same inputs and outputs that ``target`` runs with less work.

    Raises:
        ValueError: As :func:`prepare`.
    """
    return fuse(simplify(graph, for_kernels=target.fuses_loops), target)


def optimize_with_weights(
    graph: Graph, target: Target, weights: Collection[int], bits: int = 0
) -> tuple[Graph, Graph]:
    """Return `(prelude, main)`, which together compute `graph` with less work.

    Values that depend on weights only, like filters with folded batch normalization, are in the
    prelude; :func:`~tfpy._src.compiler.passes.prelude.split_prelude` documents the inputs and
    outputs of both.

    Args:
        weights: Positions of weights, see :class:`Pass`.
        bits: Precision of products with weights where the target supports it: 8, 4 (for products of
            few rows, 8 for others), or 0 for no quantization.

    Raises:
        ValueError: As :func:`prepare`.
    """
    graph = simplify(graph, weights, for_kernels=target.fuses_loops)
    facts = {"target": target, "weights": weights, "bits": bits}
    prelude, main = _apply(STAGES["split"][0], _run(graph, "quantize", **facts), facts)
    return fuse(prelude, target), fuse(main, target)


def simplify(graph: Graph, weights: Collection[int] = (), *, for_kernels: bool = True) -> Graph:
    """Run the passes that need no target until none of them changes the Graph.

    Args:
        weights: Positions of weights, see :class:`Pass`.
        for_kernels: True if loops are fused afterwards. Otherwise reshapes stay, because XLA bases
            its fusion and the distribution over devices on shapes.
    """
    facts = {"weights": weights, "for_kernels": for_kernels}
    graph = _run(graph, "clean", **facts)
    passes = [one for one in STAGES["simplify"] if _applies(one, facts)]
    idle = 0  # consecutive passes without changes
    for one in passes * _MAX_ROUNDS:
        before, graph = graph, _apply(one, graph, facts)
        idle = idle + 1 if graph is before else 0
        if idle == len(passes):
            break
    return graph


def fuse(graph: Graph, target: Target) -> Graph:
    """Run the passes that replace equations by kernels of the target."""
    return _run(graph, "fuse", target=target) if target.fuses_loops else graph


def _run(graph: Graph, *stages: str, **facts: Any) -> Graph:
    for stage in stages:
        for one in STAGES[stage]:
            if _applies(one, facts):
                graph = _apply(one, graph, facts)
    return graph


def _applies(one: Pass, facts: Mapping[str, Any]) -> bool:
    return not one.condition or bool(facts[one.condition])


def _apply(one: Pass, graph: Graph, facts: Mapping[str, Any]) -> Any:
    after = one.function(graph, **{name: facts[name] for name in one.needs})
    if after is not graph and env().get("TFPY_VERIFY_PASSES"):
        for made in after if isinstance(after, tuple) else (after,):
            _check(made, one.function.__name__)
    return after


def _check(graph: Graph, name: str) -> None:
    try:
        verify(graph)
    except ValueError as error:
        raise ValueError(f"after {name}: {error}") from error
