"""Data types, with TensorFlow's names (`tf.float32`, `tf.dtypes.as_dtype`).

Devices compute in float32, int32 and bool; other dtypes are computed on the host. A complex64
tensor consists of two float32 arrays on devices. String tensors are on the host. float64, int64 and
complex128 are aliases of float32, int32 and complex64, unless the variable `TFPY_ENABLE_X64` is set
when tfpy is imported.
"""

from __future__ import annotations

import builtins
import importlib
import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from tfpy._src.base.members import Listed
from tfpy._src.base.missing_packages import remedy
from tfpy._src.base.suggestions import did_you_mean

VARIABLE = "TFPY_ENABLE_X64"
_SWITCH = {"": False, "0": False, "false": False, "1": True, "true": True}
_given = os.environ.get(VARIABLE, "")
if _given.lower() not in _SWITCH:
    raise ValueError(f"The variable {VARIABLE} must be 1 or 0, not {_given!r}.")
X64 = _SWITCH[_given.lower()]
"""True if float64, int64 and complex128 are separate dtypes. The variable is read only here."""


@dataclass(frozen=True)
class DType(Listed):
    """The data type of a tensor's elements.

    A dtype compares equal to its name: `x.dtype == "float32"`.

    Example:
        >>> import tfpy as tf
        >>> tf.float32.name, tf.float32.size, tf.float32.is_floating
        ('float32', 4, True)
        >>> tf.int8.min, tf.int8.max
        (-128, 127)

    See also: `tf.as_dtype`.
    """

    _package_members = frozenset(("holds", "is_differentiable", "is_extension"))

    name: str
    size: int
    """Number of bytes of an element."""
    as_datatype_enum: int
    """TensorFlow's number of the dtype."""

    @cached_property
    def as_numpy_dtype(self) -> Any:
        """NumPy type of the elements, or a type of the package `ml_dtypes` if NumPy has none.

        Raises:
            ImportError: If the type belongs to `ml_dtypes`, which is not installed.
        """
        if self.is_quantized:
            return np.dtype([(self.name, unquantized(self).name)])
        if not self.is_extension:
            return _NUMPY_TYPES.get(self.name) or getattr(np, self.name)
        try:
            return getattr(importlib.import_module("ml_dtypes"), self.name)
        except ImportError:
            raise ImportError(
                f"Tensors of {self} need the package ml-dtypes, which is not installed. "
                f"{remedy('ml-dtypes')}"
            ) from None

    @property
    def is_extension(self) -> builtins.bool:
        """True for a type of the package `ml_dtypes`, which NumPy does not have."""
        return self.name in _EXTENSION_RANGES

    @cached_property
    def is_floating(self) -> builtins.bool:
        """True for floating-point dtypes."""
        return self.name.startswith(("float", "bfloat"))

    @cached_property
    def is_integer(self) -> builtins.bool:
        """True for integer dtypes that are not quantized."""
        return self.name.startswith(("int", "uint"))

    @cached_property
    def is_complex(self) -> builtins.bool:
        """True for complex dtypes."""
        return self.name.startswith("complex")

    @cached_property
    def is_bool(self) -> builtins.bool:
        """True for bool."""
        return self.name == "bool"

    @cached_property
    def is_numeric(self) -> builtins.bool:
        """True for dtypes of numbers with arithmetic. False for dtypes that are only stored."""
        if self.is_extension:
            return self.name == "bfloat16"
        return self.is_floating or self.is_integer or self.is_complex or self.is_quantized

    @cached_property
    def is_differentiable(self) -> builtins.bool:
        """True for dtypes with gradients: floating-point and complex ones."""
        return self.is_floating or self.is_complex

    @property
    def min(self) -> Any:
        """Smallest representable value: a Python int, a NumPy scalar for floats, or a bool.

        Raises:
            TypeError: If the dtype is complex, quantized or string.
        """
        return self._limits()[0]

    @property
    def max(self) -> Any:
        """Largest representable value: a Python int, a NumPy scalar for floats, or a bool.

        Raises:
            TypeError: If the dtype is complex, quantized or string.
        """
        return self._limits()[1]

    @property
    def limits(self) -> tuple[Any, Any]:
        """Smallest and largest intensity of a pixel in images of this dtype.

        Raises:
            ValueError: If the dtype is not float32, bool or an integer.
        """
        if self.name == "float32":
            return 0, 1
        if not self.is_integer and not self.is_bool:
            raise ValueError(f"{self} does not have defined limits.")
        return max(0, self.min), self.max

    @property
    def base_dtype(self) -> DType:
        """The dtype itself. tfpy does not have TensorFlow's reference dtypes."""
        return self

    @property
    def real_dtype(self) -> DType:
        """Dtype of the real and imaginary parts; the dtype itself if it is not complex."""
        return real_part(self)

    @property
    def is_unsigned(self) -> builtins.bool:
        """True for unsigned integer dtypes."""
        return self.name.startswith("uint")

    @property
    def is_quantized(self) -> builtins.bool:
        """True for the dtypes of the results of `tf.quantization.quantize`."""
        return self.name.startswith("q")

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """True if a NumPy array can contain the values."""
        return self.name not in ("resource", "variant")

    def is_compatible_with(self, other: DTypeLike) -> builtins.bool:
        """Return True if both dtypes are equal.

        Args:
            other: A dtype, or a value that `tf.as_dtype` can convert.

        Returns:
            A bool.

        Example:
            >>> import tfpy as tf
            >>> tf.float32.is_compatible_with("float32"), tf.float32.is_compatible_with(tf.int32)
            (True, False)
        """
        return self == as_dtype(other)

    def _limits(self) -> tuple[Any, Any]:
        if self.is_bool:
            return False, True
        if self.is_extension:
            low, high = _EXTENSION_RANGES[self.name]
            return (low, high) if self.is_integer else (np.float32(low), np.float32(high))
        if self.is_integer:
            ints = np.iinfo(self.as_numpy_dtype)
            return int(ints.min), int(ints.max)
        if self.is_floating:
            floats = np.finfo(self.as_numpy_dtype)
            return floats.min, floats.max
        raise TypeError(f"The dtype {self.name} has no smallest or largest value.")

    def holds(self, value: int) -> builtins.bool:
        """Return True if an integer can be converted to the dtype.

        Dtypes narrower than int32, and uint32, wrap integers of up to 64 bits. int32 may stand for
        int64 and therefore accepts only its own range.

        Args:
            value: An integer.

        Returns:
            A bool.
        """
        wraps = self.size < 4 or self.name == "uint32"
        low, high = (-(2**63), 2**63 - 1) if wraps else (self.min, self.max)
        return low <= value <= high

    def __eq__(self, other: object) -> builtins.bool:
        if isinstance(other, DType):
            return self.name == other.name
        try:
            return self.name == as_dtype(other).name
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Any:
        return as_dtype, (self.name,)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"


