"""Keras's IntegerLookup, which is saved with the dtype that Keras accepts."""

from __future__ import annotations

import types
from typing import Any


def replace(module: types.ModuleType) -> None:
    """Make the layer's configuration contain int64, which Keras requires, in place of int32."""
    plain = module.IntegerLookup.get_config

    def get_config(self: Any) -> dict[str, Any]:
        """Return the configuration of the layer."""
        return {**plain(self), "vocabulary_dtype": "int64"}

    module.IntegerLookup.get_config = get_config
