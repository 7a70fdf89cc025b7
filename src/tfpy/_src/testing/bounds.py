"""Assertions of `tf.test.TestCase` about the range, dtype and shape of tensors."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.distribute.device_spec import DeviceSpec
from tfpy._src.testing.arrays import deferred, described
from tfpy._src.testing.base import Message
from tfpy._src.testing.comparing import ArrayAssertions


class BoundAssertions(ArrayAssertions):
    """A test case with assertions about the range, dtype, shape and device of tensors."""

    @deferred
    def assertAllGreater(self, a: TensorLike, comparison_target: TensorLike) -> None:
        """Assert that all elements are greater than a number.

        Args:
            a: Tensor, array or list.
            comparison_target: Exclusive lower bound.
        """
        self.assertGreater(np.min(self._GetNdArray(a)), comparison_target)

    @deferred
    def assertAllLess(self, a: TensorLike, comparison_target: TensorLike) -> None:
        """Assert that all elements are less than a number.

        Args:
            a: Tensor, array or list.
            comparison_target: Exclusive upper bound.
        """
        self.assertLess(np.max(self._GetNdArray(a)), comparison_target)

    @deferred
    def assertAllGreaterEqual(self, a: TensorLike, comparison_target: TensorLike) -> None:
        """Assert that all elements are greater than or equal to a number.

        Args:
            a: Tensor, array or list.
            comparison_target: Inclusive lower bound.
        """
        self.assertGreaterEqual(np.min(self._GetNdArray(a)), comparison_target)

    @deferred
    def assertAllLessEqual(self, a: TensorLike, comparison_target: TensorLike) -> None:
        """Assert that all elements are less than or equal to a number.

        Args:
            a: Tensor, array or list.
            comparison_target: Inclusive upper bound.
        """
        self.assertLessEqual(np.max(self._GetNdArray(a)), comparison_target)

    @deferred
    def assertAllInRange(
        self,
        target: TensorLike,
        lower_bound: float,
        upper_bound: float,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Assert that all elements are in an interval, and that none of them is NaN.

        Args:
            target: Tensor, array or list of integers or floats.
            lower_bound: Lower bound.
            upper_bound: Upper bound.
            open_lower_bound: True if the lower bound is not in the interval.
            open_upper_bound: True if the upper bound is not in the interval.

        Raises:
            AssertionError: If an element is not in the interval, or the dtype has no order.
        """
        found = self._GetNdArray(target)
        if not np.issubdtype(found.dtype, np.floating) and not np.issubdtype(
            found.dtype, np.integer
        ):
            raise AssertionError(
                f"The value of {found} does not have an ordered numeric type, instead it has "
                f"type: {found.dtype}"
            )
        if len((missing := _places(np.isnan(found)))[0]):
            raise AssertionError(
                f"{len(missing[0])} of the {found.size} element(s) are NaN. "
                f"Subscripts(s) and value(s) of the NaN element(s):\n{described(missing, found)}"
            )
        low = np.less_equal if open_lower_bound else np.less
        high = np.greater_equal if open_upper_bound else np.greater
        outside = _places(np.logical_or(low(found, lower_bound), high(found, upper_bound)))
        if len(outside[0]):
            start, end = "(" if open_lower_bound else "[", ")" if open_upper_bound else "]"
            raise AssertionError(
                f"{len(outside[0])} of the {found.size} element(s) are outside the range "
                f"{start}{lower_bound}, {upper_bound}{end}. "
                f"Subscript(s) and value(s) of the offending elements:\n{described(outside, found)}"
            )

    @deferred
    def assertAllInSet(self, target: TensorLike, expected_set: Collection[Any]) -> None:
        """Assert that each element is a member of a set.

        Args:
            target: Tensor, array or list.
            expected_set: Allowed elements.

        Raises:
            AssertionError: If an element is not in the set.
        """
        if (others := np.setdiff1d(self._GetNdArray(target).flatten(), list(expected_set))).size:
            raise AssertionError(
                f"{others.size} unique element(s) are not in the set {expected_set}: {others}"
            )

    @deferred
    def assertDTypeEqual(self, target: TensorLike, expected_dtype: DTypeLike) -> None:
        """Assert that the values of a tensor have a dtype.

        Args:
            target: Tensor, array or list.
            expected_dtype: Dtype of tfpy or of NumPy, or a name.
        """
        self.assertEqual(self._GetNdArray(target).dtype, expected_dtype)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: Message = None) -> None:
        """Assert that two tensors or arrays have the same static shape.

        Args:
            input_a: Tensor, or array or scalar of NumPy.
            input_b: Tensor, or array or scalar of NumPy.
            msg: Text for the message of a failure.

        Raises:
            TypeError: If an argument is neither a tensor nor an array.
        """
        for name, value in (("input_a", input_a), ("input_b", input_b)):
            if not isinstance(value, np.ndarray | np.generic | Tensor):
                raise TypeError(
                    f"{name} must be a Numpy ndarray, Numpy scalar, or a Tensor."
                    f"Instead received {type(value)}"
                )
        first, second = (
            x.shape.as_list() if isinstance(x, Tensor) else x.shape for x in (input_a, input_b)
        )
        self.assertAllEqual(first, second, msg=msg)

    def assertDeviceEqual(
        self, device1: str | DeviceSpec, device2: str | DeviceSpec, msg: Message = None
    ) -> None:
        """Assert that two names denote the same device.

        Args:
            device1: Name of a device, or a `tf.DeviceSpec`.
            device2: Name of a device, or a `tf.DeviceSpec`.
            msg: Text for the message of a failure.
        """
        first, second = (
            DeviceSpec.from_string(d).to_string() if isinstance(d, str) else d.to_string()
            for d in (device1, device2)
        )
        self.assertEqual(first, second, f"Devices {first} and {second} are not equal. {msg}")

    @deferred
    def assertDictEqual(
        self, a: Mapping[Any, Any], b: Mapping[Any, Any], msg: Message = None
    ) -> None:
        """Assert that two dictionaries have the same keys and equal values.

        Values that are arrays or tensors are compared as in `assertAllEqual`, and floats as in
        `assertAllClose`.

        Args:
            a: Dictionary.
            b: Dictionary.
            msg: Text for the message of a failure.
        """
        try:
            super().assertDictEqual(dict(a), dict(b), msg)
        except Exception:  # comparing arrays raises errors of many kinds
            self.assertSameElements(a.keys(), b.keys())
            for key, value in a.items():
                floats = np.issubdtype(self._GetNdArray(value).dtype, np.floating)
                compare = self.assertAllClose if floats else self.assertAllEqual
                compare(value, b[key], msg=str(key))


def _places(mask: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], ...]:
    """Return the subscripts of the elements that are True. A scalar has the subscript 0."""
    return np.nonzero(np.atleast_1d(mask))
