"""Settings of TensorFlow's runtime that have no effect in tfpy, but can be set and read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tfpy._src.backends import registry
from tfpy._src.backends.devices import devices_of

_POLICIES = ("explicit", "warn", "silent", "silent_for_int32")


class _Settings:
    inter_op_threads = 0
    intra_op_threads = 0
    device_policy = "silent"
    is_synchronous = True


def _check_start(what: str) -> None:
    """Raise an error if something has been computed, as in TensorFlow."""
    if registry.active is not None and devices_of(registry.active).has_computed:
        raise RuntimeError(f"{what} cannot be modified after initialization.")


def get_inter_op_parallelism_threads() -> int:
    """Return the number that `set_inter_op_parallelism_threads` set.

    Returns:
        An int. 0 means that the system chooses the number.

    Example:
        >>> import tfpy as tf
        >>> tf.config.threading.get_inter_op_parallelism_threads()
        0

    See also: `tf.config.threading.set_inter_op_parallelism_threads`.
    """
    return _Settings.inter_op_threads


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Set the number of threads that run different operations.

    The number has no effect, because tfpy runs operations in the order of the program.

    Args:
        num_threads: Number of threads. With 0, the system chooses the number.

    Raises:
        RuntimeError: If something has been computed and the number would change.

    Example:
        >>> import tfpy as tf
        >>> tf.config.threading.set_inter_op_parallelism_threads(0)

    See also: `tf.config.threading.set_intra_op_parallelism_threads`, `tf.set_threads_count`.
    """
    if num_threads != _Settings.inter_op_threads:
        _check_start("Inter op parallelism")
    _Settings.inter_op_threads = num_threads


def get_intra_op_parallelism_threads() -> int:
    """Return the number that `set_intra_op_parallelism_threads` set.

    Returns:
        An int. 0 means that the system chooses the number.

    Example:
        >>> import tfpy as tf
        >>> tf.config.threading.get_intra_op_parallelism_threads()
        0

    See also: `tf.config.threading.set_intra_op_parallelism_threads`.
    """
    return _Settings.intra_op_threads


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Set the number of threads that compute one operation.

    The number has no effect. `tf.set_threads_count` sets the number of threads of the wasm backend.

    Args:
        num_threads: Number of threads. With 0, the system chooses the number.

    Raises:
        RuntimeError: If something has been computed and the number would change.

    Example:
        >>> import tfpy as tf
        >>> tf.config.threading.set_intra_op_parallelism_threads(0)

    See also: `tf.set_threads_count`.
    """
    if num_threads != _Settings.intra_op_threads:
        _check_start("Intra op parallelism")
    _Settings.intra_op_threads = num_threads


def get_device_policy() -> str:
    """Return the policy that `set_device_policy` set.

    Returns:
        A string, by default `"silent"`.

    Example:
        >>> import tfpy as tf
        >>> tf.config.experimental.get_device_policy()
        'silent'

    See also: `tf.config.experimental.set_device_policy`.
    """
    return _Settings.device_policy


def set_device_policy(device_policy: str | None) -> None:
    """Set the policy for operations whose inputs are on other devices.

    The policy has no effect, because tfpy always copies the inputs.

    Args:
        device_policy: `"silent"`, `"warn"`, `"explicit"` or `"silent_for_int32"`. None means
            `"silent"`.

    Raises:
        ValueError: If the policy is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.config.experimental.set_device_policy("silent")

    See also: `tf.device`.
    """
    policy = "silent" if device_policy is None else device_policy
    if policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. Use one of {_POLICIES}."
        )
    _Settings.device_policy = policy


def get_synchronous_execution() -> bool:
    """Return the value that `set_synchronous_execution` set.

    Returns:
        A bool, by default True.

    Example:
        >>> import tfpy as tf
        >>> tf.config.experimental.get_synchronous_execution()
        True

    See also: `tf.config.experimental.set_synchronous_execution`.
    """
    return _Settings.is_synchronous


def set_synchronous_execution(enable: bool | None) -> None:
    """Choose whether calls wait for the results of operations.

    The setting has no effect: on GPUs, calls return before the result is computed, and reading a
    value waits for it.

    Args:
        enable: True for waiting. None means the default, True.

    Example:
        >>> import tfpy as tf
        >>> tf.config.experimental.set_synchronous_execution(True)

    See also: `tf.Tensor.data`.
    """
    _Settings.is_synchronous = enable is None or bool(enable)


@contextmanager
def async_scope() -> Iterator[None]:
    """Return a context in which TensorFlow would run operations asynchronously.

    It has no effect. On GPUs, operations always run asynchronously.

    Returns:
        A context manager.

    Example:
        >>> import tfpy as tf
        >>> with tf.experimental.async_scope():
        ...     y = tf.constant(1.0) + 1.0

    See also: `tf.experimental.async_clear_error`.
    """
    yield


def async_clear_error() -> None:
    """Do nothing: errors of tfpy are raised where they happen, so none is pending.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.async_clear_error()

    See also: `tf.experimental.async_scope`.
    """


@contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """Return a context with another executor of functions. It has no effect.

    Args:
        executor_type: Name of an executor of TensorFlow, or None.

    Returns:
        A context manager.

    Example:
        >>> import tfpy as tf
        >>> with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
        ...     y = tf.constant(1.0) + 1.0

    See also: `tf.function`.
    """
    yield


def enable_strict_mode() -> None:
    """Do nothing: tfpy does not have the deprecated behavior that TensorFlow would reject.

    Example:
        >>> import tfpy as tf
        >>> tf.experimental.enable_strict_mode()

    See also: `tf.get_logger`.
    """
