"""`tf.compat.v1.saved_model.main_op`: operations that run when a SavedModel is loaded."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.saved_models.graph_loader import (
    main_op as main_op,
    main_op_with_restore as main_op_with_restore,
)
