"""`tf.compat.v1.saved_model`: names that SavedModels and programs that read them share."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.saved_models.constants import (
    LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY,
    MAIN_OP_KEY as MAIN_OP_KEY,
)
from tfpy._src.checkpoints.saved_models.graph_builder import simple_save as simple_save
from tfpy._src.checkpoints.saved_models.graph_loader import (
    load as load,
    main_op_with_restore as main_op_with_restore,
    maybe_saved_model_directory as maybe_saved_model_directory,
)
from tfpy._src.checkpoints.saved_models.signature_defs import (
    build_signature_def as build_signature_def,
    build_tensor_info as build_tensor_info,
    classification_signature_def as classification_signature_def,
    get_tensor_from_tensor_info as get_tensor_from_tensor_info,
    is_valid_signature as is_valid_signature,
    predict_signature_def as predict_signature_def,
    regression_signature_def as regression_signature_def,
)
from tfpy.compat.v1.saved_model import (
    builder as builder,
    constants as constants,
    loader as loader,
    main_op as main_op,
    signature_constants as signature_constants,
    signature_def_utils as signature_def_utils,
    tag_constants as tag_constants,
    utils as utils,
)
