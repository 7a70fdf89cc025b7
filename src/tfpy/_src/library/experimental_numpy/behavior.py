"""`tf.experimental.numpy.experimental_enable_numpy_behavior`: operators, indexing and methods."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tfpy._src.core.conversion import convert_to_tensor, offers_tensor
from tfpy._src.core.operand import Composite, DenseOperand, Operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.experimental_numpy import (
    indexing,
    reductions,
    shaping,
    unary,
    weak_functions,
)
from tfpy._src.library.experimental_numpy.binary import clip
from tfpy._src.library.experimental_numpy.documented import documented
from tfpy._src.library.experimental_numpy.products import matmul
from tfpy._src.library.experimental_numpy.promotion import promoted, settings
from tfpy._src.tensors.array.making import cast

MODES = ("off", "legacy", "safe", "all")

_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "matmul")
OPERATORS = (
    *(f"__{prefix}{name}__" for name in _BINARY for prefix in ("", "r")),
    *(f"__{name}__" for name in ("lt", "le", "gt", "ge", "eq", "ne")),
)
"""Operators of two operands, which promote dtypes."""


@documented(
    """Let tensors behave like NumPy arrays.

    Tensors have NumPy's attribute `T` and the methods `astype`, `clip`, `flatten`, `max`, `mean`,
    `min`, `ravel`, `reshape`, `tolist` and `transpose`. They can be indexed by lists and arrays.
    Call the function once, at the beginning of a program.

    Operators of two operands promote dtypes. The mode "legacy" uses NumPy's rules, so int32 and
    float32 produce float64. In the mode "all", operators and most functions use rules in which
    Python numbers have weak dtypes, which adapt to the dtypes of other operands. `tf.constant` then
    returns weak tensors for Python numbers. The mode "safe" uses the same rules, but raises a
    TypeError if a promotion can lose precision or widen the dtype. The mode "off" disables the
    promotion.""",
    "tnp.experimental_enable_numpy_behavior()",
    None,
    "None.",
    see="`tf.experimental.numpy.result_type`",
    prefer_float32="If True, Python floats are float32 in NumPy's rules. Default: float64.",
    dtype_conversion_mode=f"One of {', '.join(map(repr, MODES))}. Default: 'legacy'.",
)
def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    mode = dtype_conversion_mode.lower()
    if mode not in MODES:
        raise ValueError(
            f"The provided promotion mode {dtype_conversion_mode} does not exist. Make sure the "
            f"provided dtype conversion mode is one of the followings: {[*MODES]}"
        )
    settings.mode = mode
    settings.prefer_float32 = prefer_float32
    _set_operators(_PROMOTIONS.get(mode))
    if settings.has_weak_types:
        weak_functions.install(MEMBERS, OPERATORS)
    setattr(Tensor, "__getitem__", indexing.getitem)  # noqa: B010
    for name, member in MEMBERS.items():
        setattr(Tensor, name, member)


def _set_operators(promoting: Callable[[str, Any], Any] | None) -> None:
    """Replace the operators of dense tensors, or restore those of all operands."""
    for name in OPERATORS:
        if promoting is not None:
            setattr(DenseOperand, name, promoting(name, getattr(Operand, name)))
        elif name in vars(DenseOperand):
            delattr(DenseOperand, name)


def _promoting(name: str, operator: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return an operator that promotes its operands with NumPy's rules."""

    @functools.wraps(operator)
    def method(self: Any, other: Any) -> Any:
        if other is None or isinstance(other, Composite) or self.dtype.name == "string":
            return operator(self, other)
        if offers_tensor(other):
            other = convert_to_tensor(other)
        x, y = promoted(self, other)
        if name == "__matmul__":
            return matmul(x, y)
        return matmul(y, x) if name == "__rmatmul__" else operator(x, y)

    return method


_PROMOTIONS = {
    "legacy": _promoting,
    "safe": weak_functions.promoting_operator,
    "all": weak_functions.promoting_operator,
}


def _reshape(self: Tensor, *newshape: Any, **kwargs: Any) -> Tensor:
    """Change the shape. The dimensions are separate arguments or a sequence.

    Raises:
        ValueError: If there are keyword arguments other than `order`.
    """
    if not kwargs.keys() <= {"order"}:
        raise ValueError(f"Unsupported arguments: {kwargs.keys()}")
    sizes = newshape[0] if len(newshape) == 1 and not isinstance(newshape[0], int) else newshape
    return shaping.reshape(self, sizes, **kwargs)


def _astype(x: Tensor, dtype: Any) -> Tensor:
    """Convert the tensor to another dtype."""
    return cast(x, dtype)


def _tolist(self: Tensor) -> Any:
    """Return the values as nested Python lists.

    Raises:
        ValueError: If the tensor belongs to a trace and has no values.
    """
    if not self.has_values:
        raise ValueError("Symbolic Tensors do not support the tolist API.")
    return self.numpy().tolist()


def _itself(self: TensorLike) -> TensorLike:
    """Return the tensor itself."""
    return self


MEMBERS: dict[str, Any] = {
    "T": property(shaping.transpose, doc="The tensor with its axes in reverse order."),
    "__pos__": _itself,
    "__round__": unary.around,
    "astype": _astype,
    "clip": clip,
    "flatten": shaping.flatten,
    "max": reductions.amax,
    "mean": reductions.mean,
    "min": reductions.amin,
    "ravel": shaping.ravel,
    "reshape": _reshape,
    "tolist": _tolist,
    "transpose": shaping.transpose,
}
"""Methods and attributes of NumPy's arrays that tensors receive."""
