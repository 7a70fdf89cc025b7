"""`tf.compat.v1.saved_model.builder`: the writer of SavedModels of graphs."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.saved_models.graph_builder import SavedModelBuilder as SavedModelBuilder
