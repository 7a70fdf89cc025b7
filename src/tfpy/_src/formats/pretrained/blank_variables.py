"""Variables of Keras without values, for models that get their weights from a file."""

from __future__ import annotations

import importlib
import types
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

from tfpy._src.library.io.checked_json import ModelFileError

MODULE = "keras.src.backend.tensorflow.core"


@contextmanager
def without_values(limit: int) -> Iterator[None]:
    """Create variables of Keras without values, and use zeros for random numbers.

    A variable gets its memory when a value is assigned to it. Variables without a value get it from
    their initializers at the end.

    Args:
        limit: Number of weights above which the configuration does not belong to the file.

    Raises:
        ModelFileError: If the variables have more weights.
    """
    kind: Any = importlib.import_module(MODULE).Variable
    plain = kind._initialize_with_initializer, kind._direct_assign
    blank: list[Any] = []
    count = 0

    def initialize(variable: Any, initializer: Any) -> None:
        nonlocal count
        count += prod(variable._shape)
        if count > limit:
            raise ModelFileError(
                f"the configuration describes a model of more than {limit} weights, which are more "
                "than twice the weights in the file"
            )
        variable._value, variable._initializer = None, initializer
        blank.append(variable)

    def assign(variable: Any, value: Any) -> None:
        if variable._value is None:
            variable._initialize(value)
        else:
            plain[1](variable, value)

    kind._initialize_with_initializer, kind._direct_assign = initialize, assign
    try:
        with _zeros_for_random_numbers():
            yield
    finally:
        kind._initialize_with_initializer, kind._direct_assign = plain
    with _zeros_for_random_numbers():
        for variable in blank:
            if variable._value is None:
                variable._deferred_initialize()


@contextmanager
def _zeros_for_random_numbers() -> Iterator[None]:
    module: Any = importlib.import_module("keras.src.initializers.random_initializers")
    zeros = importlib.import_module("keras.ops").zeros

    def blank(shape: Any, *args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        return zeros(shape, dtype)

    plain = module.random
    functions = dict.fromkeys(("normal", "truncated_normal", "uniform"), blank)
    module.random = types.SimpleNamespace(**{**vars(plain), **functions})
    try:
        yield
    finally:
        module.random = plain
