"""What a loaded graph is to a program: a function of tensors with names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.base import tracing
from tfpy._src.base.dtypes import DType
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import NodeGraph, Spec
from tfpy._src.formats.node_graphs.runner import Runner
from tfpy._src.formats.node_graphs.safety import check
from tfpy._src.formats.raw_ops.resources import Resources, current, using
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.variables.variable import Variable


@dataclass(frozen=True)
class ModelSignature:
    """What a model takes and gives, by the names that callers use.

    Attributes:
        inputs: the graph's values by name.
        outputs: names of the graph's values by name.
        structured: whether the outputs are a dictionary to callers.
    """

    inputs: Mapping[str, Spec]
    outputs: Mapping[str, str]
    structured: bool = False


class GraphModel:
    """A graph that was trained elsewhere, as a function of tensors.

    It is TensorFlow.js's ``GraphModel``.

    It is traced and compiled for each shape of its inputs, differentiated by
    ``tf.GradientTape`` and called in a ``tf.function`` like any other function. Operations whose
    results' shapes depend on values run op by op behind the compiled part; what follows them is
    compiled for sizes that come again.

    Attributes:
        metadata: what the file says besides (``userDefinedMetadata``).

    Raises:
        ValueError: If an output needs an operation that acts outside of the graph.

    Example:
        >>> import tfpy as tf
        >>> tf.save_graph_model(tf.square, "square", [tf.TensorSpec([None])])
        >>> model = tf.models.load("square")
        >>> isinstance(model, tf.GraphModel), model(tf.constant([1.0, 3.0])).numpy().tolist()
        (True, [1.0, 9.0])
    """

    def __init__(
        self,
        graph: NodeGraph,
        signatures: Mapping[str, ModelSignature],
        metadata: Mapping[str, Any] | None = None,
        bound: Mapping[str, Any] | None = None,
        resources: Resources | None = None,
        trainable: bool = False,
        quantize: str | None = None,
    ) -> None:
        self._graph = graph
        self._signatures = dict(signatures)
        self._signature = next(iter(signatures.values()))
        self._bound = dict(bound or {})
        for one in self._signatures.values():
            given = [spec.name for spec in one.inputs.values()]
            check(graph, tuple(one.outputs.values()), [*given, *self._bound])
        self._trained = graph.weights.make_variables() if trainable else {}
        self._resources = {} if resources is None else resources
        self._runner = Runner(graph, quantize)
        self.metadata = dict(metadata or {})

    @property
    def inputs(self) -> list[TensorSpec]:
        """What the model takes: a spec for each input, with its name."""
        return [_spec(name, spec) for name, spec in self._signature.inputs.items()]

    @property
    def outputs(self) -> list[str]:
        """The names of what the model gives, in order."""
        return list(self._signature.outputs)

    @property
    def signatures(self) -> dict[str, Callable[..., dict[str, Any]]]:
        """Functions from inputs by name to outputs by name, for each signature of the file."""
        return {name: self._signature_function(one) for name, one in self._signatures.items()}

    @property
    def weights(self) -> dict[str, Any]:
        """The constants by name: Variables in a model loaded with ``trainable=True``, else tensors
        or, where they are small, arrays."""
        return {name: self._graph.weights.value(name) for name in self._graph.weights}

    @property
    def trainable_variables(self) -> list[Variable]:
        """The Variables of a model that was loaded with ``trainable=True``, to give to an
        optimizer; none otherwise."""
        return list(self._trained.values())

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """The model's outputs: see :meth:`predict`."""
        signature = self._signature
        given = _by_name(signature, inputs, named)
        return self._result(self._run(signature, given, signature.outputs.values()))

    @awaitable("model.call_async(...)")
    async def call_async(self, *inputs: Any, **named: Any) -> Any:
        """A call, awaited: the page reacts and paints while it computes.

        What is compiled runs as ``call_async`` of a ``tf.function`` does, what runs op by op gives
        the page its turns between the ops.

        Args:
            *inputs: as of :meth:`predict`.
            **named: or the tensors by name.

        Returns:
            What :meth:`predict` gives.

        Raises:
            ValueError, TypeError: as of :meth:`predict`.
        """
        if tracing.local.active:
            return self(*inputs, **named)
        signature = self._signature
        values = self._values(signature, _by_name(signature, inputs, named))
        with using(self._resources):
            found = await self._runner.call_async(values, tuple(signature.outputs.values()))
        return self._result(_tensors(found))

    def predict(self, inputs: Any = None, **named: Any) -> Any:
        """The model's outputs for its inputs.

        Args:
            inputs: a tensor, a list of tensors in the order of :attr:`inputs`, or a dictionary of
                tensors by name.
            **named: or the tensors by name.

        Returns:
            A tensor; a list of them for several outputs; a dictionary when the file says that they
            are one.

        Raises:
            ValueError: for missing or unknown inputs, or shapes that do not fit.
            TypeError: for dtypes that do not fit.
        """
        return self(*(() if inputs is None else (inputs,)), **named)

    def execute(self, inputs: Any, outputs: str | Sequence[str] | None = None) -> Any:
        """Values of the graph by name, also those within it (TensorFlow.js's ``execute``).

        Args:
            inputs: as of :meth:`predict`; a dictionary may also have values within the graph, which
                are then taken as they are.
            outputs: a name, which gives a tensor, or several, which give a list; by default all
                outputs of the model.

        Raises:
            ValueError: for names that the graph has not.
        """
        signature = self._signature
        if outputs is None:
            return self(inputs)
        names = [outputs] if isinstance(outputs, str) else list(outputs)
        wanted = [self._value(signature.outputs.get(name, name)) for name in names]
        found = self._run(signature, _by_name(signature, (inputs,), {}), wanted)
        return found[0] if isinstance(outputs, str) else found

    def warm_up(self, inputs: Any = None, progress: Callable[[float], None] | None = None) -> None:
        """Compile the model before its first call.

        What follows operations whose results' shapes depend on values, such as the choice of boxes,
        is compiled for the sizes that the given tensors lead to: give one like those to come.

        Args:
            inputs: tensors or ``tf.TensorSpec``, as of :meth:`predict`; by default the model's own
                specs. Specs stand for zeros, and their open sizes are 1. Numbers that say which
                branch of the model runs, or which shape a value has, must be tensors.
            progress: hears how much is done, from 0 to 1.

        Raises:
            ValueError: when the sizes of an input are not known.
        """
        wait(self.warm_up_async(inputs, progress), "write `await model.warm_up_async(...)`")

    @awaitable("model.warm_up_async(...)")
    async def warm_up_async(
        self, inputs: Any = None, progress: Callable[[float], None] | None = None
    ) -> None:
        """Await :meth:`warm_up`, which leaves the page responsive."""
        signature = self._signature
        given: dict[str, TensorSpec | Tensor]
        if inputs is None:
            given = {k: _closed(s) for k, s in zip(signature.inputs, self.inputs, strict=True)}
        else:
            given = {
                k: _closed(v) if isinstance(v, TensorSpec) else _fitting(k, v, signature.inputs[k])
                for k, v in _by_name(signature, (inputs,), {}).items()
            }
        specs: dict[str, Any] = {signature.inputs[key].name: v for key, v in given.items()}
        specs |= self._bound
        with using(self._resources):
            outputs = tuple(signature.outputs.values())
            await self._runner.prepare(specs, outputs, progress or (lambda part: None))

    def summary(self, print_fn: Callable[[str], Any] = print) -> None:
        """Prints what the model takes and gives, its operations, and how many weights it has."""
        signature, weights = self._signature, self._graph.weights
        lines = [f"Graph model: {self._graph.dialect.name}"]
        lines += [f"  takes {s.name}: {s.dtype.name}{_sizes(s)}" for s in self.inputs]
        lines += [f"  gives {name}" for name in signature.outputs]
        counted = Counter(node.op for node in self._graph.nodes)
        lines += [f"{sum(counted.values())} operations:"]
        lines += [f"  {count:5} {op}" for op, count in counted.most_common()]
        arrays = [weights[name] for name in weights]
        lines += [f"{len(arrays)} constants of {sum(a.size for a in arrays):,} elements"]
        print_fn("\n".join(lines))

    def __repr__(self) -> str:
        takes = ", ".join(f"{s.name}: {s.dtype.name}{_sizes(s)}" for s in self.inputs)
        return f"<tf.GraphModel ({takes}) -> ({', '.join(self.outputs)})>"

    def _signature_function(self, signature: ModelSignature) -> Callable[..., dict[str, Any]]:
        def call(*inputs: Any, **named: Any) -> dict[str, Any]:
            given = _by_name(signature, inputs, named)
            found = self._run(signature, given, signature.outputs.values())
            return dict(zip(signature.outputs, found, strict=True))

        return call

    def _result(self, found: Sequence[Tensor]) -> Any:
        """The outputs of a call as callers want them."""
        signature = self._signature
        if signature.structured:
            return dict(zip(signature.outputs, found, strict=True))
        return found[0] if len(found) == 1 else found

    def _run(
        self, signature: ModelSignature, given: Mapping[str, Any], wanted: Iterable[str]
    ) -> list[Tensor]:
        values = self._values(signature, given)
        token = current.set(self._resources)  # using() is three calls more
        try:
            return _tensors(self._runner(values, tuple(wanted)))
        finally:
            current.reset(token)

    def _values(self, signature: ModelSignature, given: Mapping[str, Any]) -> dict[str, Any]:
        """What the graph takes, by its own names."""
        values = {
            signature.inputs[k].name: _fitting(k, v, self._taken(signature.inputs[k]))
            for k, v in given.items()
            if k in signature.inputs
        }
        values |= {
            self._value(k): convert_to_tensor(v)
            for k, v in given.items()
            if k not in signature.inputs
        }
        missing = [k for k, spec in signature.inputs.items() if spec.name not in values]
        if missing and not set(values) - {spec.name for spec in signature.inputs.values()}:
            raise ValueError(
                f"the model's inputs {missing} are missing; it takes {_takes(signature)}"
            )
        return {**values, **self._bound}

    def _taken(self, spec: Spec) -> Spec:
        """What the graph itself takes for an input of a signature, which may say more."""
        return next((own for own in self._graph.inputs if own.name == spec.name), spec)

    def _value(self, name: str) -> str:
        """A value of the graph.

        Raises:
            ValueError: when there is none of that name.
        """
        found = name.removesuffix(":0")
        graph = self._graph
        known = found in graph.makers or found in graph.weights or found in graph.by_name
        if not known and not any(spec.name == found for spec in graph.inputs):
            raise ValueError(f"the graph has no value {name!r}; its outputs are {self.outputs}")
        return found


