"""A pytest plugin under which Keras's own tests run on tfpy."""

from __future__ import annotations

import sys
import types

import pytest

import tfpy

tfpy.as_tensorflow(replace=True)

MARKERS = ("requires_trainable_backend", "multi_device", "uses_gpu", "jax_grain_test")


def skip_if_backend(backend: str, reason: str) -> pytest.MarkDecorator:
    """What Keras's tests import from their conftest, which its packages lack."""
    return pytest.mark.skipif(backend == "tensorflow", reason=reason)


sys.modules["conftest"] = types.ModuleType("conftest")
vars(sys.modules["conftest"])["skip_if_backend"] = skip_if_backend


def pytest_configure(config: pytest.Config) -> None:
    """Makes the markers of Keras's tests known."""
    for marker in MARKERS:
        config.addinivalue_line("markers", f"{marker}: of Keras's tests")
