"""The fixture of all tests detects state that a test leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import leftovers
import pytest
import tensorflow

import tfpy
from tfpy._src.backends import registry
from tfpy._src.backends.cpu import CpuBackend
from tfpy._src.core import eager

FLAG = "TFPY_MAX_UNPACKED_BYTES"


@contextmanager
def flag() -> Any:
    before = tfpy.env().get(FLAG)
    tfpy.env().set(FLAG, 1)
    yield
    tfpy.env().set(FLAG, before)  # the default, which counts as not set


@contextmanager
def observer() -> Any:
    eager.observers.append(lambda applied: None)
    yield
    eager.observers.pop()


LEFT: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "the active backend": lambda: registry.running_on(CpuBackend()),
    "the flags": flag,
    "the scopes of strategies": lambda: tfpy.distribute.OneDeviceStrategy("/cpu:0").scope(),
    "the active tapes": tfpy.GradientTape,
    "the observers of ops": observer,
    "the strategy of TensorFlow": lambda: tensorflow.distribute.OneDeviceStrategy("/cpu:0").scope(),
}


@pytest.mark.parametrize("name", LEFT)
def test_found(name: str) -> None:
    tfpy.constant(1.0) + 1.0  # opens the backend
    before = leftovers.state()
    with LEFT[name]():
        (text,) = leftovers.changes(before, leftovers.state())
    assert text.startswith(f"The test changed {name} from ")
    assert leftovers.changes(before, leftovers.state()) == []


def test_a_function_of_map_fn_that_raises() -> None:
    """Check that the scope of a strategy can be entered after a function raised an error.

    Without the fixture, TensorFlow cannot enter it.
    """

    @tensorflow.function
    def failing(x: Any) -> Any:
        def raises(row: Any) -> Any:
            raise KeyError("mine")

        return tensorflow.map_fn(raises, x)

    with pytest.raises(KeyError, match="mine"):
        failing(tensorflow.ones([2]))
    scope = tensorflow.compat.v1.get_variable_scope()
    assert scope.caching_device is not None
    leftovers.restore()
    with tensorflow.distribute.OneDeviceStrategy("/cpu:0").scope():
        assert tensorflow.distribute.has_strategy()
