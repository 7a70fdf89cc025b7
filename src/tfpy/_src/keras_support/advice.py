"""Notes that add a solution to errors of Keras whose messages have none."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from tfpy._src.base.suggestions import did_you_mean

P = ParamSpec("P")
T = TypeVar("T")

_RANKS = re.compile(r"`target` and `output` must have the same rank")
_TEXTS = re.compile(r"Invalid dtype: (str|object|<U)\w*")
_LISTS = re.compile(r"Unrecognized data type: x=.*\(of type <class '(list|tuple|dict)'>\)", re.S)
_NAME = re.compile(
    r"(?:Could not interpret|Unknown) (loss|metric|optimizer)(?: identifier)?: '?(\w+)"
)
_MODULES = {"loss": "losses", "metric": "metrics", "optimizer": "optimizers"}
_SHORT = {"metric": ("accuracy", "acc", "crossentropy", "ce")}
"""Names that `compile` accepts in addition to those in Keras's modules."""


def advised(method: Callable[P, T]) -> Callable[P, T]:
    """Decorate a method of Keras models so that its errors have notes."""

    @functools.wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(*args, **kwargs)
        except Exception as error:
            advise(error)
            raise

    return call


def advised_async(
    method: Callable[P, Coroutine[Any, Any, T]],
) -> Callable[P, Coroutine[Any, Any, T]]:
    """Decorate an asynchronous method of Keras models so that its errors have notes."""

    @functools.wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await method(*args, **kwargs)
        except Exception as error:
            advise(error)
            raise

    return call


def advise(error: Exception) -> None:
    """Add a note to an error if a solution is known, at most once."""
    note = _note(str(error)) if isinstance(error, ValueError | TypeError) else ""
    if note and note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def _note(message: str) -> str:
    if _RANKS.search(message):
        return (
            "If the labels are class numbers, use the loss 'sparse_categorical_crossentropy', or "
            "convert the labels with keras.utils.to_categorical."
        )
    if _TEXTS.search(message):
        return (
            "Models compute with numbers. Convert the strings first: with array.astype('float32') "
            "if they are numbers, otherwise with the layer keras.layers.StringLookup. If the model "
            "begins with such a layer, pass the strings as a tensor: tf.constant(strings)."
        )
    if _LISTS.search(message):
        return (
            "Models take arrays and tensors, not Python lists of values. Pass tf.constant(values) "
            "instead of a list; the values of a dict must be tensors as well."
        )
    if found := _NAME.search(message):
        return _suggestion(*found.groups())
    return ""


def _suggestion(kind: str, name: str) -> str:
    module = sys.modules[f"keras.src.{_MODULES[kind]}"]
    return did_you_mean(name, [*_SHORT.get(kind, ()), *module.ALL_OBJECTS_DICT]).lstrip()
