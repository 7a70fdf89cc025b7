"""`tf.sysconfig`: the libraries with which TensorFlow was compiled."""

from __future__ import annotations

from collections import OrderedDict


def get_build_info() -> OrderedDict[str, bool]:
    """Return the information that TensorFlow stores about its build, as for a build without GPU.

    Returns:
        Dict with the keys `is_cuda_build`, `is_rocm_build` and `is_tensorrt_build`, whose values
        are False. GPUs in browsers need none of these libraries.

    Example:
        >>> import tfpy as tf
        >>> tf.sysconfig.get_build_info()["is_cuda_build"]
        False

    See also: `tf.backend_report`, `tf.config.list_physical_devices`.
    """
    return OrderedDict.fromkeys(("is_cuda_build", "is_rocm_build", "is_tensorrt_build"), False)
