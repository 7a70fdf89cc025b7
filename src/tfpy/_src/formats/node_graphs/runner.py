"""Runner of a node list as a function of tensors, and the conversion of its arguments.

The function is traced and compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import DType
from tfpy._src.core.conversion import convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.file_traces import is_for_file
from tfpy._src.formats.node_graphs.node import Node, NodeGraph, Spec
from tfpy._src.formats.node_graphs.plan import NodeOrder, plan
from tfpy._src.formats.node_graphs.signatures import (
    ModelSignature,
    sizes_text,
    spec_of,
    takes,
)
from tfpy._src.formats.node_graphs.stage import Stage
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.variables.variable import Variable

_Sources = frozenset[str] | None
"""Names of the inputs that alone determine a value, or None for a value that is data."""


def deciding_inputs(graph: NodeGraph, nodes: Sequence[Node], given: Collection[str]) -> set[str]:
    """Return the given values that a trace must know.

    These values alone determine a shape, or which part of the graph runs.

    Args:
        graph: The graph.
        nodes: The nodes that run, in order.
        given: Names of the given values.
    """
    found: set[str] = set()
    own: dict[str, _Sources] = {name: frozenset((name,)) for name in given}
    _walk(graph, nodes, own, lambda name: frozenset(), found)
    return found


def _walk(
    graph: NodeGraph,
    nodes: Sequence[Node],
    made: dict[str, _Sources],
    outside: Callable[[str], _Sources],
    found: set[str],
) -> None:
    """Find the inputs that a trace must know for some nodes.

    Args:
        graph: The graph.
        nodes: The nodes that run, in order.
        made: Sources of the graph's values so far. The sources of the nodes' outputs are added.
        outside: Function that returns the sources of a value of the graphs around it.
        found: The inputs found. The inputs for these nodes are added.
    """

    def of(name: str) -> _Sources:
        if name in made:
            return made[name]
        return frozenset() if name in graph.weights else outside(name)

    for node in nodes:
        for name in graph.dialect.decides(node):
            found |= of(name) or frozenset()
        for part in node.subgraphs:
            data: dict[str, _Sources] = dict.fromkeys(spec.name for spec in part.inputs)
            _walk(part, plan(part, part.outputs, data).nodes, data, of, found)
        sources = _joined([of(name) for name in node.reads])
        if node.op in graph.dialect.shape_ops:
            sources = frozenset()
        made.update(dict.fromkeys(node.outputs, sources))


def _joined(parts: Sequence[_Sources]) -> _Sources:
    known = [part for part in parts if part is not None]
    return frozenset().union(*known) if len(known) == len(parts) else None


_MAX_ELEMENTS = 8
"""Maximum size of an input for its values to be part of the signature."""
_MAX_KNOWN = 16
"""Number of different values of such inputs for which a function is compiled. Later ones are
ordinary tensors."""


class Runner:
    """A node list as a function, compiled for each signature of its inputs.

    The values of small integer or boolean inputs are part of the signature if they decide which
    branch of the graph runs or which shape a value has. The trace then knows these values.

    The traceable part becomes one compiled function. Operations that need the elements of tensors,
    such as the number of remaining boxes or of nonzero elements, run op by op after it. The
    operations that follow them are compiled again for each set of sizes.
    """

    def __init__(self, graph: NodeGraph, quantize: str | None = None) -> None:
        self.graph = graph
        self._quantize = quantize
        self._choices: dict[Any, _Choices] = {}

    def __call__(self, given: Mapping[str, Tensor], wanted: Sequence[str]) -> list[Any]:
        """Compute the wanted values from given ones."""
        return self._chosen(given, wanted)(given)

    async def call_async(self, given: Mapping[str, Tensor], wanted: Sequence[str]) -> list[Any]:
        """Compute the wanted values, and let the page process events in between."""
        return await self._chosen(given, wanted).call_async(given)

    async def prepare(
        self, given: Mapping[str, Any], wanted: Sequence[str], progress: Callable[[float], None]
    ) -> None:
        """Compile the function for some tensors, or for specs of them.

        See `Stage.prepare`.

        Raises:
            NotTraceableError: If nothing can be compiled.
        """
        await self._chosen(given, wanted).prepare(given, progress)

    def _chosen(self, given: Mapping[str, Any], wanted: Sequence[str]) -> Stage:
        key = tuple(given), tuple(wanted)
        found = self._choices.get(key)
        if found is None:
            steps = plan(self.graph, wanted, given)
            deciding = deciding_inputs(self.graph, steps.nodes, given)
            found = self._choices[key] = _Choices(steps, sorted(deciding))
        known = {name: given[name] for name in found.deciding if _is_small(given[name])}
        values = {name: host_values(value) for name, value in known.items()}
        choice: Any = tuple((name, v.dtype.str, v.shape, v.tobytes()) for name, v in values.items())
        if choice not in found.compiled and len(found.compiled) >= _MAX_KNOWN:
            choice, values = (), {}
        if tracing.local.active and is_for_file():
            choice = ("file", choice)
        if choice not in found.compiled:
            made = Stage(self.graph, found.steps, values, self._quantize)
            found.compiled[choice] = made
        return found.compiled[choice]


@dataclass(frozen=True)
class _Choices:
    """The compiled functions for some names of inputs and outputs."""

    steps: NodeOrder
    deciding: Sequence[str]
    """Inputs that decide which operations run."""
    compiled: dict[Any, Stage] = field(default_factory=dict)
    """Compiled functions by the values of the deciding inputs."""


def _is_small(value: Any) -> bool:
    """Return True if the values of an input may be part of its signature."""
    if not isinstance(value, Tensor) or not value.has_values:
        return False
    aval = value.aval
    return (aval.dtype.is_integer or aval.dtype.is_bool) and aval.size <= _MAX_ELEMENTS


def fitting(name: str, value: Any, spec: Spec) -> Tensor:
    """Convert a value to a tensor for an input.

    Integers of another width, and floats of another precision, are cast to the input's dtype.

    Raises:
        TypeError: If the dtypes differ in kind.
        ValueError: If the shape does not match.
    """
    tensor = _of_dtype(name, value, spec.dtype)
    if spec.shape is not None:
        sizes = tensor.aval.shape
        fits = len(sizes) == len(spec.shape) and all(
            wanted in (None, size) for wanted, size in zip(spec.shape, sizes, strict=True)
        )
        if not fits:
            expected = sizes_text(spec_of(name, spec))
            raise ValueError(f"input {name!r} must have the shape {expected}, got {list(sizes)}")
    return tensor


def _of_dtype(name: str, value: Any, dtype: DType | None) -> Tensor:
    if type(value) is Tensor and value.aval.dtype is dtype:
        return value
    if dtype is None:
        return convert_to_tensor(value)
    if not isinstance(value, Tensor | Variable) and not hasattr(value, "dtype"):
        return convert_to_tensor(value, dtype)
    tensor = convert_to_tensor(value)
    if tensor.dtype == dtype:
        return tensor
    if (tensor.dtype.is_integer and dtype.is_integer) or (
        tensor.dtype.is_floating and dtype.is_floating
    ):
        return cast(tensor, dtype)
    raise TypeError(
        f"input {name!r} must be of dtype {dtype.name}, got {tensor.dtype.name}. Convert it with "
        "tf.cast"
    )


def graph_values(
    graph: NodeGraph,
    signature: ModelSignature,
    given: Mapping[str, Any],
    default: ModelSignature,
) -> dict[str, Any]:
    """Convert a call's arguments to values of the graph, by the graph's names.

    Args:
        graph: Graph of the model.
        signature: Signature of the call.
        given: Arguments by name. Names of intermediate values are allowed.
        default: Signature of the model, for the message about an unknown name.

    Raises:
        ValueError: If an input is missing or unknown, or its shape does not match.
        TypeError: If the dtype of an input does not match.
    """
    values = {
        signature.inputs[k].name: fitting(k, v, _specific(graph, signature.inputs[k]))
        for k, v in given.items()
        if k in signature.inputs
    }
    values |= {
        value_name(graph, k, default): convert_to_tensor(v)
        for k, v in given.items()
        if k not in signature.inputs
    }
    missing = [k for k, spec in signature.inputs.items() if spec.name not in values]
    if missing and not set(values) - {spec.name for spec in signature.inputs.values()}:
        raise ValueError(f"the model's inputs {missing} are missing; it takes {takes(signature)}")
    return values


def _specific(graph: NodeGraph, spec: Spec) -> Spec:
    """Return the graph's spec of an input, which may be more specific than the signature's."""
    return next((own for own in graph.inputs if own.name == spec.name), spec)


def value_name(graph: NodeGraph, name: str, signature: ModelSignature) -> str:
    """Return the name of a value without the suffix ":0".

    Raises:
        ValueError: If the graph does not have such a value.
    """
    found = name.removesuffix(":0")
    known = found in graph.makers or found in graph.weights or found in graph.by_name
    if not known and not any(spec.name == found for spec in graph.inputs):
        outputs = list(signature.outputs)
        raise ValueError(f"the graph has no value {name!r}. Its outputs are {outputs}")
    return found
