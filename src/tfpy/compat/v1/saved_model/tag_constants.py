"""`tf.compat.v1.saved_model.tag_constants`: names of the kinds of graphs in a SavedModel."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.saved_models.constants import (
    GPU as GPU,
    SERVING as SERVING,
    TPU as TPU,
    TRAINING as TRAINING,
)
