"""What tests import from TensorFlow's private modules and what has no public name.

Keys are the names below ``tensorflow.python``. Values are made of public names of tfpy only. A
private name that is neither here nor public makes the tests that use it impossible to judge.
"""

from __future__ import annotations

import logging
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from unittest import mock

import numpy as np
from absl import flags, logging as absl_logging
from absl.testing import absltest

import tfpy as tf

from . import eager
from .importing import note


class _Context:
    """The eager context, as far as tests ask it questions."""

    executing_eagerly = staticmethod(tf.executing_eagerly)
    executor = types.SimpleNamespace(wait=lambda: None, clear_error=lambda: None)
    function_call_options = None
    mirroring_policy = None

    def __getattr__(self, name: str) -> Any:
        note(f"eager.context.context.{name}", is_public=False)
        raise AttributeError(name)

    def __enter__(self) -> _Context:
        return self

    def __exit__(self, *error: object) -> None:
        """Do nothing."""

    def ensure_initialized(self) -> None:
        """Do nothing."""

    def num_gpus(self) -> int:
        return 0

    def list_physical_devices(self, kind: str | None = None) -> list[Any]:
        return tf.config.list_physical_devices(kind)


@contextmanager
def graph_mode() -> Iterator[None]:
    """Build a graph within a context."""
    with tf.Graph().as_default():
        yield


def max_error(grad1: Any, grad2: Any) -> float:
    """Return the largest difference between two lists of Jacobians."""
    pairs = zip(grad1, grad2, strict=True)
    return max((float(np.fabs(a - b).max()) for a, b in pairs if a.size or b.size), default=0)


def is_sparse(x: object) -> bool:
    """Return True for a sparse tensor and for its arrays."""
    return isinstance(x, tf.SparseTensor | tf.compat.v1.SparseTensorValue)


def is_ragged(x: object) -> bool:
    """Return True for a ragged tensor and for its arrays."""
    return isinstance(x, tf.RaggedTensor | tf.compat.v1.ragged.RaggedTensorValue)


def convert_to_tensor_or_ragged_tensor(
    value: Any, dtype: Any = None, preferred_dtype: Any = None, name: str | None = None
) -> Any:
    """Convert all values but ragged tensors to tensors."""
    if isinstance(value, tf.compat.v1.ragged.RaggedTensorValue):
        value = tf.RaggedTensor.from_nested_row_splits(value.flat_values, value.nested_row_splits)
    if isinstance(value, tf.RaggedTensor):
        return value
    return tf.convert_to_tensor(value, dtype, preferred_dtype, name)


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Any:
    """Convert a value to a tensor. The private function has arguments of both versions."""
    return tf.convert_to_tensor(value, dtype, preferred_dtype or dtype_hint, name)


def name_scope(
    name: str | None,
    default_name: str | None = None,
    values: Any = None,
    skip_on_eager: bool = True,
) -> Any:
    """Open a scope, which has no effect while ops are computed at once."""
    if skip_on_eager and tf.executing_eagerly():
        return nullcontext()
    return tf.name_scope(name or default_name or "")


def unknown_shape(rank: int | None = None) -> Any:
    """Return a shape of unknown sizes."""
    return tf.TensorShape(None if rank is None else [None] * rank)


def ragged_shape_spec(shape: Any, num_row_partitions: int, dtype: Any) -> Any:
    """Return the description of a ragged shape with a static shape."""
    return tf.experimental.DynamicRaggedShape.Spec([], tf.TensorShape(shape), dtype)


tf.experimental.DynamicRaggedShape.Spec._from_tensor_shape = staticmethod(ragged_shape_spec)


def next_element(iterator: Any) -> Any:
    """Return the next element of a dataset. At the end raise the error of TensorFlow's op."""
    for element in iterator:
        return element
    raise tf.errors.OutOfRangeError(None, None, "End of sequence")


type(iter(tf.data.Dataset.range(1)))._next_internal = next_element


def structured_tensor_spec(shape: Any, field_specs: Any) -> Any:
    """Return the description of a structured tensor with a static shape."""
    sizes = tf.experimental.DynamicRaggedShape.Spec([], shape, tf.int32)
    return tf.experimental.StructuredTensor.Spec(_fields=field_specs, _ragged_shape=sizes)


def gradients_function(f: Callable[..., Any], params: Any = None) -> Callable[..., list[Any]]:
    """Return a function that computes the gradients of another one."""

    def gradients(*args: Any, dy: Any = None) -> list[Any]:
        inputs = [tf.convert_to_tensor(a) for a in args]
        chosen = inputs if params is None else [inputs[i] for i in params]
        with tf.GradientTape() as tape:
            tape.watch(chosen)
            y = f(*inputs)
        return tape.gradient(y, chosen, output_gradients=dy)

    return gradients


def global_shuffle(dataset: Any, seed: Any = None, **kwargs: Any) -> Any:
    """Refuse, because the order of elements is not specified."""
    raise NotImplementedError("_global_shuffle")


