"""TensorFlow's private names that Keras and other libraries use, for `import tensorflow`.

The table :data:`MODULES` lists the modules with their names.
"""

from __future__ import annotations

import importlib
import sys
import types
from contextlib import nullcontext
from functools import partial
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import DType, int32
from tfpy._src.compiler.ops import dynamic_slices
from tfpy._src.core.conversion import convert_to_tensor, is_tensor
from tfpy._src.core.indexed_slices import IndexedSlices
from tfpy._src.core.operand import AnyTensor
from tfpy._src.core.primitives import is_nan
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.distribute.input import DistributedDataset
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.trace.symbolic import SymbolicTensor
from tfpy._src.keras_support.tensorflow_alias import csr
from tfpy._src.keras_support.tensorflow_alias.internal import (
    AutoTrackable,
    EagerContext,
    OpDeterminism,
    Trackable,
    maybe_merge_call,
    no_automatic_dependency_tracking,
    smart_cond,
    spec_class,
    spec_name,
)
from tfpy._src.keras_support.tensorflow_alias.libraries import LIBRARY_MODULES
from tfpy._src.keras_support.tensorflow_alias.operations import OPERATION_MODULES
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.random.streams import global_seed
from tfpy._src.tensors.variables.tracking import DictWrapper, ListWrapper
from tfpy._src.tensors.variables.variable import Variable


def dynamic_update_slice(operand: Any, update: Any, start_indices: Any) -> Tensor:
    """Return the operand with `update` in place of the part that starts at `start_indices`.

    A start is clipped so that the update fits, as in XLA's DynamicUpdateSlice.

    Args:
        operand: Tensor.
        update: Tensor of the same rank and dtype.
        start_indices: Integer vector, or a sequence of integer scalars, one per axis.
    """
    x, part = convert_to_tensor(operand), convert_to_tensor(update)
    if not x.ndim:
        return part
    starts = stack([cast(start_indices[axis], int32) for axis in range(len(x.shape))])
    return dynamic_slices.dynamic_update_slice(x, part, starts)


def enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Let tensors behave like NumPy arrays, under the name in `np_config` that programs use."""
    _numpy_name("experimental_enable_numpy_behavior")(prefer_float32, dtype_conversion_mode)


def _numpy_name(name: str) -> Any:
    """Return a name of `tf.experimental.numpy`, which few programs need."""
    return getattr(importlib.import_module("tfpy.experimental.numpy"), name)


def _column_name(name: str) -> Any:
    """Return a class of the layers' protocol for feature columns, which few programs need."""
    modules = ("protocol", "base", "dense_columns", "categorical_columns")
    for module in modules:
        found = importlib.import_module(f"tfpy._src.library.feature_columns.{module}")
        if hasattr(found, name):
            return getattr(found, name)
    raise AttributeError(name)


MODULES: dict[str, dict[str, Any]] = {
    "__internal__.distribute": {"strategy_supports_no_merge_call": lambda: True},
    "__internal__.distribute.interim": {"maybe_merge_call": maybe_merge_call},
    "__internal__.eager_context": {"eager_mode": nullcontext},
    "__internal__.smart_cond": {"smart_cond": smart_cond},
    "python.framework.smart_cond": {"smart_cond": smart_cond},
    "__internal__.tf2": {"enabled": lambda: True},
    "__internal__.tracking": {
        "AutoTrackable": AutoTrackable,
        "Trackable": Trackable,
        "no_automatic_dependency_tracking": no_automatic_dependency_tracking,
    },
    "__internal__.types": {"Tensor": AnyTensor},
    "compiler.tf2xla.python.xla": {"dynamic_update_slice": dynamic_update_slice},
    "python.eager.context": {
        "async_wait": lambda: None,
        "context": EagerContext,
        "executing_eagerly": tracing.executing_eagerly,
        "global_seed": global_seed,
    },
    "python.feature_column.feature_column_v2": {"__getattr__": _column_name},
    "python.framework.config": {
        "disable_op_determinism": partial(OpDeterminism.set, False),
        "enable_op_determinism": partial(OpDeterminism.set, True),
        "is_op_determinism_enabled": lambda: OpDeterminism.enabled,
    },
    "python.framework.tensor_util": {"is_tf_type": is_tensor},
    "python.framework.type_spec_registry": {"get_name": spec_name, "lookup": spec_class},
    "python.ops.linalg.sparse": {"sparse_csr_matrix_ops": csr},
    "python.ops.linalg.sparse.sparse": {
        "CSRSparseMatrix": csr.CSRSparseMatrix,
        "matmul": csr.csr_matmul,
    },
    "python.ops.math_ops": {"is_nan": is_nan},
    "python.ops.numpy_ops.np_config": {"enable_numpy_behavior": enable_numpy_behavior},
    **{
        f"python.ops.numpy_ops.{name}": {"__getattr__": _numpy_name}
        for name in ("np_array_ops", "np_arrays", "np_dtypes", "np_math_ops")
    },
    "python.trackable.data_structures": {"ListWrapper": ListWrapper, "_DictWrapper": DictWrapper},
}

CLAIMED: dict[type, str] = {
    DType: "python.framework.dtypes",
    DatasetV2: "python.data.ops.dataset_ops",
    DistributedDataset: "python.distribute.input_lib",
    Function: "python.eager.polymorphic_function.polymorphic_function",
    IndexedSlices: "python.framework.indexed_slices",
    RaggedTensor: "python.ops.ragged.ragged_tensor",
    SparseTensor: "python.framework.sparse_tensor",
    SymbolicTensor: "python.framework.ops",
    Tensor: "python.framework.tensor",
    TensorShape: "python.framework.tensor_shape",
    TensorSpec: "python.framework.tensor",
    Variable: "python.ops.resource_variable_ops",
}
"""Classes that libraries recognize by the name of their module."""


def install(package: types.ModuleType) -> None:
    """Add the private names to the package that is imported as TensorFlow."""
    vars(package.compat)["v2"] = package
    Tensor.__nonzero__ = Tensor.__bool__  # type: ignore[attr-defined]
    for modules in (MODULES, LIBRARY_MODULES, OPERATION_MODULES):
        for name, names in modules.items():
            vars(_module(package, name)).update(names)
    for kind, name in CLAIMED.items():
        kind.__module__ = f"tensorflow.{name}"
        setattr(_module(package, name), kind.__name__, kind)
    graphs = sys.modules.get("tfpy._src.functions.graph_mode.tensors")
    if graphs is not None:  # otherwise the class takes the name when it is imported
        vars(graphs)["GraphTensor"].__module__ = SymbolicTensor.__module__


def _module(package: types.ModuleType, name: str) -> types.ModuleType:
    """Return a module below the package. Create it and its parents if they are missing."""
    path, _, last = name.rpartition(".")
    parent = _module(package, path) if path else package
    found = vars(parent).get(last)
    if found is None:
        found = types.ModuleType(f"tensorflow.{name}")
        found.__path__ = []  # a package
        setattr(parent, last, found)
    return found
