"""The implementation that Keras's recurrent layers choose."""

from __future__ import annotations

import types


def replace(rnn: types.ModuleType) -> None:
    """Make Keras's module use its own loop over time steps, because there are no cuDNN kernels."""
    vars(rnn)["_is_gpu_available"] = lambda: False
