"""Weakly typed tensors: tensors of Python numbers, whose dtype adapts to other operands.

They exist in the modes "safe" and "all" of `experimental_enable_numpy_behavior`. All functions
accept them, because they are converted to their tensor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfpy._src.base.dtypes import DType
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import AnyTensor, DenseWrapper
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape


class WeakTensor(DenseWrapper, AnyTensor):
    """A tensor with a weak dtype. It has the methods and attributes of its tensor."""

    __slots__ = ("tensor",)

    __array_priority__ = 100

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        """The tensor of the values, which has the same dtype, but not weakly."""

    @property
    def wrapped(self) -> Tensor:
        return self.tensor

    def with_components(self, components: Any) -> Any:
        return WeakTensor(components[0])

    def to_tensor(self) -> Tensor:
        """Return the tensor of the values."""
        return self.tensor

    @property
    def dtype(self) -> DType:
        """Dtype of the elements."""
        return self.tensor.dtype

    @property
    def shape(self) -> TensorShape:
        """Shape of the tensor."""
        return self.tensor.shape

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Tensor:
        return convert_to_tensor(self.tensor, dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "tensor":
            raise AttributeError(name)
        return getattr(self.tensor, name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.tensor.__array__(dtype, copy)

    def __getitem__(self, key: Any) -> Tensor:
        return self.tensor[key]

    def __len__(self) -> int:
        return len(self.tensor)

    def __iter__(self) -> Iterator[WeakTensor]:
        return map(WeakTensor, self.tensor)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __float__(self) -> float:
        return float(self.tensor)

    def __complex__(self) -> complex:
        return complex(self.tensor)

    def __index__(self) -> int:
        return self.tensor.__index__()

    def __format__(self, spec: str) -> str:
        return f"{format(self.tensor, spec)} weakly typed"

    def __hash__(self) -> int:
        return hash(self.tensor)

    def __str__(self) -> str:
        return _marked(str(self.tensor))

    def __repr__(self) -> str:
        return _marked(repr(self.tensor))

    def __copy__(self) -> WeakTensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> WeakTensor:
        return self

    def __reduce__(self) -> Any:
        return WeakTensor, (self.tensor,)


def _marked(text: str) -> str:
    return f"{text[:-1]}, weak=True{text[-1]}"
