"""The precision of float32 products on GPUs and TPUs."""

from __future__ import annotations

from tfpy._src.backends import registry
from tfpy._src.backends.devices import devices_of
from tfpy._src.backends.jax.precision import Rounding


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Allow or forbid reduced precision for float32 matrix products and convolutions.

    With reduced precision, NVIDIA GPUs use TensorFloat-32 and TPUs use bfloat16, which is faster.
    It is allowed by default. Only the jax backend is affected, and only functions that are compiled
    afterwards.

    Args:
        enabled: True to allow reduced precision.

    Example:
        >>> import tfpy as tf
        >>> tf.config.experimental.enable_tensor_float_32_execution(False)
        >>> tf.config.experimental.tensor_float_32_execution_enabled()
        False
        >>> tf.config.experimental.enable_tensor_float_32_execution(True)

    See also: `tf.config.experimental.tensor_float_32_execution_enabled`.
    """
    Rounding.enabled = bool(enabled)
    devices_of(registry.active_backend()).round_products(Rounding.enabled)


def tensor_float_32_execution_enabled() -> bool:
    """Return True if reduced precision is allowed. Default: True.

    Returns:
        bool.

    Example:
        >>> import tfpy as tf
        >>> tf.config.experimental.tensor_float_32_execution_enabled()
        True

    See also: `tf.config.experimental.enable_tensor_float_32_execution`.
    """
    return Rounding.enabled
