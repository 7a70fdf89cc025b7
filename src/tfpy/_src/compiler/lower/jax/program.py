"""The program of the jax backend for a Graph: a function that JAX compiles at its first call."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import jax
from jax.sharding import NamedSharding, PartitionSpec

from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph, bodies
from tfpy._src.compiler.lower.jax.lowering import function_of
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


class JaxProgram:
    """A Graph as a jitted function of arrays.

    Args:
        donated: Positions of inputs that may be passed to a run as donated slots.
    """

    def __init__(self, graph: Graph, donated: Collection[int] = ()) -> None:
        self.graph = graph
        self.inputs = graph.inputs
        self.donations = _donations(graph, donated)
        """Map from outputs to the inputs over which they are written if these are donated."""
        mesh = mesh_within(graph)
        self.everywhere = None if mesh is None else NamedSharding(mesh, PartitionSpec())
        """Sharding of values that every device has whole, for a program on several devices."""
        self._function = function_of(graph)
        self._donating: dict[tuple[int, ...], Callable[..., list[Any]]] = {}

    @cached_property
    def plain(self) -> Any:
        """Jitted function that keeps all its arguments."""
        return _jitted(self.graph, self._function)

    def donating(self, positions: tuple[int, ...]) -> Callable[..., list[Any]]:
        """Return a jitted function that deletes these inputs in a call."""
        found = self._donating.get(positions)
        if found is None:
            found = self._donating[positions] = self._made_donating(positions)
        return found

    def _made_donating(self, positions: tuple[int, ...]) -> Callable[..., list[Any]]:
        """Return a jitted function that donates inputs.

        JAX pairs the donated inputs of a type with the outputs of that type in their order. So the
        outputs are reordered to match the inputs over which they are written. Any other pair would
        cause a copy: an old value is overwritten while another output needs it.
        """
        outputs, over = self.graph.outputs, self.donations
        places = {self.inputs[at]: at for at in positions}
        last = len(self.inputs)
        order = [places.get(over.get(v, -1), last) for v in outputs]
        taken = sorted(range(len(outputs)), key=order.__getitem__)
        made: Callable[..., list[Any]]
        if taken == list(range(len(outputs))):
            made = _jitted(self.graph, self._function, donate_argnums=positions)
            return made
        function, back = self._function, sorted(range(len(outputs)), key=taken.__getitem__)

        def reordered(*arrays: Any) -> list[Any]:
            found = function(*arrays)
            return [found[at] for at in taken]

        reordered.__name__ = function.__name__
        made = _jitted(self.graph, reordered, donate_argnums=positions)
        return lambda *arrays: list(map(made(*arrays).__getitem__, back))

    def trace(self) -> None:
        """Trace the function for arrays of the Graph's own shapes, before the first call.

        Raises:
            NotLowerable: If tracing shows that the Graph cannot be lowered.
        """
        self.plain.eval_shape(*self._structs())

    def __str__(self) -> str:
        """Return the StableHLO of the program."""
        text: str = self.plain.lower(*self._structs()).as_text()
        return text

    def _structs(self) -> list[Any]:
        return [_struct(self.graph.avals[v]) for v in self.inputs]


def _jitted(graph: Graph, function: Callable[..., list[Any]], **options: Any) -> Any:
    return jax.jit(function, compiler_options=compiler_options(graph), **options)


def _struct(aval: Aval) -> Any:
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype.as_numpy_dtype)


def _donations(graph: Graph, donated: Collection[int]) -> dict[int, int]:
    """Map outputs to the donated inputs over which they are written. Shapes and dtypes must match.

    An output is paired with the input from which the fewest equations lead to it, as a Variable's
    next value is computed from its old value. The rest is paired in order.
    """
    avals, made_of = _origins(graph)
    outputs = [v for v in dict.fromkeys(graph.outputs) if v in made_of]
    free = dict.fromkeys(graph.inputs[i] for i in donated)
    near = [(*found, v) for v in outputs if (found := _nearest(avals, made_of, v, free))]
    rest = [(0, old, v) for v in outputs for old in free if graph.avals[old] == graph.avals[v]]
    pairs: dict[int, int] = {}
    for _, old, output in (*sorted(near), *rest):
        if output not in pairs and old in free:
            pairs[output] = old
            del free[old]
    return pairs


def _origins(graph: Graph) -> tuple[list[Aval], dict[int, Sequence[int]]]:
    """Return avals, and for each value the values from which it is computed.

    Values within replicas are numbered after the Graph's own values.
    """
    avals, made_of = graph.avals[:], dict[int, Sequence[int]]()
    for eqn in graph.eqns:
        made_of.update(dict.fromkeys(eqn.outputs, eqn.inputs))
        if eqn.op.name == "replicated":
            body: Graph = dict(eqn.attrs)["body"]
            first = len(avals)
            inside, origins = _origins(body)
            avals += inside
            made_of.update({first + v: [first + i for i in of] for v, of in origins.items()})
            pairs = [*zip(body.inputs, eqn.inputs, strict=True)]
            made_of.update({first + inner: [outer] for inner, outer in pairs})
            pairs = [*zip(body.outputs, eqn.outputs, strict=True)]
            made_of.update({outer: [first + inner] for inner, outer in pairs})
    return avals, made_of


def _nearest(
    avals: Sequence[Aval],
    made_of: Mapping[int, Sequence[int]],
    output: int,
    inputs: Collection[int],
) -> tuple[int, int] | None:
    """Return the number of equations to the nearest of the inputs, and that input.

    Values in between must have the shape and dtype of the output.
    """
    level, seen, steps = [output], {output}, 0
    while level:
        steps += 1
        level = [
            v
            for v in dict.fromkeys(v for at in level for v in made_of.get(at, ()))
            if v not in seen and avals[v] == avals[output]
        ]
        seen.update(level)
        found = next((v for v in level if v in inputs), None)
        if found is not None:
            return steps, found
    return None
