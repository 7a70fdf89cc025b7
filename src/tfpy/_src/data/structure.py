"""Nests of elements: tuples, mappings, attrs objects, and objects with `__tf_flatten__`.

Lists are tensors. A `tf.compat.v1.SparseTensorValue` is a leaf.

Inside of datasets an element is a flat tuple of leaves: host arrays, ragged and sparse tensors,
dataset nodes, and None. A program receives tensors in the element's nest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.backends.storage import host_storage
from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite, DenseWrapper, FieldRecord, HostComposite
from tfpy._src.core.tensor import Tensor, from_array
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.specs import SPECS, DatasetSpec, common
from tfpy._src.data.vectors import DatasetVector
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.tf_function.value_specs import NoneTensorSpec
from tfpy._src.tensors.composite.host_values import SparseTensorValue
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec
from tfpy._src.tensors.variables.variable import Variable

Flat = tuple[Any, ...]
"""Leaves of an element."""

AS_DATASET: list[Callable[[DatasetNode], Any]] = []
"""Function that makes a dataset from a node. `data.dataset` registers its class here."""


def is_nested(value: Any) -> bool:
    """Return True if datasets treat the value as a nest."""
    if type(value) is Tensor:  # an isinstance check for Mapping is slow
        return False
    if isinstance(value, tuple | Mapping) or hasattr(type(value), "__attrs_attrs__"):
        return not isinstance(value, SparseTensorValue)
    return nest.is_flattened(value)


def flatten(value: Any) -> list[Any]:
    """Return the leaves in order. Mappings are traversed by sorted keys."""
    return list(_leaves(value))


def _leaves(value: Any) -> Iterator[Any]:
    if is_nested(value):
        for item in nest.contents(value):
            yield from _leaves(item)
    else:
        yield value


def pack(like: Any, leaves: Sequence[Any]) -> Any:
    """Return a nest with the structure of `like` and other leaves."""
    if not is_nested(like):
        return leaves[0]
    if type(like) is tuple and not any(map(is_nested, like)):
        return tuple(leaves)
    return _packed(like, iter(leaves))


def _packed(like: Any, leaves: Iterator[Any]) -> Any:
    if is_nested(like):
        return nest.rebuilt(like, [_packed(item, leaves) for item in nest.contents(like)])
    return next(leaves)


def map_structure(function: Callable[..., Any], like: Any, *others: Any) -> Any:
    """Apply a function to corresponding leaves of nests."""
    columns = [flatten(like), *(flatten_up_to(like, other) for other in others)]
    return pack(like, [function(*leaves) for leaves in zip(*columns, strict=True)])


def flatten_up_to(like: Any, value: Any) -> list[Any]:
    """Return the parts of `value` at the positions of the leaves of `like`.

    Raises:
        TypeError, ValueError: If `value` has a different structure.
    """
    if not is_nested(like):
        return [value]
    if not is_nested(value) and not isinstance(value, list):
        raise TypeError(f"The structures differ: expected {like}, got {value!r}")
    if isinstance(like, Mapping) != isinstance(value, Mapping):
        raise TypeError(f"The structures differ: expected {like}, got {value!r}")
    if isinstance(like, Mapping) and like.keys() != value.keys():
        raise ValueError(f"The keys differ: expected {sorted(like)}, got {sorted(value)}")
    parts, others = nest.contents(like), nest.contents(value)
    if len(parts) != len(others):
        raise ValueError(f"The lengths differ: expected {like}, got {value!r}")
    return [leaf for part, other in zip(parts, others, strict=True)
            for leaf in flatten_up_to(part, other)]  # fmt: skip


# Values of user programs


def normalized(value: Any, signature: Any = None) -> Any:
    """Convert the leaves of a nest to tensors, ragged and sparse tensors, datasets or None.

    Args:
        signature: Nest of specs with the dtypes of the leaves.

    Raises:
        ValueError, TypeError: If a leaf cannot be converted to a tensor, or the structure differs.
    """
    if signature is None:
        return _normalized(value)
    specs = flatten(signature)
    leaves = flatten_up_to(signature, value)
    return pack(signature, [_leaf(x, s) for x, s in zip(leaves, specs, strict=True)])


def _normalized(value: Any) -> Any:
    if not is_nested(value):
        return _leaf(value, None)
    return nest.rebuilt(value, [_normalized(item) for item in nest.contents(value)])


def _leaf(value: Any, spec: Any) -> Any:
    if isinstance(value, DenseWrapper):
        return value.as_tensor()
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if isinstance(value, HostComposite):
        return value.as_composite()
    if (
        value is None
        or isinstance(value, Tensor | Composite | FieldRecord | DatasetVector)
        or node_of(value) is not None
    ):
        return value
    if isinstance(spec, RaggedTensorSpec) and isinstance(value, list):
        return value
    if isinstance(value, list) and value and all(node_of(item) is not None for item in value):
        return _vector(value)
    return convert_to_tensor(value, getattr(spec, "dtype", None))


def _vector(datasets: list[Any]) -> DatasetVector:
    """Return a list of datasets as one leaf.

    Raises:
        ValueError: If the datasets have elements of different structures or dtypes.
    """
    nodes: list[Any] = [node_of(dataset) for dataset in datasets]
    try:
        common_spec([node.spec for node in nodes])
    except TypeError as error:
        raise ValueError(
            f"Attempt to convert a list of datasets with different elements: {error} Datasets in "
            "one list must have elements of one structure with equal dtypes."
        ) from error
    return DatasetVector(nodes)


def common_spec(specs: Sequence[Any]) -> Any:
    """Return the most specific nest of specs that is compatible with all nests.

    Raises:
        TypeError: If there is none.
    """
    found = specs[0]
    for other in specs[1:]:
        try:
            found = map_structure(common, found, other)
        except ValueError as error:
            raise TypeError(str(error)) from error
    return found


def node_of(value: Any) -> DatasetNode | None:
    """Return the node of a dataset; None for another value."""
    found = getattr(value, "_node", None)
    return found if isinstance(found, DatasetNode) else None


def leaf_spec(value: Any) -> Any:
    """Return the spec of a leaf: a tensor, composite, dataset or None."""
    if value is None:
        return NoneTensorSpec()
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec.from_value(value)
    if isinstance(value, SparseTensor):
        return SparseTensorSpec.from_value(value)
    if isinstance(value, FieldRecord):
        return value.__spec__()
    if isinstance(value, DatasetVector):
        return DatasetSpec(common_spec([node.spec for node in value.nodes]), value.shape)
    node = node_of(value)
    return TensorSpec.from_tensor(value) if node is None else DatasetSpec(node.spec)


def spec_of(value: Any) -> Any:
    """Return the nest of specs of a nest of leaves."""
    return pack(value, [leaf_spec(x) for x in flatten(value)])


def checked_signature(signature: Any) -> Any:
    """Return a nest of specs after a check.

    Raises:
        TypeError: If a leaf is not a spec.
    """
    for spec in flatten(signature):
        if not isinstance(spec, SPECS):
            raise TypeError(
                "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but "
                f"found {type(spec)} which is not."
            )
    return signature


def text_of(value: Any) -> str:
    """Return a string from a str, a path object or a tensor."""
    if isinstance(value, str | os.PathLike):
        return os.fspath(value)
    found = convert_to_tensor(value, dtypes.string).host_view().item()
    return str(found.decode())


# Conversion between both forms


def to_inner(value: Any) -> Any:
    """Convert a leaf of a user program to the inner form: the host values of a tensor."""
    if isinstance(value, Tensor):
        return value.host_view()
    if isinstance(value, Variable):
        return value.value().host_view()
    node = node_of(value)
    return value if node is None else node


def inner(value: Any) -> Flat:
    """Return the flat element of a nest from a user program."""
    return tuple([to_inner(leaf) for leaf in flatten(value)])


def to_outer(leaf: Any) -> Any:
    """Convert a leaf to the form that user programs receive."""
    if type(leaf) is np.ndarray:
        return from_array(leaf)
    return AS_DATASET[0](leaf) if isinstance(leaf, DatasetNode) else leaf


def outer(spec: Any) -> Callable[[Flat], Any]:
    """Return a function that converts flat elements of a spec to nests for user programs."""
    specs = flatten(spec)
    if all(isinstance(s, TensorSpec) for s in specs):
        dtypes = [s.dtype for s in specs]

        if not is_nested(spec):
            return lambda element: _tensor(element[0], dtypes[0])

        packed = nest.packer(spec)
        return lambda element: packed(map(_tensor, element, dtypes))
    return lambda element: pack(spec, [to_outer(leaf) for leaf in element])


def _tensor(array: Any, dtype: Any) -> Tensor:
    aval = Aval(array.shape, dtype)
    return Tensor(aval, host_storage(array, aval))


def to_numpy(leaf: Any) -> Any:
    """Convert a leaf to a read-only NumPy array. Sparse tensors become dense."""
    if isinstance(leaf, FieldRecord):
        raise TypeError(
            "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce "
            f"values of type {type(leaf)}"
        )
    if isinstance(leaf, SparseTensor):
        dense = np.zeros(leaf.host_shape, leaf.dtype.as_numpy_dtype)
        dense[tuple(leaf.host_indices.T)] = leaf.values.host_view()
        leaf = dense
    elif isinstance(leaf, Composite):
        leaf = leaf.numpy()  # type: ignore[attr-defined]
    if not isinstance(leaf, np.ndarray):
        return leaf
    if not leaf.shape:
        return leaf[()]
    view = leaf.view()
    view.flags.writeable = False
    return view
