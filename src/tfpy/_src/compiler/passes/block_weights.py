"""Products with weights in block formats, and rows of them, without a copy as floats.

Few programs have such weights, so a page downloads their ops and the rules of the pass when it
loads a model with blocks.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower.target import Target

VALUES, PRODUCT, ROWS = "dequantize_blocks", "multiply_blocks", "gather_blocks"
"""Names of the ops in `ops/blocks.py`."""


def multiply_block_weights(graph: Graph, target: Target) -> Graph:
    """Multiply by weights, and read their rows, in the bytes of their block format. ::

        %2:float32[64,32] = dequantize_blocks(%1) …
        %3:float32[32,64] = transpose(%2) …     ->  %2:float32[8,64] = multiply_blocks(%0, %1) …
        %4:float32[8,64] = matmul(%0, %3) …

    The product with a sum of weights and other values, such as the matrices of LoRA, becomes a sum
    of two products.
    """
    if PRODUCT not in target.kernels or not any(eqn.op.name == VALUES for eqn in graph.eqns):
        return graph
    found: Graph = _late_pass("block_products").multiply_by_blocks(graph)
    return found


def divide_with_block_weights(graph: Graph) -> Graph:
    """Compute large values with independent rows in parts, in Graphs with weights in blocks."""
    if not _multiplies(graph):
        return graph
    found: Graph = _late_pass("row_parts").divide_rows(graph)
    return found


def recompute_with_block_weights(graph: Graph, target: Target) -> Graph:
    """Compute elementwise values again for late readers in Graphs with weights in blocks.

    The weights of such Graphs need little memory, so most memory of a training step contains values
    that the gradients read.
    """
    if not _multiplies(graph):
        return graph
    graph = _late_pass("checkpointing").keep_checkpoints(graph)
    graph = _late_pass("recomputation").recompute(graph, target)
    found: Graph = _late_pass("early_readers").read_early(graph)
    return found


def _multiplies(graph: Graph) -> bool:
    return any(eqn.op.name == PRODUCT for eqn in graph.eqns)


def _late_pass(name: str) -> ModuleType:
    return importlib.import_module(f"{__package__}.{name}")
