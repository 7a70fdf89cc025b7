"""``tf.config``: how functions run."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.function.polymorphic import (
    functions_run_eagerly as functions_run_eagerly,
    run_functions_eagerly as run_functions_eagerly,
)
