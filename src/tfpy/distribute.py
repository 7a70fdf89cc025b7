"""``tf.distribute``: strategies for the one device that a page has."""

# Made from api.toml and the op table by `build.py face`: change those.

from tfpy._src.distribute.reduce_op import ReduceOp as ReduceOp
from tfpy._src.distribute.strategy import (
    DistributedDataset as DistributedDataset,
    DistributedIterator as DistributedIterator,
    DistributedValues as DistributedValues,
    InputContext as InputContext,
    MirroredStrategy as MirroredStrategy,
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
    OneDeviceStrategy as OneDeviceStrategy,
    ReplicaContext as ReplicaContext,
    Strategy as Strategy,
    TPUStrategy as TPUStrategy,
    experimental_set_strategy as experimental_set_strategy,
    get_replica_context as get_replica_context,
    get_strategy as get_strategy,
    has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context,
)
