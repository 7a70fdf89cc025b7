"""`tf.compat.v1.graph_util`: functions that import, cut and freeze graphs as messages."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.formats.tensorflow.graph_util import (
    convert_variables_to_constants as convert_variables_to_constants,
    extract_sub_graph as extract_sub_graph,
    must_run_on_cpu as must_run_on_cpu,
    remove_training_nodes as remove_training_nodes,
    tensor_shape_from_node_def_name as tensor_shape_from_node_def_name,
)
from tfpy._src.formats.tensorflow.importing import import_graph_def as import_graph_def
