"""`tf.xla.experimental`: older names, `compile` and `jit_scope`, which `tf.function` replaces."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.compat.xla import compile as compile, jit_scope as jit_scope
