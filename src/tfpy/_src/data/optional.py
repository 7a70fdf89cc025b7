"""`tf.experimental.Optional`: a value that may be absent."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.backends.storage import host_storage
from tfpy._src.base import dtypes
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.operand import HostObject
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.data import structure
from tfpy._src.data.specs import OptionalSpec

_TRUTH = Aval((), dtypes.bool)


class Optional(HostObject):
    """A value that may be absent.

    Create one with `from_value` or `empty`, not with the constructor.

    Example:
        >>> import tfpy as tf
        >>> found = tf.experimental.Optional.from_value(3)
        >>> print(found.has_value().numpy(), found.get_value().numpy())
        True 3
    """

    def __init__(self, element_spec: Any, value: Any, has_value: bool) -> None:
        self._element_spec, self._value, self._has_value = element_spec, value, has_value

    @staticmethod
    def from_value(value: Nest) -> Optional:
        """Create an Optional that has a value.

        Args:
            value: Tensor or nested structure (tuple or dict) of tensors.

        Returns:
            A `tf.experimental.Optional`.

        Example:
            >>> import tfpy as tf
            >>> int(tf.experimental.Optional.from_value(3).get_value())
            3
        """
        return Optional(None, structure.normalized(value), True)

    @staticmethod
    def empty(element_spec: Nest) -> Optional:
        """Create an Optional that has no value.

        Args:
            element_spec: The `tf.TypeSpec` that a value would have, such as a `tf.TensorSpec`, or a
                nested structure (tuple or dict) of them.

        Returns:
            A `tf.experimental.Optional`.

        Example:
            >>> import tfpy as tf
            >>> bool(tf.experimental.Optional.empty(tf.TensorSpec([])).has_value())
            False
        """
        return Optional(element_spec, None, False)

    def has_value(self, name: str | None = None) -> Tensor:
        """Return True if there is a value.

        Returns:
            Scalar bool tensor.

        Example:
            >>> import tfpy as tf
            >>> bool(tf.experimental.Optional.from_value(3).has_value())
            True
        """
        return Tensor(_TRUTH, host_storage(np.array(self._has_value), _TRUTH))

    def get_value(self, name: str | None = None) -> Nest:
        """Return the value.

        Returns:
            Tensor or nested structure (tuple or dict) of tensors.

        Raises:
            tf.errors.InvalidArgumentError: If there is no value.

        Example:
            >>> import tfpy as tf
            >>> int(tf.experimental.Optional.from_value(3).get_value())
            3
        """
        if not self._has_value:
            message = "The given optional does not have a value."
            raise InvalidArgumentError(None, "Optional", message)
        return self._value

    @property
    def element_spec(self) -> Nest:
        """The type of the value, as a `tf.TypeSpec` or a nest of them."""
        if self._element_spec is None and self._has_value:
            self._element_spec = structure.spec_of(self._value)
        return self._element_spec

    @property
    def value_structure(self) -> Nest:
        """The type of the value. Another name of `element_spec`."""
        return self.element_spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self.element_spec)
