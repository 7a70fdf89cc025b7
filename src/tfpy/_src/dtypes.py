"""Data types, with TensorFlow's names (``tf.float32``, ``tf.dtypes.as_dtype``).

Devices compute in float32, int32 and bool. float64 and int64 inputs become float32 and int32.
A complex64 tensor is two arrays of float32 there; string tensors live on the host.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class DType:
    """A tensor element type; compares equal to its name, so ``x.dtype == "float32"`` holds."""

    name: str
    as_numpy_dtype: Any
    size: int
    is_floating: builtins.bool = field(init=False, compare=False, repr=False)
    is_integer: builtins.bool = field(init=False, compare=False, repr=False)
    is_complex: builtins.bool = field(init=False, compare=False, repr=False)
    is_bool: builtins.bool = field(init=False, compare=False, repr=False)
    is_numeric: builtins.bool = field(init=False, compare=False, repr=False)
    is_differentiable: builtins.bool = field(init=False, compare=False, repr=False)
    """Whether gradients flow through numbers of the type: real and complex ones."""

    def __post_init__(self) -> None:
        kind = np.dtype(self.as_numpy_dtype).kind
        facts = {"floating": "f", "integer": "iu", "complex": "c", "bool": "b", "numeric": "fiuc"}
        facts["differentiable"] = "fc"
        for fact, kinds in facts.items():
            object.__setattr__(self, f"is_{fact}", kind in kinds)

    @property
    def min(self) -> Any:
        """Smallest representable value; a NumPy number for floats, as TensorFlow's.

        Raises:
            TypeError: for complex64 and string.
        """
        return self._limits()[0]

    @property
    def max(self) -> Any:
        """Largest representable value.

        Raises:
            TypeError: for complex64 and string.
        """
        return self._limits()[1]

    @property
    def limits(self) -> tuple[Any, Any]:
        """The smallest and largest brightness of an image's pixels.

        Raises:
            ValueError: for complex64, float16 and string.
        """
        if self.name == "float32":
            return 0, 1
        if not self.is_integer and not self.is_bool:
            raise ValueError(f"{self} does not have defined limits.")
        return max(0, self.min), self.max

    @property
    def as_datatype_enum(self) -> int:
        """TensorFlow's number of the type."""
        return _NUMBERS[self.name]

    @property
    def base_dtype(self) -> DType:
        return self

    @property
    def real_dtype(self) -> DType:
        """The dtype of real and imaginary parts; the dtype itself for others."""
        return real_part(self)

    @property
    def is_unsigned(self) -> builtins.bool:
        return self.name.startswith("uint")

    @property
    def is_quantized(self) -> builtins.bool:
        """False: there are no quantized dtypes."""
        return False

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        return True

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether it is the same dtype."""
        return self == as_dtype(other)

    def _limits(self) -> tuple[Any, Any]:
        if self.is_bool:
            return False, True
        if self.is_integer:
            ints = np.iinfo(self.as_numpy_dtype)
            return int(ints.min), int(ints.max)
        if self.is_floating:
            floats = np.finfo(self.as_numpy_dtype)
            return floats.min, floats.max
        raise TypeError(f"dtype {self.name} has no smallest or largest value")

    def holds(self, value: int) -> builtins.bool:
        """Whether an integer is in range; beyond that of a dtype narrower than int32, it wraps.

        int32 stands for int64 too, so what does not fit it is refused.
        """
        low, high = (self.min, self.max) if self.size >= 4 else (-(2**63), 2**63 - 1)
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


float16 = DType("float16", np.float16, 2)
float32 = DType("float32", np.float32, 4)
int8 = DType("int8", np.int8, 1)
uint8 = DType("uint8", np.uint8, 1)
int32 = DType("int32", np.int32, 4)
uint32 = DType("uint32", np.uint32, 4)
bool = DType("bool", np.bool_, 1)  # TensorFlow's name
complex64 = DType("complex64", np.complex64, 8)
string = DType("string", np.object_, 8)
variant = DType("variant", np.object_, 8)
"""A list of tensors, inside compiled functions."""

ALL = (float16, float32, int8, uint8, int32, uint32, bool, complex64, string)
_BY_NAME = {d.name: d for d in ALL}
_NARROWED = {"float64": float32, "int64": int32, "complex128": complex64, "uint64": uint32}
_NARROWED |= {"int16": int32, "uint16": int32, "object": string}

_NUMBERS = {"float32": 1, "int32": 3, "uint8": 4, "int8": 6, "string": 7, "complex64": 8}
_NUMBERS |= {"bool": 10, "float16": 19, "variant": 21, "uint32": 22}
_BY_NUMBER = {number: name for name, number in _NUMBERS.items()}
_BY_NUMBER |= {2: "float64", 5: "int16", 9: "int64", 17: "uint16", 18: "complex128", 23: "uint64"}

# Names of dtypes that programs for TensorFlow use, and what they are here.
float64 = double = float32
int64 = int32
complex128 = complex64
half = float16

DEVICE_DTYPES = frozenset((float32, int32, bool))
"""What every device backend stores and computes; other dtypes are computed on the host."""


def real_part(dtype: DType) -> DType:
    """The dtype of the real and imaginary parts, and of magnitudes."""
    return float32 if dtype.is_complex else dtype


def as_dtype(type_value: Any) -> DType:
    """The :class:`DType` for a DType, name, NumPy dtype, Python type or TensorFlow's number.

    Raises:
        TypeError: when it names no type that tfpy has.
    """
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, int):
        type_value = _BY_NUMBER.get(type_value, type_value)
    if type_value is float:
        return float32
    if type_value is int:
        return int32
    if type_value is complex:
        return complex64
    if type_value is str or type_value is bytes:
        return string
    if isinstance(type_value, str) and type_value == "string":
        return string
    try:
        if type_value is None:  # NumPy's float64
            raise TypeError
        name = np.dtype(type_value).name
    except TypeError:
        raise TypeError(
            f"Cannot convert {type_value!r} to a dtype of tfpy: use one of {_names()}"
        ) from None
    if name.startswith(("str", "bytes")):
        return string
    found = _BY_NAME.get(name) or _NARROWED.get(name)
    if found is None:
        raise TypeError(f"tfpy has no dtype {name}: use one of {_names()}")
    return found


def _names() -> str:
    return ", ".join(_BY_NAME)
