"""`tf.compat.v1.train`: functions of TensorFlow 1 for checkpoints."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.state import (
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    update_checkpoint_state as update_checkpoint_state,
)
