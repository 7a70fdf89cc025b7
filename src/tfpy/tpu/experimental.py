"""`tf.tpu.experimental`: initialization of TPUs."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.distribute.former import (
    initialize_tpu_system as initialize_tpu_system,
    shutdown_tpu_system as shutdown_tpu_system,
)
