"""``@same``: a test that runs one program with TensorFlow and with tfpy and compares the results.

The program takes the module as its argument and returns tensors, arrays, strings and similar values
in any nesting. TensorFlow's int64 and float64 correspond to int32 and float32 in tfpy, unless
64-bit dtypes are enabled (``TFPY_ENABLE_X64``).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow

import tfpy

NARROWED = (
    {"int64": "int32", "float64": "float32", "complex128": "complex64"}
    if tfpy.float64 is tfpy.float32
    else {}
)


def same(
    program: Callable[[Any], Any] | None = None, *, tolerance: float = 1e-5
) -> Callable[..., Any]:
    """Turn a program into a test."""
    if program is None:
        return functools.partial(same, tolerance=tolerance)

    def test() -> None:
        for library in (tfpy, tensorflow):
            library.random.set_seed(None)  # another test may have set one
        compare(program(tfpy), program(tensorflow), tolerance, program.__name__)

    test.__name__ = program.__name__
    test.__doc__ = program.__doc__
    return test


def compare(mine: Any, wanted: Any, tolerance: float, where: str) -> None:
    """Check that two results are equal up to the dtypes that tfpy narrows."""
    if isinstance(wanted, Mapping):
        assert list(mine) == list(wanted), where
        for key in wanted:
            compare(mine[key], wanted[key], tolerance, f"{where}[{key!r}]")
    elif isinstance(wanted, list | tuple):
        assert len(mine) == len(wanted), where
        if hasattr(wanted, "_fields"):
            assert (type(mine).__name__, mine._fields) == (type(wanted).__name__, wanted._fields)
        for i, (a, b) in enumerate(zip(mine, wanted, strict=True)):
            compare(a, b, tolerance, f"{where}[{i}]")
    elif isinstance(wanted, tensorflow.RaggedTensor):
        compare(list(mine.nested_row_splits), list(wanted.nested_row_splits), 0, where)
        compare(mine.flat_values, wanted.flat_values, tolerance, where)
        compare(mine.shape, wanted.shape, 0, where)
        if equal_bits(mine.flat_values, wanted.flat_values):
            compare(str(mine), str(wanted), 0, where)
    elif isinstance(wanted, tensorflow.IndexedSlices):
        for part in ("indices", "values"):
            compare(getattr(mine, part), getattr(wanted, part), tolerance, f"{where}.{part}")
    elif isinstance(wanted, tensorflow.SparseTensor):
        for part in ("indices", "values", "dense_shape"):
            compare(getattr(mine, part), getattr(wanted, part), tolerance, f"{where}.{part}")
    elif tensorflow.is_tensor(wanted) or isinstance(wanted, tensorflow.Variable):
        assert tfpy.is_tensor(mine), f"{where}: {mine!r}"
        compare_arrays(np.asarray(mine), array_of(wanted), tolerance, where)
        if mine.dtype.name == wanted.dtype.name and equal_bits(mine, wanted):
            assert str(mine) == str(wanted), where
            assert repr(mine) == repr(wanted), where
    elif isinstance(wanted, np.ndarray | np.generic):
        compare_arrays(np.asarray(mine), wanted, tolerance, where)
    elif isinstance(wanted, str):
        assert narrowed(mine) == narrowed(wanted), where
    elif isinstance(wanted, tensorflow.DType | tensorflow.TensorShape):
        assert narrowed(repr(mine)) == narrowed(repr(wanted)), where
        assert narrowed(str(mine)) == narrowed(str(wanted)), where
    else:
        assert mine == wanted, where


def error(call: Callable[[], Any]) -> str:
    """Return the class name of the error that a call raises, or "none"."""
    try:
        call()
    except Exception as raised:
        return type(raised).__name__
    return "none"


def outcome(case: Callable[[Any], Any], lib: Any) -> tuple[str, Any]:
    """Return the error's class name and None, or the result's dtype and the result."""
    try:
        found = case(lib)
    except Exception as error:
        return type(error).__name__, None
    return getattr(getattr(found, "dtype", None), "name", ""), found


def narrowed(text: str) -> str:
    return re.sub("|".join(NARROWED) or "$^", lambda found: NARROWED[found[0]], text)


def array_of(tensor: Any) -> Any:
    """Return TensorFlow's values, with strings as objects because NumPy drops null bytes."""
    return np.array(tensor.numpy(), object if tensor.dtype == tensorflow.string else None)


def equal_bits(mine: Any, wanted: Any) -> bool:
    a, b = np.asarray(mine), array_of(wanted)
    return a.dtype == object or a.tobytes() == b.tobytes()


def compare_arrays(mine: Any, wanted: Any, tolerance: float, where: str) -> None:
    wanted = np.asarray(wanted)
    assert mine.shape == wanted.shape, where
    assert mine.dtype.name == NARROWED.get(wanted.dtype.name, wanted.dtype.name), where
    if wanted.dtype.kind == "V":
        tolerance = max(tolerance, 2**-7 if wanted.dtype == "bfloat16" else 0.0)
        mine, wanted = mine.astype(np.float32), wanted.astype(np.float32)
    if wanted.dtype.kind in "fc":
        np.testing.assert_allclose(mine, wanted, rtol=tolerance, atol=tolerance, err_msg=where)
    else:
        np.testing.assert_array_equal(mine, wanted, err_msg=where)
