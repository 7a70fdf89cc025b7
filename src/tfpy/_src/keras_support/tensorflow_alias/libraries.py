"""Private names of TensorFlow that TensorFlow Probability and GPflow import."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import float32, int32
from tfpy._src.core import nest
from tfpy._src.core.composite_tensor import CompositeTensor, convert_variables_to_tensors
from tfpy._src.core.conversion import convert_to_tensor, get_static_value
from tfpy._src.core.name_scope import name_scope
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Reference, Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.data.iterators import OwnedIterator
from tfpy._src.functions.control.vectorized import vectorized_map
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.tf_function.type_specs import type_spec_from_value
from tfpy._src.keras_support.tensorflow_alias import described, nests
from tfpy._src.tensors.array.ranges import range
from tfpy._src.tensors.array.reshaping import identity
from tfpy._src.tensors.autodiff.custom import custom_gradient
from tfpy._src.tensors.random.stateful import uniform
from tfpy._src.tensors.random.truncated import stateless_parameterized_truncated_normal

Function = Callable[..., Any]


def deprecated(*args: Any, **kwargs: Any) -> Callable[[Function], Function]:
    """Return a decorator that changes nothing. Deprecated names of libraries do not warn."""
    return lambda function: function


def deprecated_alias(deprecated_name: str, name: str, func_or_class: Any, **kwargs: Any) -> Any:
    """Return a function or class itself."""
    return func_or_class


def convert_to_tensor_or_composite(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return a composite unchanged, and another value as a tensor."""
    if isinstance(value, Composite | CompositeTensor):
        return value
    return convert_to_tensor(value, dtype, name=name)


def pfor(
    loop_fn: Function,
    iters: Any,
    fallback_to_while_loop: bool = True,
    parallel_iterations: Any = None,
    warn: bool = False,
) -> Any:
    """Return the stacked results of a function of the numbers below `iters`."""
    return vectorized_map(loop_fn, range(iters), fallback_to_while_loop)


