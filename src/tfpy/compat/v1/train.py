"""``tf.compat.v1.train``: names of TensorFlow 1."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.checkpoints.state import (
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    update_checkpoint_state as update_checkpoint_state,
)
