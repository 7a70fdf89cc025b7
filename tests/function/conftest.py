from __future__ import annotations

from collections.abc import Iterator

import pytest
from function.in_place import InPlaceDevice, activated
from function.quantizing import QuantizingDevice

import tfpy as tf
from tfpy._src.backends import registry
from tfpy._src.backends.backend import Backend
from tfpy._src.core import scalar_cache


@pytest.fixture
def quantizing() -> Iterator[Backend]:
    """Activate a device that computes products in int8."""
    scalar_cache.clear_scalars()
    tf.register_backend("quantizing", QuantizingDevice)
    tf.set_backend("quantizing")
    yield registry.active_backend()
    tf.remove_backend("quantizing")
    tf.set_backend("cpu")


@pytest.fixture
def device() -> Iterator[InPlaceDevice]:
    """Activate a device that overwrites donated slots."""
    made = activated("in place")
    yield made
    tf.remove_backend("in place")
    tf.set_backend("cpu")
    scalar_cache.clear_scalars()
