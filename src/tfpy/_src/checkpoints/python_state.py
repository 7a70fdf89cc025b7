"""`tf.train.experimental.PythonState`: Python values in checkpoints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tfpy._src.core.conversion import constant
from tfpy._src.core.tensor import Tensor

_NAME = "py_state"


class PythonState(ABC):
    """The base class of objects that store a Python value in checkpoints, as a string.

    Example:
        >>> import tfpy as tf
        >>> class Words(tf.train.experimental.PythonState):
        ...     words = "a b"
        ...     def serialize(self):
        ...         return self.words
        ...     def deserialize(self, string_value):
        ...         self.words = string_value.decode()
        >>> path = tf.train.Checkpoint(words=Words()).save("words/state")
        >>> other = Words()
        >>> other.words = ""
        >>> _ = tf.train.Checkpoint(words=other).restore(path)
        >>> other.words
        'a b'

    See also: `tf.train.Checkpoint`.
    """

    @abstractmethod
    def serialize(self) -> str | bytes:
        """Return the value as a string."""

    @abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Set the value.

        Args:
            string_value: String that `serialize` returned, as bytes.
        """

    def _serialize_to_tensors(self) -> dict[str, Tensor]:
        return {_NAME: constant(self.serialize())}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        value = restored_tensors[_NAME]
        self.deserialize(value.numpy() if isinstance(value, Tensor) else value.item())
