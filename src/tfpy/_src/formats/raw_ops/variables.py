"""Operations that create, read, assign and update variables by their handles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.arrays import updated_part
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.formats.raw_ops.resources import VariableHandle, named, variable_of
from tfpy._src.tensors.array import scattering
from tfpy._src.tensors.array.reshaping import broadcast_to, reshape, shape
from tfpy._src.tensors.array.segments import unsorted_segment_prod
from tfpy._src.tensors.array.slicing import gather


def _handle(*, dtype: Any, shape: Any, container: str, shared_name: str) -> VariableHandle:
    return named("variable", container, shared_name, lambda: VariableHandle(dtype, shape))


def _assigned(resource: Any, value: Any) -> None:
    if isinstance(resource, VariableHandle) and resource.variable is None:
        resource.make(value)
    else:
        variable_of(resource).assign(value)


def _ref_assigned(ref: Any, value: Any) -> Any:
    _assigned(ref, value)
    return ref


def _rows(change: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], None]:
    """Return an operation that updates rows of a variable by `change(value, places, updates)`."""

    def changed(resource: Any, indices: Any, updates: Any) -> None:
        variable, places = variable_of(resource), convert_to_tensor(indices)
        row = variable.shape[1:]
        whole = broadcast_to(convert_to_tensor(updates), [*places.aval.shape, *row])
        rows = reshape(whole, [places.size, *row])
        variable.assign(change(variable.tensor, reshape(places, [-1, 1]), rows))

    return changed


def _parts(change: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], None]:
    """Return an operation that updates a variable at index vectors."""

    def changed(ref: Any, indices: Any, updates: Any) -> None:
        variable = variable_of(ref)
        variable.assign(change(variable.tensor, indices, updates))

    return changed


def _factors(value: Tensor, places: Tensor, updates: Tensor) -> Tensor:
    """Return the product of all factors for each row."""
    return unsorted_segment_prod(updates, reshape(places, [-1]), value.aval.shape[0])


def _part_assigned(ref: Any, begin: Any, end: Any, strides: Any, value: Any, **masks: Any) -> None:
    variable = variable_of(ref)
    variable.assign(updated_part(variable.tensor, begin, end, strides, value, **masks))


def _gathered(resource: Any, indices: Any, batch_dims: int) -> Tensor:
    return gather(variable_of(resource), indices, axis=batch_dims, batch_dims=batch_dims)


op(
    'VarHandleOp(; dtype, shape, container="", shared_name="", debug_name="", '
    "allowed_devices=[]) -> resource",
    _handle,
    stateful=True,
)
op(
    "ReadVariableOp(resource; dtype) -> value",
    lambda resource: variable_of(resource).value(),
    stateful=True,
)
op("AssignVariableOp(resource, value; validate_shape=False)", _assigned, stateful=True)
op(
    "AssignAddVariableOp(resource, value)",
    lambda resource, value: variable_of(resource).assign_add(value),
    stateful=True,
)
op(
    "AssignSubVariableOp(resource, value)",
    lambda resource, value: variable_of(resource).assign_sub(value),
    stateful=True,
)
op(
    "VarIsInitializedOp(resource) -> is_initialized",
    lambda resource: constant(getattr(resource, "variable", resource) is not None),
    stateful=True,
)
op(
    "VariableShape(input; out_type=int32) -> output",
    lambda input: shape(variable_of(input).value()),
    stateful=True,
)
op("DestroyResourceOp(resource; ignore_lookup_error=True)", lambda resource: None, stateful=True)
op("DisableCopyOnRead(resource)", lambda resource: None, stateful=True)
op(
    "ResourceCountUpTo(resource; limit, T) -> output",
    lambda resource, limit: variable_of(resource).count_up_to(limit),
    stateful=True,
)

op(
    "ResourceGather(resource, indices; dtype, batch_dims=0, validate_indices=True) -> output",
    _gathered,
    stateful=True,
)
op(
    "ResourceGatherNd(resource, indices; dtype) -> output",
    lambda resource, indices: scattering.gather_nd(variable_of(resource), indices),
    stateful=True,
)
op(
    "ResourceScatterAdd(resource, indices, updates)",
    _rows(scattering.tensor_scatter_nd_add),
    stateful=True,
)
op(
    "ResourceScatterDiv(resource, indices, updates)",
    _rows(lambda v, at, rows: ew.real_div(v, _factors(v, at, rows))),
    stateful=True,
)
op(
    "ResourceScatterMax(resource, indices, updates)",
    _rows(scattering.tensor_scatter_nd_max),
    stateful=True,
)
op(
    "ResourceScatterMin(resource, indices, updates)",
    _rows(scattering.tensor_scatter_nd_min),
    stateful=True,
)
op(
    "ResourceScatterMul(resource, indices, updates)",
    _rows(lambda v, at, rows: v * _factors(v, at, rows)),
    stateful=True,
)
op(
    "ResourceScatterSub(resource, indices, updates)",
    _rows(scattering.tensor_scatter_nd_sub),
    stateful=True,
)
op(
    "ResourceScatterUpdate(resource, indices, updates)",
    _rows(scattering.tensor_scatter_nd_update),
    stateful=True,
)
op(
    'ResourceScatterNdAdd(ref, indices, updates; use_locking=True, bad_indices_policy="")',
    _parts(scattering.tensor_scatter_nd_add),
    stateful=True,
)
op(
    'ResourceScatterNdMax(ref, indices, updates; use_locking=True, bad_indices_policy="")',
    _parts(scattering.tensor_scatter_nd_max),
    stateful=True,
)
op(
    'ResourceScatterNdMin(ref, indices, updates; use_locking=True, bad_indices_policy="")',
    _parts(scattering.tensor_scatter_nd_min),
    stateful=True,
)
op(
    'ResourceScatterNdSub(ref, indices, updates; use_locking=True, bad_indices_policy="")',
    _parts(scattering.tensor_scatter_nd_sub),
    stateful=True,
)
op(
    'ResourceScatterNdUpdate(ref, indices, updates; use_locking=True, bad_indices_policy="")',
    _parts(scattering.tensor_scatter_nd_update),
    stateful=True,
)
op(
    "ResourceStridedSliceAssign(ref, begin, end, strides, value; begin_mask=0, end_mask=0, "
    "ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)",
    _part_assigned,
    stateful=True,
)

# References of TensorFlow 1: handles that also serve as values

op('Variable(; shape, dtype, container="", shared_name="") -> ref', _handle, stateful=True)
op('VariableV2(; shape, dtype, container="", shared_name="") -> ref', _handle, stateful=True)
op("Assign(ref, value; validate_shape=True, use_locking=True) -> output_ref", _ref_assigned)
op(
    "AssignAdd(ref, value; use_locking=False) -> output_ref",
    lambda ref, value: variable_of(ref).assign_add(value),
)
op(
    "AssignSub(ref, value; use_locking=False) -> output_ref",
    lambda ref, value: variable_of(ref).assign_sub(value),
)
op(
    "IsVariableInitialized(ref) -> is_initialized",
    lambda ref: constant(getattr(ref, "variable", ref) is not None),
)
