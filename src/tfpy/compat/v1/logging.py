"""`tf.compat.v1.logging`: messages of the logger `tensorflow`."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.compat.logs import (
    DEBUG as DEBUG,
    ERROR as ERROR,
    FATAL as FATAL,
    INFO as INFO,
    WARN as WARN,
    debug as debug,
    error as error,
    fatal as fatal,
    get_verbosity as get_verbosity,
    info as info,
    set_verbosity as set_verbosity,
    warn as warn,
    warning as warning,
)
