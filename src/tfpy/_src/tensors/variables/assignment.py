"""Methods of Variables that replace or change the value."""

from __future__ import annotations

import functools
from abc import abstractmethod
from typing import Any, Self

from tfpy._src.base import tracing
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import OutOfRangeError, invalid
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ops import Op, elementwise
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array import indexing
from tfpy._src.tensors.variables.scatter import ScatterMethods


class AssignMethods(ScatterMethods):
    """Methods that assign to a Variable, or to a part of it, and return the Variable."""

    name: str
    trainable: bool
    _aval: Aval
    _open_shape: TensorShape | None

    @property
    def _trainable(self) -> bool:
        """The attribute `trainable`, under the name that libraries set in TensorFlow."""
        return self.trainable

    @_trainable.setter
    def _trainable(self, value: bool) -> None:
        self.trainable = value

    @property
    @abstractmethod
    def dtype(self) -> DType:
        """Dtype of the elements."""

    @abstractmethod
    def hold(self, tensor: Tensor) -> None:
        """Store a tensor as the value."""

    @abstractmethod
    def _assigned(self, read_value: bool) -> Any:
        """Return the result of an assignment."""

    def assign(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Self:  # fmt: skip
        """Replace the value of the Variable.

        Args:
            value: New value, a tensor with the dtype of the Variable and a shape that matches its
                shape, or a value that can be converted to such a tensor.
            use_locking: Has no effect.
            read_value: If False, return None.

        Returns:
            The Variable, or None if `read_value` is False.

        Raises:
            ValueError: If `value` does not have the shape of the Variable, or is a tensor of a
                different dtype.
            TypeError: If the value cannot be converted to the dtype of the Variable.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable([1.0, 2.0])
            >>> v.assign([3.0, 4.0]).numpy().tolist()
            [3.0, 4.0]

        See also: `tf.Variable.assign_add`, `tf.Variable.assign_sub`.
        """
        tensor: Any = value
        if type(value) is not Tensor:
            is_tensor = isinstance(value, Tensor | AssignMethods)
            tensor = convert_to_tensor(value, None if is_tensor else self.dtype)
        self._check_fits(tensor)
        replica = tracing.local.replica
        self.hold((tensor if replica is None else replica.agreed(self, tensor)).alias())
        return self._assigned(read_value)

    def _check_fits(self, tensor: Tensor) -> None:
        if not self._takes(tensor.aval.closed):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': it has shape {self.shape} and "
                f"dtype {self.dtype.name}, but the value has shape {tensor.shape} and dtype "
                f"{tensor.dtype.name}"
            )

    def _takes(self, aval: Aval) -> bool:
        """Return True if a value with this shape and dtype can be assigned."""
        if self._open_shape is None:
            return aval is self._aval
        return aval.dtype == self.dtype and self._open_shape.is_compatible_with(aval.shape)

    def assign_add(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Self:  # fmt: skip
        """Add a tensor to the value of the Variable.

        Args:
            delta: Tensor with the shape and dtype of the Variable, or a value that can be
                converted to such a tensor. The dtype must be numeric.
            use_locking: Has no effect.
            read_value: If False, return None.

        Returns:
            The Variable, or None if `read_value` is False.

        Raises:
            tf.errors.InvalidArgumentError: If the shapes differ.
            ValueError: If `delta` is a tensor of a different dtype.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable([1.0, 2.0])
            >>> v.assign_add([1.0, 1.0]).numpy().tolist()
            [2.0, 3.0]

        See also: `tf.Variable.assign`, `tf.Variable.assign_sub`.
        """
        return self._update(elementwise.add, delta, read_value)

    def assign_sub(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> Self:  # fmt: skip
        """Subtract a tensor from the value of the Variable.

        Args:
            delta: Tensor with the shape and dtype of the Variable, or a value that can be
                converted to such a tensor. The dtype must be numeric.
            use_locking: Has no effect.
            read_value: If False, return None.

        Returns:
            The Variable, or None if `read_value` is False.

        Raises:
            tf.errors.InvalidArgumentError: If the shapes differ.
            ValueError: If `delta` is a tensor of a different dtype.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable([1.0, 2.0])
            >>> v.assign_sub([1.0, 1.0]).numpy().tolist()
            [0.0, 1.0]

        See also: `tf.Variable.assign`, `tf.Variable.assign_add`.
        """
        return self._update(elementwise.subtract, delta, read_value)

    def count_up_to(self, limit: int) -> Tensor:
        """Add 1 to the value of a scalar integer Variable, and return the previous value.

        Args:
            limit: Value at which counting ends. The Variable never becomes larger.

        Returns:
            Scalar tensor with the dtype of the Variable.

        Raises:
            tf.errors.OutOfRangeError: If the value has already reached `limit`.
            TypeError: If the dtype of the Variable is not an integer dtype.

        Example:
            >>> import tfpy as tf
            >>> v = tf.Variable(0)
            >>> [int(v.count_up_to(3)) for _ in range(3)]
            [0, 1, 2]
        """
        if not self.dtype.is_integer:
            raise TypeError(
                f"count_up_to: the Variable must have an integer dtype, got {self.dtype.name}"
            )
        before = self.value()
        if int(before.host_view()) >= limit:
            raise OutOfRangeError(None, "CountUpTo", f"count_up_to: reached the limit {limit}")
        self.assign_add(1)
        return before

    def __getitem__(self, key: Any) -> Tensor:
        """Return a part of the value. `v[key].assign(value)` replaces it, with broadcasting."""
        part = indexing.getitem(self.value(), key)
        if not indexing.is_mask(key):
            part.assign = functools.partial(self._assign_part, key)
        return part

    def _assign_part(self, key: Any, value: Any, name: str | None = None) -> Any:
        changed = indexing.assigned(self.tensor, key, value)
        replica = tracing.local.replica
        return self._changed(changed if replica is None else replica.agreed_part(self, changed))

    def _changed(self, value: Tensor) -> Any:
        self._check_fits(value)
        self.hold(value.alias())
        return self._assigned(read_value=True)

    def _update(self, op: Op, delta: Any, read_value: bool) -> Any:
        change = convert_to_tensor(delta, self.dtype)
        if change.aval.shape != self._aval.shape:
            raise invalid(
                op.name,
                f"Cannot update variable with shape {list(self.shape)} using a Tensor with shape "
                f"{list(change.aval.shape)}, shapes must be equal",
            )
        if (replica := tracing.local.replica) is not None:
            change = replica.agreed_change(self, change)
        self.hold(op(self.tensor, change).alias())
        return self._assigned(read_value)
