"""`tf.compat.v1.train.NanTensorHook`: a hook that stops training if a loss is NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.checkpoints.sessions.hooks import (
    LOGGER,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class NanLossDuringTrainingError(RuntimeError):
    """The error that `NanTensorHook` raises.

    Example:
        >>> import tfpy as tf
        >>> str(tf.compat.v1.train.NanLossDuringTrainingError())
        'NaN loss during training.'

    See also: `tf.compat.v1.train.NanTensorHook`.
    """

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """A hook that stops training if a loss is NaN.

    Args:
        loss_tensor: Scalar tensor.
        fail_on_nan_loss: If True, raise a `NanLossDuringTrainingError`. If False, stop.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     loss = tf.constant(0.5)
        ...     hook = tf.compat.v1.train.NanTensorHook(loss)
        ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as sess:
        ...         print(sess.run(loss))
        0.5

    See also: `tf.debugging.check_numerics`.
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor, self._fail_on_nan_loss = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if np.isnan(run_values.results):
            if self._fail_on_nan_loss:
                LOGGER.error("Model diverged with loss = NaN.")
                raise NanLossDuringTrainingError
            LOGGER.warning("Model diverged with loss = NaN.")
            run_context.request_stop()
