"""Keras's IntegerLookup: it is saved under the dtype that it takes."""

from __future__ import annotations

import types
from typing import Any


def replace(module: types.ModuleType) -> None:
    """Lets the layer's configuration say int64, which Keras asks for, where tfpy has int32."""
    plain = module.IntegerLookup.get_config

    def get_config(self: Any) -> dict[str, Any]:
        """What makes such a layer."""
        return {**plain(self), "vocabulary_dtype": "int64"}

    module.IntegerLookup.get_config = get_config
