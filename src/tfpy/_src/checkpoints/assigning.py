"""Assignment of checkpointed values to Variables."""

from __future__ import annotations

from typing import Any

from tfpy._src.backends.devices import devices_of
from tfpy._src.backends.interface import Ranges
from tfpy._src.backends.storage import Storage, host_storage
from tfpy._src.base import tracing
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.checkpoints.reader import CheckpointReader
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.variables.variable import Variable


def assign(variable: Variable, reader: CheckpointReader, key: str) -> None:
    """Assign a checkpointed value to a Variable, on the devices that hold its present value.

    Raises:
        ValueError: If the shapes differ.
        InvalidArgumentError: If the dtypes differ, or an integer does not fit into 32 bits.
    """
    aval = _saved(variable, reader, key)

    def read(ranges: Ranges | None = None) -> Array:
        return _narrowed(reader.part(key, ranges), aval, key)

    with tracing.init_scope():
        storage = variable.held.storage
        slot = None
        if storage.backend is not None and not storage.backend.gone and aval is variable.aval:
            slot = devices_of(storage.backend).refill(storage.slot, aval, read)
        if slot is None:
            variable.hold(Tensor(aval, host_storage(read(), aval)))
        else:
            variable.hold(Tensor(aval, Storage(aval, backend=storage.backend, slot=slot)))
    if (number := reader.number(key)) != aval.dtype.as_datatype_enum:
        variable.saved_as = number


def is_uninitialized(value: Any) -> bool:
    """Return True for a Keras variable that a symbolic call created and that has no value yet."""
    return (
        hasattr(type(value), "_deferred_initialize")
        and getattr(value, "_initializer", None) is not None
    )


def initialize(variable: Any, reader: CheckpointReader, key: str) -> None:
    """Replace the initializer of a Keras variable by the checkpointed value.

    Raises:
        ValueError: If the shapes differ.
        InvalidArgumentError: If the dtypes differ, or an integer does not fit into 32 bits.
    """
    aval = _saved(variable, reader, key)
    array = _narrowed(reader.part(key), aval, key)

    def saved(shape: Any, dtype: Any = None) -> Tensor:
        """Return the value."""
        return Tensor(aval, host_storage(array, aval))

    variable._initializer = saved


def _saved(variable: Any, reader: CheckpointReader, key: str) -> Aval:
    """Return the shape and dtype of a checkpointed value for a variable.

    Raises:
        ValueError: If the shapes differ.
        InvalidArgumentError: If the dtypes differ.
    """
    shape, saved, dtype = reader.shape(key), as_dtype(reader.number(key)), as_dtype(variable.dtype)
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Received incompatible tensor with shape {shape} when attempting to restore variable "
            f"with shape {variable.shape} and name {variable.name}."
        )
    if saved != dtype:
        raise InvalidArgumentError(
            None,
            "RestoreV2",
            f"{key} in the checkpoint has dtype {saved.name}, but the variable "
            f"{variable.name} has dtype {dtype.name}.",
        )
    return Aval(shape, dtype)


def _narrowed(array: Array, aval: Aval, key: str) -> Array:
    """Convert an array of a file to a Variable's dtype, which may be narrower.

    Raises:
        InvalidArgumentError: If an integer does not fit into the dtype.
    """
    narrow = array.astype(aval.dtype.as_numpy_dtype, copy=False)
    if array.dtype.kind in "iu" and narrow.dtype != array.dtype and (narrow != array).any():
        raise InvalidArgumentError(
            None,
            "RestoreV2",
            f"{key} in the checkpoint has integers that do not fit into {aval.dtype.name}.",
        )
    return narrow
