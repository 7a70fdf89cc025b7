"""`tf.register_tensor_conversion_function`: conversion of objects of other classes to tensors."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.core.operand import DenseOperand

_METHOD = "__tf_tensor__"


def register_tensor_conversion_function(
    base_type: type | tuple[type, ...],
    conversion_func: Callable[..., Any],
    priority: int = 100,
) -> None:
    """Register a function that converts objects of a class to tensors.

    Functions of tensors and `tf.convert_to_tensor` then accept such objects, and gradients flow
    through the conversion. The function is called as `conversion_func(value, dtype=dtype,
    name=name, as_ref=False)`. `dtype` is the required dtype, or None. The function returns a
    tensor, or NotImplemented to let the next registered function convert the value.

    Args:
        base_type: Class, or tuple of classes. Objects of their subclasses are converted as well.
        conversion_func: Function that returns a tensor.
        priority: Functions with lower numbers are called first.

    Raises:
        TypeError: If `base_type` is not a class, if it is a class of Python or NumPy numbers, or if
            `conversion_func` is not callable.

    Example:
        >>> import tfpy as tf
        >>> class Celsius:
        ...     def __init__(self, degrees):
        ...         self.degrees = degrees
        >>> def kelvin(value, dtype=None, name=None, as_ref=False):
        ...     return tf.constant(value.degrees + 273.0, dtype)
        >>> tf.register_tensor_conversion_function(Celsius, kelvin)
        >>> float(tf.constant(1.0) + Celsius(20.0))
        294.0

    See also: `tf.convert_to_tensor`.
    """
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(kind, type) for kind in kinds):
        raise TypeError(
            f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}"
        )
    if any(issubclass(kind, int | float | np.generic | np.ndarray) for kind in kinds):
        raise TypeError(
            "Cannot register conversions for Python numeric types and NumPy scalars and arrays."
        )
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    for kind in kinds:
        found = vars(kind).get(_METHOD)
        conversions = getattr(found, "conversions", None)
        if conversions is None:
            conversions = []
            setattr(kind, _METHOD, _method(kind, conversions))
        insort(conversions, (priority, len(conversions), conversion_func), key=lambda c: c[:2])


def _method(kind: type, conversions: list[tuple[int, int, Callable[..., Any]]]) -> Any:
    """Return the method of a class that calls its conversions in order."""

    def convert(self: Any, dtype: DType | None = None, name: str | None = None) -> Any:
        for _, _, function in conversions:
            found = function(self, dtype=dtype, name=name, as_ref=False)
            if found is not NotImplemented:
                return _checked(found, dtype, function, kind)
        inherited = getattr(super(kind, self), _METHOD, None)
        if inherited is not None:
            return inherited(dtype, name)
        raise ValueError(
            f"Attempt to convert a value ({self!r}) with an unsupported type ({type(self)}) to a "
            "Tensor."
        )

    vars(convert)["conversions"] = conversions
    return convert


def _checked(found: Any, dtype: DType | None, function: Any, kind: type) -> Any:
    where = f"Conversion function {function!r} for type {kind}"
    if not isinstance(found, DenseOperand):
        raise RuntimeError(f"{where} returned non-Tensor: {found!r}")
    tensor: Any = found
    if dtype is not None and tensor.aval.dtype != dtype:
        raise RuntimeError(
            f"{where} returned incompatible dtype: requested = {dtype.name}, actual = "
            f"{tensor.aval.dtype.name}"
        )
    return found
