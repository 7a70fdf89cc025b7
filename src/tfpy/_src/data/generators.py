"""Elements that a Python generator yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import (
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.data import structure
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.run import NOT_YET, Continuing, DatasetRun, Failed, NotAwaitedError
from tfpy._src.data.specs import are_compatible
from tfpy._src.data.structure import Flat
from tfpy._src.functions.tf_function.signature import TensorSpec

_ERRORS: tuple[tuple[Any, type[OpError]], ...] = (
    ((ValueError, TypeError), InvalidArgumentError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
    (Exception, UnknownError),
)
"""Error classes for exceptions of user code; the first match is used."""


class GeneratorNode(DatasetNode):
    """The values that a generator function yields. Each iteration calls the function again.

    Args:
        make: The generator function, which may be asynchronous.
        arguments: Tensors that the function receives as arrays.
        spec: Nest of specs of a value.
    """

    name = "_FlatMapDataset"

    def __init__(self, make: Callable[..., Any], arguments: Any, spec: Any) -> None:
        super().__init__()
        self._make, self._spec = make, spec
        self._arguments = [convert_to_tensor(a) for a in arguments]

    @cached_property
    def spec(self) -> Any:
        return self._spec

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        return Continuing(self._elements(run))

    def _elements(self, run: DatasetRun) -> Iterator[Any]:
        read = _reader(self._spec)
        try:
            made = self._make(*(a.numpy() for a in self._arguments))
            values = run.arriving(aiter(made)) if hasattr(made, "__aiter__") else iter(made)
            for value in values:
                yield value if value is NOT_YET else self._read(read, value)
        except Exception as error:
            raise _as_op_error(error) from error

    @staticmethod
    def _read(read: Callable[[Any], Flat], value: Any) -> Flat | Failed:
        """Return a yielded value as an element, or the error if it does not match the spec."""
        try:
            return read(value)
        except Exception as error:
            found = _as_op_error(error)
            found.__cause__ = error
            return Failed(found)


def _as_op_error(error: Exception) -> Exception:
    """Return the error of TensorFlow's op for an error of a generator function."""
    if isinstance(error, OpError | NotAwaitedError):
        return error
    kind = next(made for kinds, made in _ERRORS if isinstance(error, kinds))
    return kind(None, "from_generator", f"{type(error).__name__}: {error}")


def signature(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    """Return the nest of specs from the arguments of `from_generator`.

    Raises:
        TypeError: If the specs are missing or passed in both forms.
    """
    if output_signature is not None:
        for name, value in (("output_types", output_types), ("output_shapes", output_shapes)):
            if value is not None:
                raise TypeError(
                    f"The `{name}` argument can not be used together with the `output_signature` "
                    "argument."
                )
        return structure.checked_signature(output_signature)
    if output_types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` "
            "argument or the `output_types` argument."
        )
    if output_shapes is None:
        return structure.map_structure(lambda t: TensorSpec(None, as_dtype(t)), output_types)
    shapes = structure.flatten_up_to(output_types, output_shapes)
    pairs = zip(structure.flatten(output_types), shapes, strict=True)
    specs = [TensorSpec(TensorShape(shape), as_dtype(dtype)) for dtype, shape in pairs]
    return structure.pack(output_types, specs)


def _reader(spec: Any) -> Callable[[Any], Flat]:
    """Return a function that converts a yielded value to an element."""
    specs = structure.flatten(spec)
    if all(isinstance(s, TensorSpec) for s in specs):
        return lambda value: _arrays(value, spec, specs)
    return lambda value: _leaves(value, spec)


def _arrays(value: Any, spec: Any, specs: list[Any]) -> Flat:
    try:
        leaves = structure.flatten_up_to(spec, value)
    except (TypeError, ValueError) as error:
        types = structure.map_structure(lambda s: s.dtype, spec)
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The "
            f"expected structure was {types}, but the yielded element was {value}."
        ) from error
    return tuple([_array(leaf, s) for leaf, s in zip(leaves, specs, strict=True)])


def _array(value: Any, spec: TensorSpec) -> Array:
    dtype = spec.dtype.as_numpy_dtype
    try:
        array = _converted(value, dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The "
            f"expected type was {spec.dtype.name}, but the yielded element was {value}."
        ) from error
    if not spec.shape.is_compatible_with(array.shape):
        raise TypeError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape "
            f"{spec.shape} was expected."
        )
    return array


def _converted(value: Any, dtype: Any) -> Array:
    if isinstance(value, Tensor):
        return np.asarray(value.host_view(), dtype)
    if dtype is not np.object_:
        array = np.array(value, order="C")
        if array.dtype.kind in "USO" and array.size:
            raise TypeError("strings and objects are not numbers")
        return array.astype(dtype)
    return convert_to_tensor(value, "string").host_view()


def _leaves(value: Any, spec: Any) -> Flat:
    try:
        found = structure.normalized(value, spec)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "`generator` yielded an element that did not match the expected structure. The "
            f"expected structure was {spec}, but the yielded element was {value}."
        ) from error
    if not are_compatible(spec, structure.spec_of(found)):
        raise TypeError(
            f"`generator` yielded an element of {structure.spec_of(found)} where an element of "
            f"{spec} was expected."
        )
    return structure.inner(found)
