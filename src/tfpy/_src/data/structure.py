"""The nests of elements: tuples, named tuples, mappings and attrs objects; lists are tensors.

Inside of datasets an element is a flat tuple of its leaves: arrays of the host, ragged and sparse
tensors, nodes of datasets, and None. A program gets tensors in the element's nest.
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
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor, from_array
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.specs import SPECS, DatasetSpec, NoneTensorSpec
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec
from tfpy._src.tensors.variables.variable import Variable

Flat = tuple[Any, ...]
"""The leaves of an element."""

AS_DATASET: list[Callable[[DatasetNode], Any]] = []
"""What makes a dataset of a node; ``data.dataset`` enters its class."""


def is_nested(value: Any) -> bool:
    """Whether it is a nest, of which datasets take the parts."""
    if type(value) is Tensor:  # to ask whether something is a Mapping takes Python long
        return False
    if isinstance(value, tuple):
        return not isinstance(value, TensorShape)
    return isinstance(value, Mapping) or hasattr(type(value), "__attrs_attrs__")


def flatten(value: Any) -> list[Any]:
    """The leaves in order, those of mappings by sorted keys."""
    return list(_leaves(value))


def _leaves(value: Any) -> Iterator[Any]:
    if is_nested(value):
        for item in nest.contents(value):
            yield from _leaves(item)
    else:
        yield value


def pack(like: Any, leaves: Sequence[Any]) -> Any:
    """A nest like ``like`` over other leaves."""
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
    """The nest with a function of the leaves in the same places of all nests."""
    columns = [flatten(like), *(flatten_up_to(like, other) for other in others)]
    return pack(like, [function(*leaves) for leaves in zip(*columns, strict=True)])


def flatten_up_to(like: Any, value: Any) -> list[Any]:
    """What of ``value`` stands where ``like`` has leaves.

    Raises:
        TypeError, ValueError: when it is not nested like this.
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


# A program's values


def normalized(value: Any, signature: Any = None) -> Any:
    """The nest over tensors, ragged and sparse tensors, datasets and None.

    Args:
        signature: a nest of specs, by whose dtypes leaves are converted.

    Raises:
        ValueError, TypeError: for what converts to no tensor, or is nested otherwise.
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
    if value is None or isinstance(value, Tensor | Composite) or node_of(value) is not None:
        return value
    if isinstance(spec, RaggedTensorSpec) and isinstance(value, list):
        return value
    return convert_to_tensor(value, getattr(spec, "dtype", None))


def node_of(value: Any) -> DatasetNode | None:
    """The node of a dataset; None of another value."""
    found = getattr(value, "_node", None)
    return found if isinstance(found, DatasetNode) else None


def leaf_spec(value: Any) -> Any:
    """The spec of a leaf: a tensor, composite, dataset or None."""
    if value is None:
        return NoneTensorSpec()
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec.from_value(value)
    if isinstance(value, SparseTensor):
        return SparseTensorSpec.from_value(value)
    node = node_of(value)
    return TensorSpec.from_tensor(value) if node is None else DatasetSpec(node.spec)


def spec_of(value: Any) -> Any:
    """The nest of specs of a nest of leaves."""
    return pack(value, [leaf_spec(x) for x in flatten(value)])


def checked_signature(signature: Any) -> Any:
    """A nest of specs.

    Raises:
        TypeError: for other leaves.
    """
    for spec in flatten(signature):
        if not isinstance(spec, SPECS):
            raise TypeError(
                "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but "
                f"found {type(spec)} which is not."
            )
    return signature


def text_of(value: Any) -> str:
    """A text given as such, as a path, or as a tensor."""
    if isinstance(value, str | os.PathLike):
        return os.fspath(value)
    found = convert_to_tensor(value, dtypes.string).host_view().item()
    return str(found.decode())


# Between the two


def to_inner(value: Any) -> Any:
    """A program's leaf as it is inside: a tensor's values on the host."""
    if isinstance(value, Tensor):
        return value.host_view()
    if isinstance(value, Variable):
        return value.value().host_view()
    node = node_of(value)
    return value if node is None else node


def inner(value: Any) -> Flat:
    """The flat element of a program's nest."""
    return tuple([to_inner(leaf) for leaf in flatten(value)])


def to_outer(leaf: Any) -> Any:
    """A leaf as a program gets it."""
    if type(leaf) is np.ndarray:
        return from_array(leaf)
    return AS_DATASET[0](leaf) if isinstance(leaf, DatasetNode) else leaf


def outer(spec: Any) -> Callable[[Flat], Any]:
    """What makes a program's nest of a flat element of such a spec."""
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
    """A leaf as NumPy has it, not to be written to; sparse tensors become dense."""
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
