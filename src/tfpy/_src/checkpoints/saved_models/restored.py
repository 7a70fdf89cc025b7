"""Functions of a loaded SavedModel."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tfpy._src.checkpoints.saved_models.composite_specs import packed, tensor_specs
from tfpy._src.checkpoints.saved_models.matching import arguments, matched, mismatch
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import NodeGraph
from tfpy._src.formats.node_graphs.plan import plan
from tfpy._src.formats.node_graphs.runner import Runner
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.node_graphs.weights import Weights
from tfpy._src.formats.raw_ops.resources import Resources, using
from tfpy._src.functions.tf_function.arguments import bind
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.description import one_line, parameters_of
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.tensors.variables.variable import Variable


def plain_name(name: str) -> str:
    """Return the name of a function without the parts that TensorFlow adds for each trace."""
    return re.fullmatch(r"(?:__inference_)*(.*?)(?:_\d+)*", name).group(1)  # type: ignore[union-attr]


class RestoredConcreteFunction:
    """A function of a loaded SavedModel for one signature.

    Args:
        name: Name in the library.
        graph: Body of the function.
        library: Functions that it may call.
        signature: Positional and keyword arguments, with specs in place of tensors.
        result: The result, with specs in place of tensors.
        resources: Variables and tables of the model by name.

    Raises:
        ModelFileError: If the body does not match the signature.
    """

    def __init__(
        self,
        name: str,
        graph: NodeGraph,
        library: Mapping[str, NodeGraph],
        signature: Any,
        result: Any,
        resources: Resources,
    ) -> None:
        self.name = name
        self._signature, self._result = signature, result
        self._graph, self._library, self._resources = graph, library, resources
        self._specs = tensor_specs(signature)
        self._captured: list[Any] = []
        self._keywords: list[str] = [spec.name or f"arg_{i}" for i, spec in enumerate(self._specs)]
        self._positional = len(self._specs)
        self._parameters: inspect.Signature | None = None
        self._runner: Runner | None = None
        outputs = len(tensor_specs(result))
        if len(graph.outputs) != outputs:
            raise ModelFileError(
                f"The function {name} returns {len(graph.outputs)} tensors, but its signature has "
                f"{outputs}."
            )

    def capture(self, values: Sequence[Any]) -> None:
        """Set the values that follow the arguments: Variables, tables, and constants.

        Raises:
            ModelFileError: If the function takes another number of values.
        """
        own, count = self._graph, len(self._specs)
        if len(own.inputs) != count + len(values):
            raise ModelFileError(
                f"The function {self.name} takes {len(own.inputs)} values, but its signature has "
                f"{count} and the model passes {len(values)} more."
            )
        self._captured = list(values)
        names = [spec.name for spec in own.inputs[count:]]
        weights = Weights(
            {name: own.weights[name] for name in own.weights},
            dict(zip(names, values, strict=True)),
        )
        graph = replace(own, inputs=own.inputs[:count], weights=weights, functions=self._library)
        self._runner = Runner(graph)
        self._names = [spec.name for spec in graph.inputs]
        self._outputs = graph.outputs

    def set_keywords(self, names: Sequence[str], positional: int) -> None:
        """Set the names of the arguments, and how many may be passed without a name."""
        self._keywords, self._positional = list(names), positional

    def set_parameters(self, parameters: inspect.Signature) -> None:
        """Set the parameters of the Python function."""
        self._parameters = parameters

    def call_flat(self, tensors: Sequence[Tensor]) -> Any:
        """Run the function on tensors in the order of the signature."""
        assert self._runner is not None
        given = dict(zip(self._names, tensors, strict=True))
        with using(self._resources):
            found = self._runner(given, self._outputs)
        values = iter([v if isinstance(v, Tensor) else convert_to_tensor(v) for v in found])
        leaves = [packed(leaf, values) for leaf in nest.flatten(self._result)]
        return nest.pack_sequence_as(self._result, leaves)

    def run_once(self) -> list[Any]:
        """Run a function without arguments node by node, and return its results in order."""
        assert self._runner is not None
        graph = self._runner.graph
        with using(self._resources):
            return Scope(graph, {}).run(plan(graph, graph.outputs))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function.

        Args:
            *args, **kwargs: Arguments of the Python function, or its tensors by name.

        Returns:
            The result, in the structure that the Python function returned.

        Raises:
            TypeError: If an argument is missing, unknown, or of another dtype.
            tf.errors.InvalidArgumentError: If a shape does not match.
        """
        if self._parameters is not None and not self._is_signature:
            try:
                given = arguments(self._parameters, args, kwargs)
            except TypeError:
                given = None
            tensors = None if given is None else matched(self._signature, given, True)
            if tensors is not None:
                return self.call_flat(tensors)
        return self.call_flat(self._flat(args, kwargs))

    @property
    def _is_signature(self) -> bool:
        return not self._signature[0]

    def _flat(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Tensor]:
        """Return the tensors of a call by position and by name."""
        names = self._keywords
        shown = f"{self.name}({', '.join(names)})"
        if len(args) > self._positional:
            raise TypeError(
                f"{shown} takes {self._positional} positional arguments, got {len(args)}."
            )
        found = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name in found:
                raise TypeError(f"{shown} got two values for {name!r}.")
            found[name] = value
        missing = [name for name in names if name not in found]
        unknown = [name for name in found if name not in names]
        if missing:
            raise TypeError(f"{shown} missing required arguments: {', '.join(missing)}.")
        if unknown:
            raise TypeError(f"{shown} got unexpected keyword arguments: {', '.join(unknown)}.")
        specs = self._named_specs()
        return [_fitting(shown, name, found[name], spec) for name, spec in specs]

    def _named_specs(self) -> list[tuple[str, TensorSpec]]:
        """Return the specs of the arguments in order, with the names that callers use."""
        if self._is_signature:
            return [(str(name), spec) for name, spec in sorted(self._signature[1].items())]
        return list(zip(self._keywords, self._specs, strict=True))

    @property
    def structured_input_signature(self) -> Any:
        """Positional and keyword arguments, with specs in place of tensors."""
        return self._signature

    @property
    def structured_outputs(self) -> Any:
        """The result, with specs in place of tensors."""
        return self._result

    @property
    def inputs(self) -> list[TensorSpec]:
        """Specs of the arguments that are tensors, in order."""
        return list(self._specs)

    @property
    def outputs(self) -> list[TensorSpec]:
        """Specs of the results, in order."""
        return tensor_specs(self._result)

    @property
    def output_shapes(self) -> Any:
        """Shapes of the results, in the structure of the result."""
        return nest.map_structure(lambda s: None if s is None else s.shape, self._result)

    @property
    def output_dtypes(self) -> Any:
        """Dtypes of the results, in the structure of the result."""
        return nest.map_structure(lambda s: None if s is None else s.dtype, self._result)

    @property
    def captured_inputs(self) -> list[Any]:
        """Variables, tables and constants that the function captures."""
        return list(self._captured)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Variables that the function reads or assigns."""
        found = [value for value in self._captured if isinstance(value, Variable)]
        return tuple({id(v): v for v in found}.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Trainable Variables that the function reads or assigns."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def _python_parameters(self) -> inspect.Signature:
        """Parameters of the Python function, or the named tensors of a signature."""
        if self._parameters is not None:
            return self._parameters
        kinds = inspect.Parameter
        return inspect.Signature([kinds(name, kinds.KEYWORD_ONLY) for name in self._signature[1]])

    @functools.cached_property
    def traced(self) -> ConcreteFunction:
        """The function as a new trace, which can be saved.

        Raises:
            NotTraceableError: If a shape depends on values.
        """
        args, kwargs = self._signature
        parameters = self._python_parameters

        def run(*args: Any, **kwargs: Any) -> Any:
            tensors = matched(self._signature, arguments(parameters, args, kwargs), False)
            assert tensors is not None
            return self.call_flat(tensors)

        vars(run)["__signature__"] = parameters
        run.__name__ = plain_name(self.name)
        found: ConcreteFunction = Function(run, autograph=False).get_concrete_function(
            *args, **kwargs
        )
        return found

    @property
    def graph(self) -> Any:
        """Graph with TensorFlow's operations, for inspection."""
        return self.traced.graph

    @property
    def function_def(self) -> Any:
        """The function as a message FunctionDef."""
        return self.traced.function_def

    @property
    def function_type(self) -> inspect.Signature:
        """Parameters of the function, with the specs of its arguments as annotations."""
        return self.traced.function_type

    def pretty_printed_signature(self) -> str:
        """Describe the inputs, the output and the captured tensors.

        Returns:
            A string of several lines.
        """
        return self.traced.pretty_printed_signature()

    def _one_line(self) -> str:
        args, kwargs = self._signature
        given = bind(self._python_parameters, args, kwargs)
        return one_line(parameters_of(self._python_parameters, given), self._result)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self._one_line()} at 0x{id(self):X}>"


