"""`tf.graph_util`: the import of graphs as messages."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.formats.tensorflow.importing import import_graph_def as import_graph_def
