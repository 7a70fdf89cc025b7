"""`tf.distribute`: strategies for one device, several devices, and several machines."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.distribute.communication import (
    CrossDeviceOps as CrossDeviceOps,
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
    InputOptions as InputOptions,
    InputReplicationMode as InputReplicationMode,
    NcclAllReduce as NcclAllReduce,
    ReductionToOneDevice as ReductionToOneDevice,
    RunOptions as RunOptions,
)
from tfpy._src.distribute.context import ReplicaContext as ReplicaContext
from tfpy._src.distribute.current import (
    experimental_set_strategy as experimental_set_strategy,
    get_replica_context as get_replica_context,
    get_strategy as get_strategy,
    has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context,
)
from tfpy._src.distribute.input import (
    DistributedDataset as DistributedDataset,
    DistributedIterator as DistributedIterator,
    InputContext as InputContext,
)
from tfpy._src.distribute.mirrored import (
    MirroredStrategy as MirroredStrategy,
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
    OneDeviceStrategy as OneDeviceStrategy,
    TPUStrategy as TPUStrategy,
)
from tfpy._src.distribute.reduce_op import ReduceOp as ReduceOp
from tfpy._src.distribute.strategy import Strategy as Strategy
from tfpy._src.distribute.values import DistributedValues as DistributedValues
from tfpy.distribute import cluster_resolver as cluster_resolver, experimental as experimental
