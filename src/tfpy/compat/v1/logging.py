"""`tf.compat.v1.logging`: messages of the logger `tensorflow`."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.compat.logs import (
    DEBUG as DEBUG,
    ERROR as ERROR,
    FATAL as FATAL,
    INFO as INFO,
    WARN as WARN,
    TaskLevelStatusMessage as TaskLevelStatusMessage,
    debug as debug,
    error as error,
    fatal as fatal,
    flush as flush,
    get_verbosity as get_verbosity,
    info as info,
    log as log,
    log_every_n as log_every_n,
    log_first_n as log_first_n,
    log_if as log_if,
    set_verbosity as set_verbosity,
    vlog as vlog,
    warn as warn,
    warning as warning,
)
