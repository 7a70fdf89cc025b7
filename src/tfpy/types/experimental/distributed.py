"""`tf.types.experimental.distributed`: values with a component for each replica."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.distribute.values import PerReplica as PerReplica