class RestoredFunction(Function[..., Any]):
    """A `tf.function` of a loaded SavedModel, which has the signatures that were saved.

    Args:
        name: Name of the function.
        parameters: Parameters of the Python function.
        input_signature: The `input_signature` of the function, or None.
        concrete: One function for each signature.
    """

    def __init__(
        self,
        name: str,
        parameters: inspect.Signature,
        input_signature: Any,
        concrete: Sequence[RestoredConcreteFunction],
    ) -> None:
        def restored(*args: Any, **kwargs: Any) -> Any:
            return self._dispatched(args, kwargs)

        restored.__name__ = name
        vars(restored)["__signature__"] = parameters
        super().__init__(restored, input_signature, autograph=False)
        self._parameters = parameters
        self._restored = list(concrete)
        self._signatures = [one.structured_input_signature for one in concrete]
        for one in concrete:
            one.set_parameters(parameters)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function of the signature that the arguments match.

        Args:
            *args, **kwargs: Arguments of the Python function.

        Returns:
            The result of the function.

        Raises:
            ValueError: If no signature matches. The message lists the signatures.
            TypeError: If the arguments do not match the parameters.
        """
        return self._dispatched(args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self

    def _dispatched(self, args: Any, kwargs: Any) -> Any:
        if not self._restored:
            raise ValueError("Found zero restored functions for caller function.")
        given = arguments(self._parameters, args, kwargs)
        for converts in (False, True):
            for one in self._restored:
                tensors = matched(one.structured_input_signature, given, converts)
                if tensors is not None:
                    return one.call_flat(tensors)
        if self.input_signature is not None:
            self._traceable.call(args, kwargs)  # raises the error of the input_signature
        raise ValueError(mismatch(self._parameters, given, self._signatures))

    @property
    def concrete_functions(self) -> list[Any]:
        """Functions of the saved signatures."""
        return list(self._restored)

    @property
    def described_functions(self) -> list[ConcreteFunction]:
        return [one.traced for one in self._restored]


def _fitting(shown: str, name: str, value: Any, spec: TensorSpec) -> Tensor:
    """Convert an argument of a signature to a tensor.

    Raises:
        TypeError: If the dtype differs, or the value cannot be converted.
        InvalidArgumentError: If the shape does not match.
    """
    tensor = convert_to_tensor(value, dtype_hint=spec.dtype)
    if tensor.dtype != spec.dtype:
        raise TypeError(f"{shown} takes {spec} as {name!r}, got the dtype {tensor.dtype.name}.")
    if not spec.shape.is_compatible_with(tensor.shape):
        raise ValueError(f"{shown} takes {spec} as {name!r}, got the shape {tensor.shape}.")
    return tensor
