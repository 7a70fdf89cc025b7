"""Whether GPUs and TPUs may multiply float32 as shorter numbers."""

from __future__ import annotations

from tfpy._src.backends import registry
from tfpy._src.backends.devices import devices_of
from tfpy._src.backends.jax.precision import Rounding


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Whether products of float32, and convolutions, may be made of shorter numbers where a device
    has faster units for them: TensorFloat-32 on NVIDIA's GPUs, bfloat16 on TPUs.

    They may at first. It is of effect on the jax backend, for what is compiled from now on; others
    multiply float32 as it is.

    Example:
        >>> import tfpy as tf
        >>> tf.config.experimental.enable_tensor_float_32_execution(False)
        >>> tf.config.experimental.tensor_float_32_execution_enabled()
        False
        >>> tf.config.experimental.enable_tensor_float_32_execution(True)
    """
    Rounding.enabled = bool(enabled)
    devices_of(registry.active_backend()).round_products(Rounding.enabled)


def tensor_float_32_execution_enabled() -> bool:
    """What :func:`enable_tensor_float_32_execution` was told; at first True.

    Example:
        >>> import tfpy as tf
        >>> tf.config.experimental.tensor_float_32_execution_enabled()
        True
    """
    return Rounding.enabled
