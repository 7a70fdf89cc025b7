"""Selection of the samples of a primitive for which a format has operations."""

from __future__ import annotations

from typing import Any

import numpy as np

RANDOM = {"random_uniform", "random_normal", "random_truncated_normal"}
KINDS = (np.float32, np.int32, np.bool_, np.complex64)


def ignored(name: str, arrays: Any, attrs: Any) -> bool:
    """Return True for a sample that no format supports, or that formats define differently."""
    if not arrays or any(a.dtype not in KINDS for a in arrays):
        return True
    if name.startswith("scatter_"):  # tfpy drops negative rows
        return bool((arrays[1] < 0).any())
    return name == "avg_pool" and any(n != 1 for n in attrs["dilations"])


def tensorflow_lacks(name: str, arrays: Any, attrs: Any) -> bool:
    """Return True for a sample that TensorFlow.js cannot compute."""
    match name:
        case "max_pool":
            return any(n != 1 for n in attrs["dilations"])
        case "conv2d" | "conv3d" | "depthwise_conv2d":
            return max(attrs["dilations"]) > 1
        case "conv2d_backprop_input":
            grouped = attrs["input_shape"][-1] != arrays[1].shape[2]
            return grouped or max(attrs["dilations"]) > 1
        case "non_max_suppression":
            return arrays[0].ndim != 2
    return False
