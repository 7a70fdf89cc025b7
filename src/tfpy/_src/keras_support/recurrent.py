"""Keras's recurrent layers: which of TensorFlow's ways they go."""

from __future__ import annotations

import types


def replace(rnn: types.ModuleType) -> None:
    """Lets Keras's module loop over the steps itself: cuDNN's kernels are NVIDIA's."""
    vars(rnn)["_is_gpu_available"] = lambda: False
