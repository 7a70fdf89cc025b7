"""Debug mode, production mode, and the log of device placement."""

from __future__ import annotations

import functools
import logging
import sys

from tfpy._src.base import source_locations
from tfpy._src.base.flags.environment import env
from tfpy._src.base.flags.kinds import Value
from tfpy._src.core import eager
from tfpy._src.core.eager import Applied
from tfpy._src.functions.executor import op_by_op
from tfpy._src.library.debugging.numerics import disable_check_numerics, enable_check_numerics


def enable_debug_mode() -> None:
    """Enable the debug mode, which checks the result of each op for NaN and infinity.

    The checks are the same as in `tf.debugging.enable_check_numerics`. They are slow, because each
    result is read back to Python and compiled functions run eagerly. In the debug mode, `tf.memory`
    also reports which lines of the program created tensors.

    The debug mode ends the production mode. `tf.env().set("DEBUG", False)` ends the debug mode.

    Example:
        >>> import tfpy as tf
        >>> tf.enable_debug_mode()
        >>> try:
        ...     tf.math.log(tf.constant(-1.0))
        ... except tf.errors.InvalidArgumentError:
        ...     print("log gave NaN")
        log gave NaN
        >>> tf.env().set("DEBUG", False)

    See also: `tf.enable_prod_mode`, `tf.debugging.enable_check_numerics`.
    """
    env().set("PROD", False)
    env().set("DEBUG", True)


def enable_prod_mode() -> None:
    """Enable the production mode, which disables features that only help to find errors.

    Functions that are traced in the production mode do not record the lines of the program, so
    their error messages do not name the line of an op.

    The production mode ends the debug mode. `tf.env().set("PROD", False)` ends the production mode.

    Example:
        >>> import tfpy as tf
        >>> tf.enable_prod_mode()
        >>> tf.env().get_bool("PROD")
        True
        >>> tf.env().set("PROD", False)

    See also: `tf.enable_debug_mode`.
    """
    env().set("PROD", True)


_log = logging.getLogger("tensorflow")


@functools.cache
def _warn() -> None:
    """Log a warning about the cost of the debug mode, once."""
    _log.warning(
        "Debug mode is slow: the result of each op is read from the device and checked, and "
        'compiled functions run op by op. End it with tf.env().set("DEBUG", False).'
    )


def _note_line(applied: Applied) -> None:
    """Record the line that created a tensor, for the report of `tf.memory()`."""
    line = source_locations.here()
    applied.output.storage.line = None if line is None else line.short


def _on_debug(wanted: Value) -> None:
    """Start or end the debug mode when its flag changes."""
    if wanted and _note_line not in eager.observers:
        eager.observers.append(_note_line)
    elif not wanted and _note_line in eager.observers:
        eager.observers.remove(_note_line)
    _on_check(env().get("CHECK_COMPUTATION_FOR_ERRORS"))  # this flag follows DEBUG by default


def _on_check(wanted: Value) -> None:
    """Start or end the checks when their flag changes."""
    if wanted:
        _warn()
        enable_check_numerics()
    else:
        disable_check_numerics()


def _on_prod(wanted: Value) -> None:
    """Start or end the production mode when its flag changes."""
    source_locations.collect(not wanted)
    if wanted:
        env().set("DEBUG", False)


env().listen("DEBUG", _on_debug)
env().listen("CHECK_COMPUTATION_FOR_ERRORS", _on_check)
env().listen("PROD", _on_prod)


def set_log_device_placement(enabled: bool) -> None:
    """Enable or disable a log of each op and the device that computes it.

    The log is written to `sys.stderr`. While it is enabled, compiled functions run eagerly, so that
    each op is logged.

    Args:
        enabled: True to enable the log, False to disable it.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.set_log_device_placement(True)
        >>> x = tf.constant(1.0) + 1.0  # logs "Executing op add in device /job:localhost/..."
        >>> tf.debugging.set_log_device_placement(False)

    See also: `tf.debugging.get_log_device_placement`.
    """
    if enabled:
        op_by_op.watch(_log_placement)
    else:
        op_by_op.forget(_log_placement)


def get_log_device_placement() -> bool:
    """Return True if the device placement of ops is logged.

    Returns:
        True if `tf.debugging.set_log_device_placement` has enabled the log, and otherwise False.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.get_log_device_placement()
        False

    See also: `tf.debugging.set_log_device_placement`.
    """
    return _log_placement in op_by_op.watching


def _log_placement(applied: Applied) -> None:
    """Write an op and its device to stderr."""
    output = applied.output
    place = output.storage.place
    by = "" if place == "host" else f" ({place})"
    print(f"Executing op {applied.op.name} in device {output.device}{by}", file=sys.stderr)


def enable_traceback_filtering() -> None:
    """Hide the frames of tfpy and Keras in tracebacks of uncaught exceptions.

    This is the default, so that a traceback shows the lines of the program.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.enable_traceback_filtering()
        >>> tf.debugging.is_traceback_filtering_enabled()
        True

    See also: `tf.debugging.disable_traceback_filtering`.
    """
    env().set("TFPY_FULL_TRACEBACKS", False)


def disable_traceback_filtering() -> None:
    """Show all frames in tracebacks of uncaught exceptions.

    The flag `TFPY_FULL_TRACEBACKS` has the same effect from the start of a program.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.disable_traceback_filtering()
        >>> tf.debugging.is_traceback_filtering_enabled()
        False
        >>> tf.debugging.enable_traceback_filtering()

    See also: `tf.debugging.enable_traceback_filtering`.
    """
    env().set("TFPY_FULL_TRACEBACKS", True)


def is_traceback_filtering_enabled() -> bool:
    """Return True if tracebacks of uncaught exceptions hide the frames of tfpy and Keras.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.is_traceback_filtering_enabled()
        True

    See also: `tf.debugging.disable_traceback_filtering`.
    """
    return not env().get("TFPY_FULL_TRACEBACKS")
