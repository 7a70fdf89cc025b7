"""Functions of `tf` in the modes with weak types, which promote dtypes and return weak tensors.

Programs call these functions through the public modules, so `install` replaces them there. The
engine itself calls the functions that do not promote.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite, Operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.experimental_numpy import lattice
from tfpy._src.library.experimental_numpy.promotion import settings
from tfpy._src.library.experimental_numpy.weak import WeakTensor
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.variables.variable import Variable

Function = Callable[..., Any]
_Replacement = tuple[Mapping[str, str], Callable[[Function], Function]]

_MATH = """
    abs sign real imag angle round sigmoid log_sigmoid conj reciprocal_no_nan erfinv ndtri erfcinv
    ceil sqrt exp rsqrt acos floor acosh asin asinh atan atanh cos cosh digamma erf erfc expm1
    lgamma log log1p negative reciprocal rint sin sinh square tan tanh softplus bessel_i0 bessel_i0e
    bessel_i1 bessel_i1e reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean reduce_min
    reduce_prod reduce_std reduce_sum reduce_variance
"""
_UNARY = {
    "tfpy.math": f"{_MATH} log_softmax",
    "tfpy": _MATH
    + """
        zeros_like ones_like clip_by_value reshape expand_dims identity squeeze stop_gradient
        transpose
    """,
    "tfpy.nn": "relu6 leaky_relu gelu log_softmax swish silu sigmoid tanh "
    "softplus space_to_depth depth_to_space",
    "tfpy.linalg": "trace diag diag_part matrix_transpose tensor_diag_part",
    "tfpy.math.special": "bessel_i0 bessel_i0e bessel_i1 bessel_i1e dawsn expint fresnel_cos "
    "fresnel_sin spence bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_j0 bessel_j1 bessel_y0 "
    "bessel_y1",
    "tfpy.experimental.numpy": """
        abs absolute angle arccos arcsin arcsinh arctan arctanh bitwise_not cbrt ceil conj conjugate
        cos cosh deg2rad exp exp2 expm1 fabs fix floor log negative rad2deg reciprocal sin sinh sqrt
        tan tanh nanmean log2 log10 log1p positive sinc square diff sort average trace amax amin
        around arange array asanyarray asarray ascontiguousarray copy cumprod cumsum diag diagflat
        diagonal empty_like expand_dims flatten flip fliplr flipud full_like imag max mean min
        moveaxis ones_like prod ravel real reshape repeat rot90 round squeeze std sum swapaxes
        transpose triu vander var zeros_like
    """,
}
"""Functions whose result is weak if their first argument is, by public module."""

_ARITHMETIC = """
    add subtract multiply multiply_no_nan divide divide_no_nan truediv floordiv floormod mod pow
