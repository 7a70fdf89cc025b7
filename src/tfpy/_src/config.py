"""``tf.config``: how functions run."""

from tfpy._src.function.polymorphic import functions_run_eagerly, run_functions_eagerly

__all__ = ["functions_run_eagerly", "run_functions_eagerly"]
