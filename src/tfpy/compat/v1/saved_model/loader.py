"""`tf.compat.v1.saved_model.loader`: SavedModels in sessions."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.saved_models.graph_loader import (
    load as load,
    maybe_saved_model_directory as maybe_saved_model_directory,
)