"""
_BINARY = {
    "tfpy": f"{_ARITHMETIC} matmul truncatediv truncatemod realdiv",
    "tfpy.math": _ARITHMETIC,
    "tfpy.linalg": "matmul matvec",
    "tfpy.experimental.numpy": "matmul",
}
"""Functions that promote their first two arguments."""

_COMPARISONS = {
    "tfpy": "maximum minimum equal not_equal",
    "tfpy.math": "maximum minimum equal not_equal",
}
"""Functions that promote their first two arguments, and whose result is never weak."""


def _promoted(*values: Any) -> tuple[DType, bool] | None:
    """Return the common dtype and its weakness, or None for values without a dtype."""
    try:
        return lattice.result_type(*_leaves(values), mode=settings.mode)
    except NotImplementedError:
        return None


def _leaves(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _leaves(value)
        else:
            yield value


def _converted(value: Any, dtype: DType) -> Any:
    if isinstance(value, Operand | Composite):
        return cast(value, dtype)  # type: ignore[arg-type]
    return convert_to_tensor(value, dtype)


def _result(value: Any, is_weak: bool) -> Any:
    return WeakTensor(value) if is_weak and isinstance(value, Tensor) else value


def unary(function: Function, parameter: str | None = None) -> Function:
    """Return a function whose result is weak if its argument is weak and no dtype is requested."""
    signature = inspect.signature(function)
    name = parameter or next(iter(signature.parameters))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not settings.has_weak_types:
            return function(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        x = bound.arguments[name]
        has_dtype = bound.arguments.get("dtype") is not None
        found = None if isinstance(x, Tensor) or has_dtype else _promoted(x)
        if found is None:
            return function(*args, **kwargs)
        dtype, is_weak = found
        bound.arguments[name] = _converted(x, dtype)
        return _result(function(*bound.args, **bound.kwargs), is_weak)

    return call


def binary(function: Function, is_comparison: bool = False) -> Function:
    """Return a function that promotes its first two arguments."""
    signature = inspect.signature(function)
    first, second = [*signature.parameters][:2]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not settings.has_weak_types:
            return function(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        given = bound.arguments
        found = _promoted(given[first], given[second])
        if found is None:
            return function(*args, **kwargs)
        dtype, is_weak = found
        for name in (first, second):
            given[name] = _converted(given[name], dtype)
        result = function(*bound.args, **bound.kwargs)
        return _result(result, is_weak and not is_comparison)

    return call


def constant(function: Function) -> Function:
    """Return `tf.constant` with weak results for Python numbers, and conversion to wider dtypes."""

    @functools.wraps(function)
    def call(
        value: Any, dtype: Any = None, shape: Any = None, name: str = "Const"
    ) -> Tensor | WeakTensor:
        found = _promoted(value) if settings.has_weak_types else None
        if found is None:
            return function(value, dtype, shape, name)
        value = value.tensor if isinstance(value, WeakTensor) else value
        if dtype is None:
            kind, is_weak = found
            return _result(function(value, kind, shape, name), is_weak)
        wanted = _promoted(value, as_dtype(dtype))
        if wanted == (as_dtype(dtype), False) and isinstance(value, Operand):
            value = cast(value, as_dtype(dtype))
        return function(value, dtype, shape, name)

    return call


def _assignment(method: Function) -> Function:
    """Return a method of Variables that converts values to the Variable's dtype if it is wider."""

    @functools.wraps(method)
    def call(self: Variable, value: Any, *args: Any, **kwargs: Any) -> Any:
        found = _promoted(self, value) if settings.has_weak_types else None
        if found is None:
            return method(self, value, *args, **kwargs)
        if found[0] != self.dtype:
            raise TypeError(
                f"Variable dtype is immutable. Calling {method.__name__} of Variable (with dtype "
                f"{self.dtype}) on {value} requires converting {value} to {self.dtype}. This is "
                f"disabled in the current promotion semantics. Please convert {value} manually "
                f"before calling {method.__name__}."
            )
        return method(self, _converted(value, found[0]), *args, **kwargs)

    return call


def promoting_operator(name: str, operator: Function) -> Function:
    """Return an operator of tensors that promotes its operands with weak types.

    As in TensorFlow, operands that are compared by their order are not promoted.
    """
    if name in ("__lt__", "__le__", "__gt__", "__ge__"):
        return operator
    is_comparison = name in ("__eq__", "__ne__")

    @functools.wraps(operator)
    def method(self: Any, other: Any) -> Any:
        found = None if other is None else _promoted(self, other)
        if found is None:
            return operator(self, other)
        dtype, is_weak = found
        result = operator(_converted(self, dtype), _converted(other, dtype))
        return _result(result, is_weak and not is_comparison)

    return method


def install(members: Mapping[str, Any], operators: Sequence[str]) -> None:
    """Replace the functions in the public modules, once.

    Args:
        members: Methods and properties of tensors, which weak tensors receive as well.
        operators: Names of the operators of two operands.
    """
    if settings.are_functions_replaced:
        return
    settings.are_functions_replaced = True
    tables: tuple[_Replacement, ...] = (
        (_UNARY, unary),
        (_BINARY, binary),
        (_COMPARISONS, _comparison),
        ({"tfpy": "constant"}, constant),
        ({"tfpy": "scalar_mul", "tfpy.math": "scalar_mul"}, lambda f: unary(f, "x")),
    )
    replaced: dict[Function, Function] = {}
    for table, wrapper in tables:
        for module_name, names in table.items():
            module = importlib.import_module(module_name)
            for name in names.split():
                function = getattr(module, name, None)
                if function is not None:
                    if function not in replaced:
                        replaced[function] = wrapper(function)
                    _replace(module, name, function, replaced[function])
    for name in ("assign", "assign_add", "assign_sub"):
        setattr(Variable, name, _assignment(getattr(Variable, name)))
    for name in operators:
        setattr(WeakTensor, name, promoting_operator(name, getattr(Operand, name)))
    for name in ("__neg__", "__abs__", "__invert__"):
        setattr(WeakTensor, name, unary(getattr(Operand, name)))
    for name, member in members.items():
        if isinstance(member, property):
            setattr(WeakTensor, name, property(unary(member.fget)))  # type: ignore[arg-type]
        elif name != "tolist":
            setattr(WeakTensor, name, unary(member))


def _comparison(function: Function) -> Function:
    return binary(function, is_comparison=True)


def _replace(module: ModuleType, name: str, old: Function, new: Function) -> None:
    """Replace a function in a public module, and in the copy of `tfpy` named `tensorflow`."""
    for target in (module, sys.modules.get("tensorflow")):
        if target is not None and vars(target).get(name) is old:
            setattr(target, name, new)
