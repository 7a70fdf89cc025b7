"""`tf.train`: checkpoints in TensorFlow's format, examples, and cluster specifications."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.checkpoints.checkpoint import Checkpoint as Checkpoint
from tfpy._src.checkpoints.checkpoint_view import CheckpointView as CheckpointView
from tfpy._src.checkpoints.manager import (
    CheckpointManager as CheckpointManager,
    checkpoints_iterator as checkpoints_iterator,
)
from tfpy._src.checkpoints.options import CheckpointOptions as CheckpointOptions
from tfpy._src.checkpoints.reader import (
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from tfpy._src.checkpoints.state import (
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
)
from tfpy._src.checkpoints.trackable_view import TrackableView as TrackableView
from tfpy._src.distribute.cluster_spec import ClusterSpec as ClusterSpec
from tfpy._src.library.compat.graphs.coordinator import Coordinator as Coordinator
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
from tfpy._src.tensors.nn.moving_average import ExponentialMovingAverage as ExponentialMovingAverage
from tfpy.train import experimental as experimental
