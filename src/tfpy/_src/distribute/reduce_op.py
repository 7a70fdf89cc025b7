"""``tf.distribute.ReduceOp``."""

from __future__ import annotations

import enum
from typing import Any


class ReduceOp(enum.Enum):
    """How the values of replicas become one (``tf.distribute.ReduceOp``)."""

    SUM = "SUM"
    MEAN = "MEAN"

    @classmethod
    def of(cls, value: Any) -> ReduceOp:
        """The member for itself or its name.

        Raises:
            ValueError: for anything else.
        """
        if isinstance(value, cls):
            return value
        return cls(str(value).upper())
