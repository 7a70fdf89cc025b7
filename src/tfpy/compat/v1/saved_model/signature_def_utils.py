"""`tf.compat.v1.saved_model.signature_def_utils`: signatures of graphs as messages."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.saved_models.graph_builder import MethodNameUpdater as MethodNameUpdater
from tfpy._src.checkpoints.saved_models.signature_defs import (
    build_signature_def as build_signature_def,
    classification_signature_def as classification_signature_def,
    is_valid_signature as is_valid_signature,
    predict_signature_def as predict_signature_def,
    regression_signature_def as regression_signature_def,
)
