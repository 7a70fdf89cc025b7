"""What XLA is told where its own choice is slower for what tfpy makes."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import jax

from tfpy._src.compiler.ir.graph import Eqn, Graph, bodies
from tfpy._src.compiler.lower.jax.replicas import mesh_within

_REGIONS = ("xla_cpu_copy_insertion_use_region_analysis", True)
"""A donated array is copied before it is written over only where its old value is still needed. In
training steps, with every Variable donated, JAX 0.10 on two cores took 0.93 (ResNet-50, a
transformer) to 1.0 (MobileNetV2) of the time without."""

_PRODUCTS = ("xla_cpu_experimental_ynn_fusion_type", "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT")
"""YNNPACK computes products, and nothing else. A transformer's step took 0.93 of the time, but a
reduction by itself takes 1.4 (a normalised layer) to 9 times (a maximum) as long, and networks of
convolutions 1.02 times."""

_EXCHANGE = (
    ("xla_gpu_all_reduce_combine_threshold_bytes", 2**27),
    ("xla_gpu_experimental_collective_start_as_early_as_possible", True),
    ("xla_gpu_experimental_parallel_collective_overlap_limit", 16),
)
"""GPUs sum up what replicas have found in pieces of 128 MB; XLA's own are of 30. Each begins when
it is there, though others are under way: XLA waits for those, too late for computation to hide all.
Two H100 took 0.99 of the time for the first, and 0.99 for the rest, for a transformer's step with
443 MB of gradients."""

_OPERATIONS = 1000
"""So many multiplications and additions in products for each element that is reduced are enough:
at 100 GFLOP/s a core they take 10 ns, of which a tenth is won; an element's maximum loses 1 ns."""


def compiler_options(graph: Graph) -> dict[str, bool | int | str]:
    """For ``jax.jit`` of this Graph on the device that computes by default."""
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
    """Whether nearly all of its time goes into products of matrices."""
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
    """Its equations and those of the Graphs in them, each once, with the Graph that has it."""
    for eqn in graph.eqns:
        yield eqn, graph
        for _, body in bodies(eqn.attrs):
            yield from _equations(body)


@functools.cache
def _is_known(name: str, value: bool | int | str) -> bool:
    """Whether this version of XLA takes it: options come and go."""
    try:
        jax.jit(lambda x: x, compiler_options={name: value}).lower(0).compile()
    except jax.errors.JaxRuntimeError:
        return False
    return True