def case_helper(
    cond_fn: Function,
    pred_fn_pairs: Any,
    default: Function | None,
    exclusive: bool,
    name: str | None,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:
    """Call the function of the first predicate that is true, with nested conditionals.

    Raises:
        TypeError: If the pairs are not pairs of a predicate and a function.
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise TypeError("Each entry in pred_fn_pairs must be a 2-tuple")
    for _, fn in pairs:
        if not callable(fn):
            raise TypeError(f"fn for pred {fn!r} must be callable.")
    with name_scope(name or "case"):
        if default is None:
            (_, otherwise), pairs = pairs[-1], pairs[:-1]
        else:
            otherwise = default
        for pred, fn in reversed(pairs):
            otherwise = functools.partial(
                cond_fn, pred, true_fn=fn, false_fn=otherwise, **cond_kwargs
            )
        return otherwise()


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """Return the shape that a vector of sizes describes. Unknown sizes are None."""
    known = get_static_value(convert_to_tensor(tensor))
    if known is not None:
        return TensorShape([None if size == -1 else int(size) for size in known])
    count = convert_to_tensor(tensor).shape
    return TensorShape([None] * count[0] if count.rank and count[0] is not None else None)


def try_evaluate_constant(tensor: Any) -> Any:
    """Return the values of a tensor if they are known, and None otherwise."""
    return get_static_value(tensor)


def parameterized_truncated_normal(
    shape: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return random numbers from normal distributions between two bounds."""
    pair = uniform([2], maxval=int32.max, dtype=int32, seed=seed)
    mean, deviation = convert_to_tensor(means, dtype), convert_to_tensor(stddevs, dtype)
    bounds = convert_to_tensor(minvals, dtype), convert_to_tensor(maxvals, dtype)
    return stateless_parameterized_truncated_normal(shape, pair, mean, deviation, *bounds)


def add_operators(operators: Any, operator_name: Any = None, addition_tiers: Any = None) -> Any:
    """Return a list with the sum of linear operators, as a dense operator."""
    operators = list(nest.flatten(operators))
    if len(operators) < 2:
        return operators
    dense = importlib.import_module("tfpy.linalg").LinearOperatorFullMatrix
    total = sum((o.to_dense() for o in operators[1:]), operators[0].to_dense())
    hints = {
        name: True
        for name in ("is_self_adjoint", "is_positive_definite")
        if all(getattr(o, name) for o in operators)
    }
    return [dense(total, **hints)]


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """Return a value that is assigned to an attribute."""
    return value


def unchanged(function: Function) -> Function:
    """Return a function or class unchanged."""
    return function


@contextlib.contextmanager
def in_graph() -> Iterator[None]:
    """Build a graph of TensorFlow 1 in the block: the graph of an outer block, or a new one."""
    if tracing.in_graph():
        yield
        return
    graph = importlib.import_module("tfpy.compat.v1").Graph()  # which few programs need
    with graph.as_default():
        yield


def default_graph() -> Any:
    """Return the graph of TensorFlow 1 that is being built."""
    return importlib.import_module("tfpy.compat.v1").get_default_graph()


def _inspected(name: str) -> Any:
    """Return a name of Python's module `inspect`."""
    return getattr(inspect, name)


def full_arguments(function: Any) -> inspect.FullArgSpec:
    """Return the parameters of a function or a `tf.function`, without those of other decorators.

    As in TensorFlow, there are no annotations. Libraries compare the parameters of functions.
    """
    plain = getattr(function, "python_function", function)
    if (getattr(plain, "__module__", "") or "").startswith("tfpy."):
        plain = inspect.unwrap(plain)  # the decorators of tfpy keep the parameters
    return inspect.getfullargspec(plain)._replace(annotations={})


def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Any:
    """Return the tensor, and raise a LookupError with a message if its gradient is computed."""

    def refused(upstream: Any) -> Any:
        raise LookupError(f"Gradient explicitly disabled. Reason: {message}")

    return custom_gradient(lambda x: (identity(x), refused))(input)


def raising(names: Iterable[str]) -> dict[str, Any]:
    """Return functions that raise an error when they are called."""

    def refused(name: str) -> Function:
        def refuse(*args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError(
                f"tensorflow.python's {name} is a private function of TensorFlow that tfpy does "
                "not have"
            )

        return refuse

    return {name: refused(name) for name in names}


_AUTOGRAPH = (
    "converters.break_statements", "converters.continue_statements", "converters.return_statements",
    "core.converter", "pyct.anno", "pyct.common_transformers.anf", "pyct.inspect_utils",
    "pyct.loader", "pyct.naming", "pyct.parser", "pyct.qual_names",
    "pyct.static_analysis.activity", "pyct.templates",
)  # fmt: skip
"""Modules that must exist for an import of TensorFlow Probability, whose AutoGraph is separate."""

LIBRARY_MODULES: dict[str, dict[str, Any]] = {
    "__internal__": {"CompositeTensor": CompositeTensor, "EagerTensor": Tensor},
    "__internal__.nest": nests.NAMES,
    "compiler.tf2xla.python.xla": raising(["variadic_reduce"]),
    **{f"python.autograph.{name}": {} for name in _AUTOGRAPH},
    "python.autograph.pyct.transformer": {"Base": object},
    "python.data.ops.iterator_ops": {"OwnedIterator": OwnedIterator},
    "python.eager.context": {"eager_mode": tracing.init_scope, "graph_mode": in_graph},
    "python.framework.composite_tensor": {"CompositeTensor": CompositeTensor},
    "python.framework.ops": {
        "EagerTensor": Tensor,
        "convert_to_tensor_or_composite": convert_to_tensor_or_composite,
        "get_default_graph": default_graph,
    },
    "python.framework.tensor_shape": {
        "TensorShape": TensorShape,
        "as_shape": lambda shape: shape if isinstance(shape, TensorShape) else TensorShape(shape),
    },
    "python.framework.tensor_spec": {"DenseSpec": described.DenseSpec, "TensorSpec": TensorSpec},
    "python.framework.tensor_util": {
        "constant_value": get_static_value,
        "constant_value_as_shape": constant_value_as_shape,
        "try_evaluate_constant": try_evaluate_constant,
    },
    "python.framework.test_util": {
        "InstallStackTraceHandler": lambda: None,
        "enable_control_flow_v2": unchanged,
        "run_deprecated_v1": unchanged,
        "run_v1_only": deprecated,
    },
    "python.framework.type_spec": {
        "BatchableTypeSpec": described.BatchableTypeSpec,
        "TypeSpec": TypeSpec,
        "type_spec_from_value": type_spec_from_value,
    },
    "python.framework.type_spec_registry": {
        "_NAME_TO_TYPE_SPEC": described.BY_NAME,
        "_TYPE_SPEC_TO_NAME": described.NAMES,
        "register": described.register,
    },
    "python.ops.array_ops": {"prevent_gradient": prevent_gradient},
    "python.ops.control_flow_case": {"_case_helper": case_helper},
    "python.ops.control_flow_util": {"GraphOrParentsInXlaContext": lambda graph: False},
    "python.ops.linalg.linear_operator": {"make_composite_tensor": unchanged},
    "python.ops.linalg.linear_operator_addition": {"add_operators": add_operators},
    "python.ops.nn_ops": raising(["Convolution"]),
    "python.ops.parallel_for.control_flow_ops": {"pfor": pfor},
    "python.ops.random_ops": {"parameterized_truncated_normal": parameterized_truncated_normal},
    "python.ops.resource_variable_ops": {"VariableSpec": described.VariableSpec},
    "python.trackable.data_structures": {
        "sticky_attribute_assignment": sticky_attribute_assignment
    },
    "python.util.deprecation": {
        "deprecated": deprecated,
        "deprecated_alias": deprecated_alias,
        "deprecated_arg_values": deprecated,
        "deprecated_args": deprecated,
        "silence": nullcontext,
    },
    "python.util.nest": nests.NAMES,
    "python.util.object_identity": {"Reference": Reference},
    "python.util.tf_inspect": {
        "__getattr__": _inspected,
        "_inspect": inspect,
        "getfullargspec": full_arguments,
    },
    "python.util.variable_utils": {"convert_variables_to_tensors": convert_variables_to_tensors},
}
"""Modules with their names, below the package `tensorflow`."""
