"""Substitutes for the packages `huggingface_hub` and `kagglehub`, which pages do not have.

They have the functions that Keras and KerasHub call. Where the packages are installed, Keras and
KerasHub use them.
"""

from __future__ import annotations

import importlib
import types
from typing import Any

from tfpy._src.base.errors import NotFoundError

_DOWNLOADS = "tfpy._src.keras_support.hub_downloads"


class _Package:
    """A module whose functions are loaded when they are first used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(_DOWNLOADS), name)


def replace(module: types.ModuleType) -> None:
    """Set the packages that a module of Keras or KerasHub could not import."""
    names = vars(module)
    if names.get("huggingface_hub", module) is None:
        names["huggingface_hub"] = _Package()
        names["EntryNotFoundError"], names["HFValidationError"] = NotFoundError, ValueError
    if names.get("kagglehub", module) is None:
        names["kagglehub"] = _Package()
        names["KaggleApiHTTPError"] = NotImplementedError  # not raised by the substitute
