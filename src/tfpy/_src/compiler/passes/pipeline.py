"""The order of the passes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from tfpy._src.base.flags.environment import env
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.passes.algebra import simplify_algebra
from tfpy._src.compiler.passes.common_subexpressions import merge_common_subexpressions
from tfpy._src.compiler.passes.constants import fold_constants
from tfpy._src.compiler.passes.dead_code import without_dead_code
from tfpy._src.compiler.passes.fuse.attention import fuse_attention
from tfpy._src.compiler.passes.fuse.elementwise import fuse_elementwise
from tfpy._src.compiler.passes.fuse.epilogue import fuse_epilogue
from tfpy._src.compiler.passes.fuse.layer_norm import fuse_layer_norm
from tfpy._src.compiler.passes.fuse.prologue import fuse_prologue
from tfpy._src.compiler.passes.fuse.softmax import fuse_softmax
from tfpy._src.compiler.passes.movement import simplify_movement
from tfpy._src.compiler.passes.padding import absorb_padding
from tfpy._src.compiler.passes.prelude import split_prelude
from tfpy._src.compiler.passes.quantize import quantize
from tfpy._src.compiler.passes.reductions import merge_reductions
from tfpy._src.compiler.passes.reshapes import sink_reshapes
from tfpy._src.compiler.passes.scales import fold_scales
from tfpy._src.compiler.passes.transposes import absorb_transposes, sink_transposes

Pass = Callable[[Graph], Graph]

_MAX_ROUNDS = 8
_FUSE = (
    fuse_attention,
    fuse_softmax,
    fuse_layer_norm,
    fuse_epilogue,
    fuse_prologue,
    fuse_elementwise,
)


def optimize(graph: Graph, target: Target) -> Graph:
    """A Graph with the same inputs and outputs that ``target`` runs with less work.

    Raises:
        ValueError: where the flag TFPY_VERIFY_PASSES is set and a pass breaks the Graph; the
            error names the pass.
    """
    return fuse(simplify(graph, for_kernels=target.fuses_loops), target)


def optimize_with_weights(
    graph: Graph, target: Target, weights: Collection[int], bits: int = 0
) -> tuple[Graph, Graph]:
    """``(prelude, main)``, which together do with less work what ``graph`` does.

    What depends on weights alone, like filters into which batch normalisation is folded, is in the
    prelude; :func:`~tfpy._src.compiler.passes.prelude.split_prelude` says what the two take and
    give.

    Args:
        weights: positions in ``graph.inputs`` of captured tensors and of Variables that the Graph
            only reads.
        bits: in how many products with weights are computed where the target can, 8 or 4 (those
            of few rows, others in 8); 0: as they are.

    Raises:
        ValueError: as :func:`optimize`.
    """
    graph = simplify(graph, weights, for_kernels=target.fuses_loops)
    if bits:
        graph = _run(graph, [partial(quantize, target=target, weights=weights, bits=bits)])
    prelude, main = split_prelude(graph, weights)
    return fuse(prelude, target), fuse(main, target)


def simplify(graph: Graph, weights: Collection[int] = (), *, for_kernels: bool = True) -> Graph:
    """The passes that know no target, again and again until they find nothing more to do.

    Args:
        weights: as in :func:`optimize_with_weights`.
        for_kernels: whether loops are fused afterwards. Where they are not, reshapes stay: XLA
            decides by shapes what it computes together, and spreads dimensions over devices.
    """
    passes: tuple[Pass, ...] = (
        fold_constants,
        simplify_algebra,
        simplify_movement,
        absorb_transposes,
        sink_transposes,
        *((sink_reshapes,) if for_kernels else ()),
        merge_reductions,
        absorb_padding,
        partial(fold_scales, weights=weights),
        merge_common_subexpressions,
    )
    graph = _run(graph, [without_dead_code])
    idle = 0  # passes in a row that have changed nothing
    for function in passes * _MAX_ROUNDS:
        before = graph
        graph = _run(graph, [function])
        idle = idle + 1 if graph is before else 0
        if idle == len(passes):
            break
    return graph


def fuse(graph: Graph, target: Target) -> Graph:
    """The passes that ask the target what its kernels take over."""
    if not target.fuses_loops:
        return graph
    return _run(graph, [partial(fusing, target=target) for fusing in _FUSE])


def _run(graph: Graph, passes: Sequence[Pass]) -> Graph:
    for function in passes:
        before, graph = graph, function(graph)
        if graph is not before and env().get("TFPY_VERIFY_PASSES"):
            _check(graph, function)
    return graph


def _check(graph: Graph, function: Pass) -> None:
    try:
        verify(graph)
    except ValueError as error:
        name = getattr(function, "func", function).__name__
        raise ValueError(f"after {name}: {error}") from error
