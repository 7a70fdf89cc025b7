"""`tf.compat.v1.train`: functions of TensorFlow 1 for checkpoints."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.state import (
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    update_checkpoint_state as update_checkpoint_state,
)
from tfpy._src.library.protos.example import (
    BytesList as BytesList,
    ClusterDef as ClusterDef,
    Example as Example,
    Feature as Feature,
    FeatureList as FeatureList,
    FeatureLists as FeatureLists,
    Features as Features,
    FloatList as FloatList,
    Int64List as Int64List,
    JobDef as JobDef,
    SequenceExample as SequenceExample,
)
