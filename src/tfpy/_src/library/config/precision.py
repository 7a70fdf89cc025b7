"""The precision of float32 products on GPUs and TPUs."""

from __future__ import annotations

from tfpy._src.backends import registry
from tfpy._src.backends.devices import devices_of
from tfpy._src.backends.jax.precision import Rounding


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Allow or forbid reduced precision for float32 matrix products and convolutions.

    Reduced precision is faster, and allowed by default. NVIDIA GPUs then compute with
    TensorFloat-32, and TPUs with bfloat16. The setting only affects functions that are compiled
    afterwards on the jax backend.

    Args:
        enabled: True to allow reduced precision, False to forbid it.

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
    """Return True if reduced precision is allowed for float32 matrix products and convolutions.

    Returns:
        A bool. It is True unless `tf.config.experimental.enable_tensor_float_32_execution` was
        called.

    Example:
        >>> import tfpy as tf
        >>> tf.config.experimental.tensor_float_32_execution_enabled()
        True

    See also: `tf.config.experimental.enable_tensor_float_32_execution`.
    """
    return Rounding.enabled
