"""Options for writing checkpoints."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence


class CheckpointOptions:
    """Options for writing a checkpoint.

    A checkpoint is always complete when the call that writes it returns, so most of TensorFlow's
    options have no effect.

    Args:
        experimental_io_device: Has no effect.
        experimental_enable_async_checkpoint: Has no effect.
        experimental_write_callbacks: Functions that are called after a checkpoint was written. They
            may take one argument, the path of the checkpoint. Default: none.
        enable_async: Has no effect.
        experimental_skip_slot_variables: Has no effect.
        experimental_sharding_callback: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> paths = []
        >>> options = tf.train.CheckpointOptions(experimental_write_callbacks=[paths.append])
        >>> path = tf.train.Checkpoint(w=tf.Variable(3.0)).save("told/ckpt", options=options)
        >>> paths
        ['told/ckpt-1']
    """

    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., object]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: object = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.experimental_enable_async_checkpoint = experimental_enable_async_checkpoint
        self.experimental_write_callbacks = experimental_write_callbacks
        self.enable_async = enable_async
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback


def call_back(path: str, options: CheckpointOptions | None) -> None:
    """Call the functions that are registered for a written checkpoint."""
    for callback in (options and options.experimental_write_callbacks) or ():
        callback(*[path][: len(inspect.signature(callback).parameters)])
