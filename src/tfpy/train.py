"""``tf.train``: checkpoints, in TensorFlow's files; clusters of processes."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.distribute.cluster import ClusterSpec as ClusterSpec
from tfpy._src.train.checkpoint import (
    Checkpoint as Checkpoint,
    CheckpointOptions as CheckpointOptions,
)
from tfpy._src.train.manager import (
    CheckpointManager as CheckpointManager,
    checkpoints_iterator as checkpoints_iterator,
)
from tfpy._src.train.reader import (
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from tfpy._src.train.state import (
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
)
