"""Debug mode, production mode, and the log of where ops run."""

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
    """Has each op's result checked as by ``tf.debugging.enable_check_numerics()``, and ends the
    production mode.

    It is the flag DEBUG: ``tf.env().set("DEBUG", False)`` ends it.

    Example:
        >>> import tfpy as tf
        >>> tf.enable_debug_mode()
        >>> try:
        ...     tf.math.log(tf.constant(-1.0))
        ... except tf.errors.InvalidArgumentError:
        ...     print("log gave NaN")
        log gave NaN
        >>> tf.env().set("DEBUG", False)
    """
    env().set("PROD", False)
    env().set("DEBUG", True)


def enable_prod_mode() -> None:
    """Leaves out what only serves to find mistakes: it ends the debug mode, and what is traced from
    now on does not note the lines of the program, so that its errors do not name them.

    It is the flag PROD: ``tf.env().set("PROD", False)`` ends it.

    Example:
        >>> import tfpy as tf
        >>> tf.enable_prod_mode()
        >>> tf.env().get_bool("PROD")
        True
        >>> tf.env().set("PROD", False)
    """
    env().set("PROD", True)


_log = logging.getLogger("tfpy")


@functools.cache
def _warn() -> None:
    """Says once what the debug mode costs."""
    _log.warning(
        "Debug mode: each op's result is read from the device and checked, and compiled functions "
        'run op by op, which is slow; tf.env().set("DEBUG", False) ends it'
    )


def _note_line(applied: Applied) -> None:
    """Keeps the line that made a tensor, for what ``tf.memory()`` says."""
    line = source_locations.here()
    applied.output.storage.line = None if line is None else line.short


def _on_debug(wanted: Value) -> None:
    if wanted and _note_line not in eager.observers:
        eager.observers.append(_note_line)
    elif not wanted and _note_line in eager.observers:
        eager.observers.remove(_note_line)
    _on_check(env().get("CHECK_COMPUTATION_FOR_ERRORS"))  # which follows it


def _on_check(wanted: Value) -> None:
    if wanted:
        _warn()
        enable_check_numerics()
    else:
        disable_check_numerics()


def _on_prod(wanted: Value) -> None:
    source_locations.collect(not wanted)
    if wanted:
        env().set("DEBUG", False)


env().listen("DEBUG", _on_debug)
env().listen("CHECK_COMPUTATION_FOR_ERRORS", _on_check)
env().listen("PROD", _on_prod)


def set_log_device_placement(enabled: bool) -> None:
    """Whether each op that runs is written to stderr, with the device that computes it.

    Compiled functions run op by op meanwhile.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.set_log_device_placement(True)
        >>> x = tf.constant(1.0) + 1.0
        >>> tf.debugging.set_log_device_placement(False)
    """
    if enabled:
        op_by_op.watch(_log_placement)
    else:
        op_by_op.forget(_log_placement)


def get_log_device_placement() -> bool:
    """What :func:`set_log_device_placement` was told.

    Example:
        >>> import tfpy as tf
        >>> tf.debugging.get_log_device_placement()
        False
    """
    return _log_placement in op_by_op.watching


def _log_placement(applied: Applied) -> None:
    output = applied.output
    place = output.storage.place
    by = "" if place == "host" else f" ({place})"
    print(f"Executing op {applied.op.name} in device {output.device}{by}", file=sys.stderr)
