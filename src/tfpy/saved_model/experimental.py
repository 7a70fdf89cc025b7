"""`tf.saved_model.experimental`: policies for the Variables of SavedModels."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.saved_models.fingerprint import (
    Fingerprint as Fingerprint,
    read_fingerprint as read_fingerprint,
)
from tfpy._src.checkpoints.saved_models.options import VariablePolicy as VariablePolicy
from tfpy._src.library.lookup.tables import TrackableResource as TrackableResource