def _tensors(found: Sequence[Any]) -> list[Tensor]:
    return [value if isinstance(value, Tensor) else convert_to_tensor(value) for value in found]


def _by_name(
    signature: ModelSignature, inputs: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """The given values by the signature's names."""
    if len(inputs) == 1 and isinstance(inputs[0], Mapping):
        found = {_known(signature, str(k)): v for k, v in inputs[0].items()}
    else:
        is_list = len(inputs) == 1 and isinstance(inputs[0], list | tuple)
        if is_list and (len(signature.inputs) > 1 or _holds_tensors(inputs[0])):
            inputs = inputs[0]
        if len(inputs) > len(signature.inputs):
            raise ValueError(f"the model takes {_takes(signature)}, and got {len(inputs)} tensors")
        found = dict(zip(signature.inputs, inputs, strict=False))
    found.update({_known(signature, k): v for k, v in named.items()})
    return found


def _holds_tensors(values: Sequence[Any]) -> bool:
    return len(values) == 1 and hasattr(values[0], "shape")


def _known(signature: ModelSignature, name: str) -> str:
    """An input's name in the signature: it may be given with or without ":0", or as the graph's."""
    for key in (name, name.removesuffix(":0"), f"{name}:0"):
        if key in signature.inputs:
            return key
    for key, spec in signature.inputs.items():
        if spec.name == name.removesuffix(":0"):
            return key
    return name


def _takes(signature: ModelSignature) -> str:
    return f"{len(signature.inputs)} ({', '.join(signature.inputs)})"


def _spec(name: str, spec: Spec) -> TensorSpec:
    return TensorSpec(spec.shape, spec.dtype or "float32", name)


def _closed(spec: TensorSpec) -> TensorSpec:
    if spec.shape.rank is None:
        raise ValueError(f"warm_up: the shape of {spec.name!r} is not known; give a tf.TensorSpec")
    return TensorSpec([1 if n is None else n for n in spec.shape], spec.dtype, spec.name)


def _sizes(spec: TensorSpec) -> str:
    if spec.shape.rank is None:
        return "[...]"
    return str(["?" if n is None else n for n in spec.shape]).replace("'", "")


def _fitting(name: str, value: Any, spec: Spec) -> Tensor:
    """A tensor for an input; whole numbers of another size become the input's.

    Raises:
        TypeError: for another kind of dtype.
        ValueError: for a shape that does not fit.
    """
    tensor = _of_dtype(name, value, spec.dtype)
    if spec.shape is not None:
        sizes = tensor.aval.shape
        fits = len(sizes) == len(spec.shape) and all(
            wanted in (None, size) for wanted, size in zip(spec.shape, sizes, strict=True)
        )
        if not fits:
            raise ValueError(
                f"input {name!r} must have the shape {_sizes(_spec(name, spec))}, got {list(sizes)}"
            )
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
        f"input {name!r} must be of dtype {dtype.name}, got {tensor.dtype.name}; use tf.cast"
    )
