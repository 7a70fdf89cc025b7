"""`tf.compat.v1.saved_model`: names that SavedModels and programs that read them share."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.saved_models.constants import (
    LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY,
    MAIN_OP_KEY as MAIN_OP_KEY,
)
from tfpy.compat.v1.saved_model import (
    constants as constants,
    signature_constants as signature_constants,
    tag_constants as tag_constants,
)