RAGGED = {
    "ragged_array_ops": (
        *("bitcast", "boolean_mask", "dynamic_partition", "expand_dims", "one_hot", "rank"),
        *("reverse", "size", "split", "tile"),
    ),
    "ragged_concat_ops": ("concat", "stack"),
    "ragged_gather_ops": ("gather", "gather_nd"),
    "ragged_math_ops": (
        *("matmul", "reduce_all", "reduce_any", "reduce_max", "reduce_mean", "reduce_min"),
        *("reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "segment_max"),
        *("segment_mean", "segment_min", "segment_prod", "segment_sqrt_n", "segment_sum"),
    ),
    "ragged_squeeze_op": ("squeeze",),
}
"""Versions of functions for ragged tensors. The public functions call them."""
OTHERS = {f"segment_{n}": getattr(tf.math, f"unsorted_segment_{n}")
          for n in ("max", "mean", "min", "prod", "sqrt_n", "sum")}  # fmt: skip
OTHERS |= {"boolean_mask": tf.ragged.boolean_mask, "stack": tf.ragged.stack}


def ragged_functions(module: str) -> dict[str, Any]:
    """Return the public functions in place of those of a module for ragged tensors."""
    return {n: OTHERS.get(n) or getattr(tf, n, getattr(tf.math, n, None)) for n in RAGGED[module]}


SHIMS: dict[str, dict[str, Any]] = {
    "client.session": {"Session": tf.compat.v1.Session},
    "data.ops.test_mode": {"toggle_test_mode": lambda on: None},
    "eager.backprop": {"gradients_function": gradients_function},
    "eager.context": {
        "_reset_context": lambda: None,
        "_reset_jit_compiler_flags": lambda: None,
        "async_wait": lambda: None,
        "context": _Context,
        "device": tf.device,
        "eager_mode": nullcontext,
        "ensure_initialized": lambda: None,
        "execution_mode": lambda mode: nullcontext(),
        "graph_mode": graph_mode,
        "in_eager_mode": tf.executing_eagerly,
        "internal_operation_seed": lambda: 0,
        "is_tfrt_enabled": lambda: False,
        "num_gpus": lambda: 0,
        "set_default_mode": lambda mode: None,
    },
    "eager.test": {"main": absltest.main, "TestCase": tf.test.TestCase},
    "framework.combinations": vars(eager.combinations),
    "framework.composite_tensor": {},
    "framework.dtypes": {"_np_bfloat16": tf.bfloat16.as_numpy_dtype},
    "framework.indexed_slices": {},
    "framework.ops": {
        "EagerTensor": tf.Tensor,
        "Tensor": tf.Tensor,
        "_EagerTensorBase": tf.Tensor,
        "convert_to_tensor": convert_to_tensor,
        "convert_to_tensor_v2_with_dispatch": tf.convert_to_tensor,
        "executing_eagerly_outside_functions": lambda: True,
        "name_scope": name_scope,
    },
    "framework.sparse_tensor": {"is_sparse": is_sparse},
    "framework.tensor": {"Tensor": tf.Tensor},
    "framework.tensor_shape": {"as_shape": tf.TensorShape, "unknown_shape": unknown_shape},
    "framework.tensor_util": {"is_tensor": tf.is_tensor, "is_tf_type": tf.is_tensor},
    "framework.test_util": {
        **eager.TEST_UTIL,
        "TensorFlowTestCase": tf.test.TestCase,
        "matmul_without_tf32": tf.matmul,
    },
    "lib.io.file_io": {"file_exists": tf.io.gfile.exists, "FileIO": tf.io.gfile.GFile},
    "ops.array_ops": {"constant": tf.constant, "newaxis": None},
    "ops.control_flow_ops": {},
    "ops.control_flow_util": {
        "ENABLE_CONTROL_FLOW_V2": True,
        "EnableControlFlowV2": lambda graph: True,
    },
    "ops.control_flow_v2_toggles": {"control_flow_v2_enabled": lambda: True},
    "ops.gradient_checker_v2": {"max_error": max_error},
    "ops.linalg.linalg": vars(tf.linalg),
    "ops.linalg.linalg_impl": vars(tf.linalg),
    "ops.math_ops": {"mod": tf.math.floormod, "mul": tf.multiply, "sub": tf.subtract},
    **{f"ops.ragged.{module}": ragged_functions(module) for module in RAGGED},
    "ops.ragged.ragged_where_op": {"where": tf.compat.v1.where, "where_v2": tf.where},
    "ops.ragged.ragged_tensor": {
        "convert_to_tensor_or_ragged_tensor": convert_to_tensor_or_ragged_tensor,
        "is_ragged": is_ragged,
    },
    "ops.structured.structured_tensor": {"StructuredTensorSpec": structured_tensor_spec},
    "ops.resource_variable_ops": {
        "BaseResourceVariable": tf.Variable,
        "ResourceVariable": tf.Variable,
        "UninitializedVariable": tf.Variable,
        "is_resource_variable": lambda v: isinstance(v, tf.Variable),
    },
    "platform.benchmark": {"Benchmark": tf.test.Benchmark},
    "platform.flags": vars(flags),
    "platform.googletest": {
        "GetTempDir": tf.compat.v1.test.get_temp_dir,
        "TestCase": absltest.TestCase,
        "main": absltest.main,
        "mock": mock,
    },
    "platform.test": {"TestCase": tf.test.TestCase, "main": absltest.main, "mock": mock},
    "platform.tf_logging": {
        **{name: getattr(absl_logging, name) for name in ("debug", "error", "info", "warning")},
        "get_logger": lambda: logging.getLogger("tensorflow"),
        "vlog": absl_logging.vlog,
        "warn": absl_logging.warning,
    },
    "pywrap_sanitizers": {
        f"is_{name}_enabled": lambda: False for name in ("asan", "msan", "tsan", "ubsan")
    },
    "tf2": {"enabled": lambda: True},
    "util.numpy_compat": {"np_array": np.array, "np_asarray": np.asarray},
    "trackable.autotrackable": {"AutoTrackable": tf.Module},
}
