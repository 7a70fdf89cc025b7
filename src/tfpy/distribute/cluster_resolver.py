"""`tf.distribute.cluster_resolver`: addresses of the processes in a cluster."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.distribute.cluster import (
    ClusterResolver as ClusterResolver,
    SimpleClusterResolver as SimpleClusterResolver,
    TFConfigClusterResolver as TFConfigClusterResolver,
    TPUClusterResolver as TPUClusterResolver,
)
