"""A loaded model, which is called like a function of named tensors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.base import tracing
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.formats.node_graphs.node import NodeGraph
from tfpy._src.formats.node_graphs.runner import Runner, fitting, graph_values, value_name
from tfpy._src.formats.node_graphs.safety import check
from tfpy._src.formats.node_graphs.signatures import (
    ModelSignature as ModelSignature,
    closed,
    input_name,
    sizes_text,
    spec_of,
    takes,
)
from tfpy._src.formats.raw_ops.resources import Resources, current, using
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.variables.variable import Variable


class GraphModel:
    """A model that was loaded from a file and is called like a function of tensors.

    Do not create it directly, but with `tf.models.load` or `tf.load_graph_model`. Equivalent to
    `GraphModel` in TensorFlow.js.

    Like a `tf.function`, the model is compiled once for each shape of its inputs. It can be called
    in a `tf.function`, and a `tf.GradientTape` can differentiate it. Operations whose shapes depend
    on values, such as the selection of boxes, run one by one, without compilation.

    Args:
        graph: Nodes and weights of the model.
        signatures: Inputs and outputs by signature name. Calls use the first signature.
        metadata: Entries of the file that do not affect results. Default: none.
        bound: Values of graph inputs that callers do not pass, such as tables. Default: none.
        resources: Variables and tables of the model. Default: none.
        trainable: If True, the weights become Variables.
        quantize: Precision of matrix products and convolutions with weights, as for `tf.function`.

    Attributes:
        metadata: Entries of the file that do not affect results (`userDefinedMetadata`), a dict.

    Raises:
        ValueError: If an output needs an operation that acts outside of the model.

    Example:
        >>> import tfpy as tf
        >>> tf.save_graph_model(tf.square, "square", [tf.TensorSpec([None])])
        >>> model = tf.models.load("square")
        >>> isinstance(model, tf.GraphModel), model(tf.constant([1.0, 3.0])).numpy().tolist()
        (True, [1.0, 9.0])

    See also: `tf.models.load`, `tf.load_graph_model`, `tf.save_graph_model`.
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
        """List with a `tf.TensorSpec` for each input, which also has the name of the input."""
        return [spec_of(name, spec) for name, spec in self._signature.inputs.items()]

    @property
    def outputs(self) -> list[str]:
        """Names of the model's outputs, in order."""
        return list(self._signature.outputs)

    @property
    def signatures(self) -> dict[str, Callable[..., dict[str, Any]]]:
        """Functions by signature name. They take tensors by input name and return a dict."""
        return {name: self._signature_function(one) for name, one in self._signatures.items()}

    @property
    def weights(self) -> dict[str, Any]:
        """Dict from names to weights and constants.

        They are Variables if the model was loaded with `trainable=True`. Otherwise they are tensors
        or, if they are small, NumPy arrays.
        """
        return {name: self._graph.weights.value(name) for name in self._graph.weights}

    @property
    def trainable_variables(self) -> list[Variable]:
        """List of the weights if the model was loaded with `trainable=True`, otherwise empty."""
        return list(self._trained.values())

    def __call__(self, *inputs: TensorLike | Mapping[str, TensorLike], **named: TensorLike) -> Any:
        """Compute the outputs of the model.

        Args:
            *inputs: Tensors in the order of `inputs`, or a single argument as for `predict`.
            **named: Tensors by input name.

        Returns:
            A tensor if the model has one output, otherwise a list of tensors. A dict of tensors if
            the file specifies names for the results.

        Raises:
            ValueError: If an input is missing or unknown, or if a shape does not match.
            TypeError: If a dtype does not match.

        Example:
            >>> import tfpy as tf
            >>> tf.save_graph_model(tf.square, "square", [tf.TensorSpec([None])])
            >>> model = tf.models.load("square")
            >>> print(model([2.0]).numpy())
            [4.]
        """
        signature = self._signature
        given = _by_name(signature, inputs, named)
        return self._result(self._run(signature, given, signature.outputs.values()))

    @awaitable("model.call_async(...)")
    async def call_async(
        self, *inputs: TensorLike | Mapping[str, TensorLike], **named: TensorLike
    ) -> Any:
        """Compute the outputs of the model without blocking the page.

        The call pauses between kernels, like `call_async` of a `tf.function`, and between
        operations that are not compiled.

        Args:
            *inputs: Tensors in the order of `inputs`, or a single argument as for `predict`.
            **named: Tensors by input name.

        Returns:
            An awaitable that resolves to the result of an ordinary call.

        Raises:
            ValueError: If an input is missing or unknown, or if a shape does not match.
            TypeError: If a dtype does not match.

        Example:
            >>> import asyncio
            >>> import tfpy as tf
            >>> tf.save_graph_model(tf.square, "square", [tf.TensorSpec([None])])
            >>> model = tf.models.load("square")
            >>> print(asyncio.run(model.call_async([2.0])).numpy())
            [4.]
        """
        if tracing.local.active:
            return self(*inputs, **named)
        signature = self._signature
        given = _by_name(signature, inputs, named)
        values = graph_values(self._graph, signature, given, self._signature) | self._bound
        with using(self._resources):
            found = await self._runner.call_async(values, tuple(signature.outputs.values()))
        return self._result(_tensors(found))

    def predict(
        self, inputs: TensorLike | Mapping[str, TensorLike] | None = None, **named: TensorLike
    ) -> Any:
        """Compute the outputs of the model, like a call of the model.

        Args:
            inputs: Inputs of the model, as a tensor, a list of tensors in the order of `inputs`, or
                a dict from input names to tensors. Default: `named` contains all inputs.
            **named: Tensors by input name.

        Returns:
            A tensor if the model has one output, otherwise a list of tensors. A dict of tensors if
            the file specifies names for the results.

        Raises:
            ValueError: If an input is missing or unknown, or if a shape does not match.
            TypeError: If a dtype does not match.

        Example:
            >>> import tfpy as tf
            >>> tf.save_graph_model(tf.square, "square", [tf.TensorSpec([None], name="x")])
            >>> model = tf.models.load("square")
            >>> print(model.predict({"x": [2.0]}).numpy())
            [4.]
        """
        return self(*(() if inputs is None else (inputs,)), **named)

    def execute(
        self,
        inputs: TensorLike | Mapping[str, TensorLike],
        outputs: str | Sequence[str] | None = None,
    ) -> Any:
        """Compute values of the model by name, such as the output of a hidden layer.

        Equivalent to `GraphModel.execute` in TensorFlow.js.

        Args:
            inputs: Inputs of the model, as for `predict`. A dict may also contain intermediate
                values by name, which are then not computed.
            outputs: Name of a value, or list of names. Default: the outputs of the model.

        Returns:
            A tensor if `outputs` is one name, a list of tensors if it is a list, and the result of
            an ordinary call if it is None.

        Raises:
            ValueError: If the model does not have a value of that name.

        Example:
            >>> import tfpy as tf
            >>> tf.save_graph_model(tf.square, "square", [tf.TensorSpec([None])])
            >>> model = tf.models.load("square")
            >>> print(model.execute([2.0], model.outputs[0]).numpy())
            [4.]
        """
        signature = self._signature
        if outputs is None:
            return self(inputs)
        names = [outputs] if isinstance(outputs, str) else list(outputs)
        wanted = [
            value_name(self._graph, signature.outputs.get(name, name), signature) for name in names
        ]
        found = self._run(signature, _by_name(signature, (inputs,), {}), wanted)
        return found[0] if isinstance(outputs, str) else found

    def warm_up(
        self,
        inputs: TensorLike | TensorSpec | Mapping[str, TensorLike | TensorSpec] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        """Compile the model ahead of its first call.

        If shapes in the model depend on values, as after the selection of boxes, pass tensors with
        typical values. The model is then also compiled for the shapes that follow from them.

        Args:
            inputs: Tensors or `tf.TensorSpec`s, in the forms that `predict` accepts. A spec is
                replaced by zeros, and None in its shape by 1. Inputs that select a branch of the
                model or determine a shape must be tensors. Default: the specs of the model.
            progress: Function that is called with the completed share, from 0 to 1. Default: do not
                report progress.

        Raises:
            ValueError: If the number of dimensions of an input is unknown.

        Example:
            >>> import tfpy as tf
            >>> tf.save_graph_model(tf.square, "square", [tf.TensorSpec([None])])
            >>> model = tf.models.load("square")
            >>> model.warm_up(tf.TensorSpec([224]))
        """
        wait(self.warm_up_async(inputs, progress), "write `await model.warm_up_async(...)`")

    @awaitable("model.warm_up_async(...)")
    async def warm_up_async(
        self,
        inputs: TensorLike | TensorSpec | Mapping[str, TensorLike | TensorSpec] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        """Compile the model ahead of its first call, without blocking the page.

        Args:
            inputs: Tensors or `tf.TensorSpec`s, as for `warm_up`. Default: the specs of the model.
            progress: Function that is called with the completed share, from 0 to 1. Default: do not
                report progress.

        Raises:
            ValueError: If the number of dimensions of an input is unknown.

        Example:
            >>> import asyncio
            >>> import tfpy as tf
            >>> tf.save_graph_model(tf.square, "square", [tf.TensorSpec([None])])
            >>> model = tf.models.load("square")
            >>> asyncio.run(model.warm_up_async(tf.TensorSpec([224])))
        """
        signature = self._signature
        given: dict[str, TensorSpec | Tensor]
        if inputs is None:
            given = {k: closed(s) for k, s in zip(signature.inputs, self.inputs, strict=True)}
        else:
            given = {
                k: closed(v) if isinstance(v, TensorSpec) else fitting(k, v, signature.inputs[k])
                for k, v in _by_name(signature, (inputs,), {}).items()
            }
        specs: dict[str, Any] = {signature.inputs[key].name: v for key, v in given.items()}
        specs |= self._bound
        with using(self._resources):
            outputs = tuple(signature.outputs.values())
            await self._runner.prepare(specs, outputs, progress or (lambda part: None))

    def summary(self, print_fn: Callable[[str], Any] = print) -> None:
        """Print the inputs, outputs, operations and number of weights of the model.

        Args:
            print_fn: Function that is called with the text. Default: `print`.

        Example:
            >>> import tfpy as tf
            >>> tf.save_graph_model(tf.square, "square", [tf.TensorSpec([None], name="x")])
            >>> tf.models.load("square").summary()
            Graph model: TensorFlow
              input x: float32[?]
              output output_0
            2 operations:
                  1 Square
                  1 Identity
            0 constants of 0 elements
        """
        signature, weights = self._signature, self._graph.weights
        lines = [f"Graph model: {self._graph.dialect.name}"]
        lines += [f"  input {s.name}: {s.dtype.name}{sizes_text(s)}" for s in self.inputs]
        lines += [f"  output {name}" for name in signature.outputs]
        counted = Counter(node.op for node in self._graph.nodes)
        lines += [f"{sum(counted.values())} operations:"]
        lines += [f"  {count:5} {op}" for op, count in counted.most_common()]
        arrays = [weights[name] for name in weights]
        lines += [f"{len(arrays)} constants of {sum(a.size for a in arrays):,} elements"]
        print_fn("\n".join(lines))

    def __repr__(self) -> str:
        takes = ", ".join(f"{s.name}: {s.dtype.name}{sizes_text(s)}" for s in self.inputs)
        return f"<tf.GraphModel ({takes}) -> ({', '.join(self.outputs)})>"

    def _signature_function(self, signature: ModelSignature) -> Callable[..., dict[str, Any]]:
        def call(*inputs: Any, **named: Any) -> dict[str, Any]:
            given = _by_name(signature, inputs, named)
            found = self._run(signature, given, signature.outputs.values())
            return dict(zip(signature.outputs, found, strict=True))

        return call

    def _result(self, found: Sequence[Tensor]) -> Any:
        """Arrange the outputs of a call as the signature specifies."""
        signature = self._signature
        if signature.structured:
            return dict(zip(signature.outputs, found, strict=True))
        return found[0] if len(found) == 1 else found

    def _run(
        self, signature: ModelSignature, given: Mapping[str, Any], wanted: Iterable[str]
    ) -> list[Tensor]:
        values = graph_values(self._graph, signature, given, self._signature) | self._bound
        token = current.set(self._resources)  # faster than `using()`, which makes three calls more
        try:
            return _tensors(self._runner(values, tuple(wanted)))
        finally:
            current.reset(token)


def _tensors(found: Sequence[Any]) -> list[Tensor]:
    """Convert values to tensors."""
    return [value if isinstance(value, Tensor) else convert_to_tensor(value) for value in found]


def _by_name(
    signature: ModelSignature, inputs: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Map the arguments of a call to the names of the signature's inputs.

    Raises:
        ValueError: If there are more tensors than inputs.
    """
    if len(inputs) == 1 and isinstance(inputs[0], Mapping):
        found = {input_name(signature, str(k)): v for k, v in inputs[0].items()}
    else:
        is_list = len(inputs) == 1 and isinstance(inputs[0], list | tuple)
        if is_list and (len(signature.inputs) > 1 or _holds_tensors(inputs[0])):
            inputs = inputs[0]
        if len(inputs) > len(signature.inputs):
            raise ValueError(f"the model takes {takes(signature)}, but got {len(inputs)} tensors")
        found = dict(zip(signature.inputs, inputs, strict=False))
    found.update({input_name(signature, k): v for k, v in named.items()})
    return found


def _holds_tensors(values: Sequence[Any]) -> bool:
    return len(values) == 1 and hasattr(values[0], "shape")
