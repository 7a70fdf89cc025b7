"""Assertions of `tf.test.TestCase` about the elements of tensors."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.core.conversion import is_tensor
from tfpy._src.core.typing import FloatLike, Nest, TensorLike
from tfpy._src.tensors.composite.host_values import Array
from tfpy._src.testing.arrays import (
    array_of,
    deferred,
    is_ragged,
    list_of,
    values_of,
)
from tfpy._src.testing.base import Base, Message
from tfpy._src.testing.sessions import GraphSessions

_PRINTED = 500
"""Number of elements from which the contents of arrays are not printed."""


class ArrayAssertions(Base):
    """A test case with assertions about tensors, arrays and nested structures of them."""

    @functools.cached_property
    def _sessions(self) -> GraphSessions:
        return GraphSessions()

    def evaluate(self, tensors: Nest) -> Nest:
        """Return the values of tensors as NumPy arrays.

        Args:
            tensors: Tensor, Variable, function that returns one, or a nested structure of them.

        Returns:
            The structure with arrays in place of tensors. Sparse tensors, ragged tensors and
            `tf.IndexedSlices` become a `SparseTensorValue`, a `RaggedTensorValue` and an
            `IndexedSlicesValue`, which contain arrays.

        Raises:
            ValueError: If an element of the structure is not a tensor.

        Example:
            >>> import tfpy as tf
            >>> tf.test.TestCase().evaluate({"a": tf.constant([1, 2])})
            {'a': array([1, 2], dtype=int32)}
        """
        return self._sessions.evaluate(tensors) if tracing.in_graph() else values_of(tensors)

    def evaluate_if_both_tensors(self, a: Nest, b: Nest) -> tuple[Nest, Nest]:
        """Return two values, which assertions convert to arrays.

        Args:
            a: Any value.
            b: Any value.

        Returns:
            The pair `(a, b)`.
        """
        return a, b

    @deferred
    def assertNear(self, f1: FloatLike, f2: FloatLike, err: float, msg: Message = None) -> None:
        """Assert that two numbers differ by at most `err`.

        Args:
            f1: A number.
            f2: A number.
            err: Maximum difference.
            msg: Text for the message of a failure.
        """
        first, second = np.squeeze(self._GetNdArray(f1)), np.squeeze(self._GetNdArray(f2))
        if first != second:  # infinities may be equal
            difference = math.fabs(first - second)
            text = f"{first:f} != {second:f} +/- {err:f} (difference: {difference:g})"
            self.assertTrue(difference <= err, text if msg is None else f"{text} ({msg})")

    @deferred
    def assertArrayNear(
        self, farray1: Sequence[Any], farray2: Sequence[Any], err: float, msg: Message = None
    ) -> None:
        """Assert that the numbers of two sequences differ by at most `err` each.

        Args:
            farray1: Sequence of numbers.
            farray2: Sequence of numbers, of the same length.
            err: Maximum difference.
            msg: Text for the message of a failure.
        """
        self.assertEqual(len(farray1), len(farray2), msg=msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg=msg)

    @deferred
    def assertNDArrayNear(
        self, ndarray1: TensorLike, ndarray2: TensorLike, err: float, msg: Message = None
    ) -> None:
        """Assert that the norm of the difference of two arrays is less than `err`.

        Args:
            ndarray1: Array of numbers.
            ndarray2: Array of numbers, of the same shape.
            err: Bound of the norm.
            msg: Text for the message of a failure.
        """
        difference = self._GetNdArray(ndarray1) - self._GetNdArray(ndarray2)
        self.assertTrue(np.linalg.norm(difference) < err, msg=msg)

    def _GetNdArray(self, a: Any) -> Array:
        """Return a value as an array, under the name that subclasses of TensorFlow's class use."""
        return array_of(self.evaluate(a) if tracing.in_graph() and is_tensor(a) else a)

    @deferred
    def assertAllClose(
        self, a: Nest, b: Nest, rtol: float = 1e-6, atol: float = 1e-6, msg: Message = None
    ) -> None:
        """Assert that two structures of tensors have nearly the same values.

        The difference of two elements may be at most `atol + rtol * abs(b)`. NaN is close to NaN.

        Args:
            a: Tensor, array, number, or a nested structure of them.
            b: Expected values, in a structure like `a`.
            rtol: Relative tolerance.
            atol: Absolute tolerance.
            msg: Text for the message of a failure.

        Raises:
            ValueError: If the structures differ.

        Example:
            >>> import tfpy as tf
            >>> tf.test.TestCase().assertAllClose({"x": [1.0, 2.0]}, {"x": [1.0, 2.0000001]})
        """
        self._assert_close(a, b, rtol, atol, "", msg)

    def _assert_close(
        self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: Message
    ) -> None:
        if is_ragged(a) or is_ragged(b):
            self._assertRaggedClose(a, b, rtol, atol, msg)
            return
        a, b, msg = _as_mapping(a), _as_mapping(b), msg or ""
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. {msg}")
        if isinstance(a, Mapping):
            keys = f"a{path} has keys {a.keys()}, but b{path} has keys {b.keys()}. {msg}"
            self.assertCountEqual(a.keys(), b.keys(), f"mismatched keys: {keys}")
            for key in a:
                self._assert_close(a[key], b[key], rtol, atol, f"{path}[{key}]", msg)
            return
        text = f"Mismatched value: a{path} is different from b{path}. {msg}"
        if not isinstance(a, list | tuple):
            self._assert_arrays_close(a, b, rtol, atol, text)
            return
        try:
            first, second = self._GetNdArray(a), self._GetNdArray(b)
            self._assert_arrays_close(first, second, rtol, atol, text)
        except (ValueError, TypeError, NotImplementedError):  # no arrays of numbers
            if len(a) != len(b):
                raise ValueError(
                    f"Mismatched length: a{path} has {len(a)} items, but b{path} has {len(b)} "
                    f"items. {msg}"
                ) from None
            for n, (one, other) in enumerate(zip(a, b, strict=True)):
                self._assert_close(one, other, rtol, atol, f"{path}[{n}]", msg)

    def _assert_arrays_close(self, a: Any, b: Any, rtol: float, atol: float, msg: str) -> None:
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        contents = f" with contents {b}." if a.shape != b.shape and _is_printed(b) else "."
        self.assertEqual(
            a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}{contents}"
        )
        dtype, a, b = a.dtype, _comparable(a), _comparable(b)
        if np.allclose(a, b, rtol=rtol, atol=atol):
            return
        with np.errstate(invalid="ignore"):  # differences of infinities
            gap, bound = np.abs(a - b), atol + rtol * np.abs(b)
            far = np.logical_or(gap > bound, np.isnan(a) != np.isnan(b))
        x, y = (a[far], b[far]) if a.ndim else (a, b)
        where = [f"not close where = {np.nonzero(far)}"] if a.ndim else []
        lines = [
            *(msg, *where),
            f"not close lhs = {x}",
            f"not close rhs = {y}",
            f"not close dif = {gap[far] if a.ndim else gap}",
            f"not close tol = {bound[far] if a.ndim else bound}",
            f"dtype = {dtype}, shape = {a.shape}",
        ]
        np.testing.assert_allclose(
            a, b, rtol=rtol, atol=atol, err_msg="\n".join(lines), equal_nan=True
        )

    @deferred
    def assertAllCloseAccordingToType(
        self,
        a: TensorLike,
        b: TensorLike,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: Message = None,
    ) -> None:
        """Assert that two tensors have nearly the same values, with tolerances for each dtype.

        Args:
            a: Tensor or array.
            b: Expected values, of the same shape.
            rtol: Least relative tolerance.
            atol: Least absolute tolerance.
            float_rtol: Relative tolerance if one of the dtypes is float32 or complex64.
            float_atol: Absolute tolerance if one of the dtypes is float32 or complex64.
            half_rtol: Relative tolerance if one of the dtypes is float16.
            half_atol: Absolute tolerance if one of the dtypes is float16.
            bfloat16_rtol: Relative tolerance if one of the dtypes is bfloat16.
            bfloat16_atol: Absolute tolerance if one of the dtypes is bfloat16.
            msg: Text for the message of a failure.
        """
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        found = {a.dtype.name, b.dtype.name}
        for names, relative, absolute in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if names & found:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    @deferred
    def assertNotAllClose(
        self, a: Nest, b: Nest, rtol: float = 1e-6, atol: float = 1e-6, msg: Message = None
    ) -> None:
        """Assert that `assertAllClose` fails for two structures of tensors.

        Args:
            a: Tensor, array, number, or a nested structure of them.
            b: Values in a structure like `a`.
            rtol: Relative tolerance.
            atol: Absolute tolerance.
            msg: Text for the message of a failure.

        Raises:
            ValueError: If the structures differ.
        """
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)
        except AssertionError:
            return
        raise AssertionError(f"The two values are close at all elements. {msg or ''}")

    @deferred
    def assertAllEqual(self, a: TensorLike, b: TensorLike, msg: Message = None) -> None:
        """Assert that two tensors have the same shape and equal elements.

        NaN is equal to NaN. Dtypes may differ.

        Args:
            a: Tensor, ragged tensor, array or list.
            b: Values to compare with.
            msg: Text for the message of a failure.

        Example:
            >>> import tfpy as tf
            >>> tf.test.TestCase().assertAllEqual(tf.range(3), [0, 1, 2])
        """
        if is_ragged(a) or is_ragged(b):
            self._assertRaggedEqual(a, b, msg)
            return
        a, b, msg = self._GetNdArray(a), self._GetNdArray(b), msg or ""
        contents = f" Contents: {b!r}. \n{msg}." if _is_printed(b) else f" {msg}"
        self.assertEqual(
            a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}.{contents}"
        )
        same = a == b
        if dtypes.as_dtype(a.dtype).is_floating:
            same = np.logical_or(same, np.logical_and(np.isnan(a), np.isnan(b)))
        if np.all(same):
            return
        other = np.logical_not(same)
        x, y = (a[other], b[other]) if a.ndim else (a, b)
        where = [f"not equal where = {np.nonzero(other)}"] if a.ndim else []
        lines = [str(msg), *where, f"not equal lhs = {x!r}", f"not equal rhs = {y!r}"]
        if a.dtype.kind != b.dtype.kind and {a.dtype.kind, b.dtype.kind} <= {"U", "S", "O"}:
            a, b = _as_bytes(a), _as_bytes(b)
        np.testing.assert_array_equal(a, b, err_msg="\n".join(lines))

    @deferred
    def assertNotAllEqual(self, a: TensorLike, b: TensorLike, msg: Message = None) -> None:
        """Assert that two tensors differ in their shapes or elements.

        Args:
            a: Tensor, ragged tensor, array or list.
            b: Values to compare with.
            msg: Text for the message of a failure.
        """
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    def _assertRaggedEqual(self, a: Any, b: Any, msg: Message) -> None:
        self.assertEqual(list_of(a), list_of(b), msg)
        self._assert_same_ragged_rank(a, b, msg)

    def _assertRaggedClose(
        self, a: Any, b: Any, rtol: float, atol: float, msg: Message = None
    ) -> None:
        self._assert_lists_close(list_of(a), list_of(b), rtol, atol, msg, "value")
        self._assert_same_ragged_rank(a, b, msg)

    def _assert_same_ragged_rank(self, a: Any, b: Any, msg: Message) -> None:
        if not isinstance(a, list | tuple) and not isinstance(b, list | tuple):
            first, second = (x.ragged_rank if is_ragged(x) else 0 for x in (a, b))
            self.assertEqual(first, second, msg)

    def _assert_lists_close(
        self, a: Any, b: Any, rtol: float, atol: float, msg: Message, path: str
    ) -> None:
        self.assertEqual(type(a), type(b))
        if not isinstance(a, list | tuple):
            self._assert_close(a, b, rtol, atol, f"[{path}]", msg)
            return
        self.assertLen(a, len(b), f"Length differs for {path}")
        for n, (one, other) in enumerate(zip(a, b, strict=True)):
            self._assert_lists_close(one, other, rtol, atol, msg, f"{path}[{n}]")


def _as_mapping(value: Any) -> Any:
    """Return a named tuple as a dict."""
    return value._asdict() if hasattr(value, "_asdict") else value


def _is_printed(array: Array) -> bool:
    return array.ndim <= 3 or array.size < _PRINTED


def _comparable(array: Array) -> Array:
    """Return bfloat16 and float8 as float32, because NumPy does not compare these dtypes."""
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def _as_bytes(array: Array) -> Array:
    return np.array([x.encode() if isinstance(x, str) else x for x in array.flat])
