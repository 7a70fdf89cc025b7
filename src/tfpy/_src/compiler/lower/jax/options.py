"""Options of XLA where its defaults are slower for tfpy's programs."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import jax

from tfpy._src.compiler.ir.graph import Eqn, Graph, bodies
from tfpy._src.compiler.lower.jax.replicas import mesh_within

_REGIONS = ("xla_cpu_copy_insertion_use_region_analysis", True)
"""Copy a donated array before it is overwritten only if its old value is still needed. In training
steps with all Variables donated, JAX 0.10 on two cores took 0.93 (ResNet-50, a transformer) to 1.0
(MobileNetV2) of the time."""

_PRODUCTS = ("xla_cpu_experimental_ynn_fusion_type", "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT")
"""Compute only products by YNNPACK. A transformer's step took 0.93 of the time. But a separate
reduction takes 1.4 (a normalized layer) to 9 times (a maximum) as long, and convolutional networks
take 1.02 times as long."""

_EXCHANGE = (
    ("xla_gpu_all_reduce_combine_threshold_bytes", 2**27),
    ("xla_gpu_experimental_collective_start_as_early_as_possible", True),
    ("xla_gpu_experimental_parallel_collective_overlap_limit", 16),
)
"""All-reduce gradients in pieces of 128 MB instead of XLA's 30 MB, each as soon as it is ready.

XLA would wait for the pieces in progress, so that computation does not hide all transfers. On two
H100, the first option took 0.99 of the time, and so did the others, for a transformer's step with
443 MB of gradients."""

_OPERATIONS = 1000
"""Number of multiplications and additions in products per reduced element from which the option
pays. At 100 GFLOP/s per core they take 10 ns. The option saves a tenth of that, and an element's
maximum loses 1 ns."""


def compiler_options(graph: Graph) -> dict[str, bool | int | str]:
    """Return options for `jax.jit` of this Graph on the default device."""
    return {name: value for name, value in _wanted(graph) if _is_known(name, value)}


def _wanted(graph: Graph) -> Iterator[tuple[str, bool | int | str]]:
    platform = jax.default_backend()
    if platform == "cpu":
        yield _REGIONS
        if _is_of_products(graph):
            yield _PRODUCTS
    elif platform == "gpu" and mesh_within(graph) is not None:
        yield from _EXCHANGE


def _is_of_products(graph: Graph) -> bool:
    """Return True if products of matrices take nearly all of the time."""
    operations = reduced = 0
    for eqn, within in _equations(graph):
        if eqn.op.family == "window":
            return False
        size = within.avals[eqn.inputs[0]].size if eqn.inputs else 0
        if eqn.op.name == "matmul":
            columns = within.avals[eqn.outputs[0]].shape[-1]
            operations += 2 * size * columns
        elif eqn.op.family == "reduction":
            reduced += size
    return operations > _OPERATIONS * reduced


def _equations(graph: Graph) -> Iterator[tuple[Eqn, Graph]]:
    """Yield the equations of a Graph and its inner Graphs, each with the Graph that contains it."""
    for eqn in graph.eqns:
        yield eqn, graph
        for _, body in bodies(eqn.attrs):
            yield from _equations(body)


@functools.cache
def _is_known(name: str, value: bool | int | str) -> bool:
    """Return True if this version of XLA supports an option."""
    try:
        jax.jit(lambda x: x, compiler_options={name: value}).lower(0).compile()
    except jax.errors.JaxRuntimeError:
        return False
    return True