# Ranges of the dtypes of ml_dtypes, which may not be installed.
_EXTENSION_RANGES: dict[str, tuple[float, float]] = {
    "bfloat16": (-float.fromhex("0x1.fep127"), float.fromhex("0x1.fep127")),
    "float8_e4m3fn": (-448.0, 448.0),
    "float8_e4m3fnuz": (-240.0, 240.0),
    "float8_e4m3b11fnuz": (-30.0, 30.0),
    **dict.fromkeys(("float8_e5m2", "float8_e5m2fnuz"), (-57344.0, 57344.0)),
    "float4_e2m1fn": (-6.0, 6.0),
} | {"int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1), "uint2": (0, 3)}
_NUMPY_TYPES = dict.fromkeys(("string", "variant", "resource"), np.object_) | {"bool": np.bool_}

float32 = DType("float32", 4, 1)
int32 = DType("int32", 4, 3)
uint8 = DType("uint8", 1, 4)
int16 = DType("int16", 2, 5)
int8 = DType("int8", 1, 6)
string = DType("string", 8, 7)
complex64 = DType("complex64", 8, 8)
bool = DType("bool", 1, 10)  # TensorFlow's name
bfloat16 = DType("bfloat16", 2, 14)
uint16 = DType("uint16", 2, 17)
float16 = DType("float16", 2, 19)
uint32 = DType("uint32", 4, 22)
uint64 = DType("uint64", 8, 23)

float64 = double = DType("float64", 8, 2) if X64 else float32
int64 = DType("int64", 8, 9) if X64 else int32
complex128 = DType("complex128", 16, 18) if X64 else complex64
half = float16
WIDE = (float64, int64, complex128) if X64 else ()
"""Dtypes of 64 bits per number that `TFPY_ENABLE_X64` adds."""

_COMPUTED = (
    *(float16, bfloat16, float32, int8, int16, int32, uint8, uint16, uint32, uint64),
    *(bool, complex64, *WIDE, string),
)

float8_e5m2 = DType("float8_e5m2", 1, 24)
float8_e4m3fn = DType("float8_e4m3fn", 1, 25)
float8_e4m3fnuz = DType("float8_e4m3fnuz", 1, 26)
float8_e4m3b11fnuz = DType("float8_e4m3b11fnuz", 1, 27)
float8_e5m2fnuz = DType("float8_e5m2fnuz", 1, 28)
int4 = DType("int4", 1, 29)
uint4 = DType("uint4", 1, 30)
int2 = DType("int2", 1, 31)
uint2 = DType("uint2", 1, 32)
float4_e2m1fn = DType("float4_e2m1fn", 1, 33)
STORED = (
    *(float8_e5m2, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz),
    *(float4_e2m1fn, int4, uint4, int2, uint2),
)
"""Numeric dtypes that are stored, moved and cast, but have no arithmetic."""
ALL = (*_COMPUTED, *STORED)

qint8 = DType("qint8", 1, 11)
quint8 = DType("quint8", 1, 12)
qint32 = DType("qint32", 4, 13)
qint16 = DType("qint16", 2, 15)
quint16 = DType("quint16", 2, 16)
QUANTIZED_DTYPES = frozenset((qint8, quint8, qint16, quint16, qint32))
"""Dtypes of the results of `tf.quantization.quantize`. They are stored, moved and cast."""
resource = DType("resource", 8, 20)
variant = DType("variant", 8, 21)
"""Dtype of a list of tensors inside of a compiled function."""

_NAMED = {d.name: d for d in (*ALL, *QUANTIZED_DTYPES, resource, variant)}
_STANDING = {"float64": float64, "int64": int64, "complex128": complex128, "object": string}
"""Dtypes that represent NumPy dtypes of these names."""
OF_NUMPY = {np.dtype(d.name): d for d in ALL if not (d.is_extension or d is string)}
OF_NUMPY |= {np.dtype(name): d for name, d in _STANDING.items()}
"""Dtype for each NumPy dtype. A lookup is faster than the `name` of a NumPy dtype."""
_BY_NUMBER = {d.as_datatype_enum: d for d in _NAMED.values()}
WIDER = {} if X64 else {"float64": 2, "int64": 9, "complex128": 18}
"""TensorFlow's numbers of the dtypes that tensors do not have here, by NumPy name."""
_BY_NUMBER |= {number: _STANDING[name] for name, number in WIDER.items()}

ROUNDED = frozenset((float16, bfloat16))
"""Dtypes that are computed in float32 and rounded."""
FLOATS = tuple(dict.fromkeys((float16, bfloat16, float32, float64)))
PARTS = frozenset((float32, float64))
"""Dtypes of the parts of complex numbers and of decomposed matrices."""
COMPLEX = frozenset((complex64, complex128))
INDICES = frozenset((int32, int64))
"""Dtypes of row numbers and element numbers."""
DEVICE_DTYPES = frozenset((float32, int32, bool))
"""Dtypes that every device backend stores and computes. Other dtypes are computed on the host."""


DTypeLike: TypeAlias = DType | np.dtype[Any] | type[Any] | str
"""A dtype: a `tf.DType`, its name, a NumPy dtype, or a Python type."""


def real_part(dtype: DType) -> DType:
    """Return the dtype of the real and imaginary parts, and of magnitudes."""
    if not dtype.is_complex:
        return dtype
    return float32 if dtype == complex64 else float64


def with_parts(dtype: DType) -> DType:
    """Return the dtype of complex numbers with parts of the given dtype."""
    return complex64 if dtype == float32 else complex128


def unquantized(dtype: DType) -> DType:
    """Return the integer dtype with the bits of a quantized one; any other dtype itself."""
    return _NAMED[dtype.name.replace("q", "")] if dtype.is_quantized else dtype


_OF_PYTHON = {float: float32, int: int32, complex: complex64, str: string, bytes: string}


def as_dtype(type_value: Any) -> DType:
    """Convert a value to a `tf.DType`.

    Python's float, int and complex become float32, int32 and complex64. Unless the environment
    variable `TFPY_ENABLE_X64` is set, float64, int64 and complex128 become these dtypes as well.

    Args:
        type_value: A DType, dtype name, NumPy dtype, Python type, or TensorFlow's number of a
            dtype.

    Returns:
        A `tf.DType`.

    Raises:
        TypeError: If tfpy does not have such a dtype.

    Example:
        >>> import numpy as np
        >>> import tfpy as tf
        >>> tf.as_dtype("float32"), tf.as_dtype(np.int32), tf.as_dtype(float)
        (tf.float32, tf.int32, tf.float32)
    """
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, np.dtype) and type_value in OF_NUMPY:
        return OF_NUMPY[type_value]
    type_value = (getattr(type_value, "names", None) or [type_value])[0]  # of quantized dtypes
    if isinstance(type_value, type) and type_value in _OF_PYTHON:
        return _OF_PYTHON[type_value]
    if isinstance(type_value, int) and type_value in _BY_NUMBER:
        return _BY_NUMBER[type_value]
    if isinstance(type_value, str) and type_value in _NAMED:
        return _NAMED[type_value]
    if isinstance(getattr(type_value, "dtype", None), str | np.dtype | type):
        return as_dtype(type_value.dtype)
    try:
        if type_value is None:  # np.dtype(None) is float64
            raise TypeError
        name = np.dtype(type_value).name
    except (TypeError, ValueError):  # ValueError for nests of dtypes
        close = did_you_mean(type_value, _NAMED) if isinstance(type_value, str) else ""
        raise TypeError(
            f"Cannot convert {type_value!r} to a dtype of tfpy. Use one of {_names()}.{close}"
        ) from None
    if name.startswith(("str", "bytes")):
        return string
    found = _NAMED.get(name) or _STANDING.get(name)
    if found is None:
        raise TypeError(f"tfpy does not have the dtype {name}. Use one of {_names()}.")
    return found


def _names() -> str:
    return ", ".join(d.name for d in _COMPUTED)
