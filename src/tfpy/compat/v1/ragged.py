"""`tf.compat.v1.ragged`: ragged tensors, also as arrays of NumPy."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.functions.graph_mode.ragged_placeholder import placeholder as placeholder
from tfpy._src.library.compat.ragged_values import constant_value as constant_value
from tfpy._src.tensors.composite.host_values import RaggedTensorValue as RaggedTensorValue
