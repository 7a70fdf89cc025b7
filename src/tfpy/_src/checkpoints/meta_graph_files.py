"""`tf.compat.v1.train.export_meta_graph` and `import_meta_graph`: graphs in files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.checkpoints.meta_graphs import ImportedMetaGraph, meta_graph_of
from tfpy._src.checkpoints.saver import Saver, write_message
from tfpy._src.core.typing import PathLike
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.library.io.gfile import path_text
from tfpy._src.library.protos.graphs import GraphDef
from tfpy._src.library.protos.message import DecodeError
from tfpy._src.library.protos.meta_graphs import MetaGraphDef, SaverDef

_EAGER = (
    "Exporting/importing meta graphs is not supported when eager execution is enabled. No graph "
    "exists when eager execution is enabled."
)


def export_meta_graph(
    filename: PathLike | None = None,
    meta_info_def: MetaGraphDef.MetaInfoDef | None = None,
    graph_def: GraphDef | None = None,
    saver_def: SaverDef | None = None,
    collection_list: Sequence[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: object,
) -> MetaGraphDef:
    """Return a graph with its collections as a message, and write it to a file.

    Args:
        filename: Path of the file. Default: no file.
        meta_info_def: Tags and versions. Default: the version of TensorFlow.
        graph_def: The graph as a message. Default: the message of `graph`.
        saver_def: Nodes that save and restore Variables. Default: none.
        collection_list: Names of the exported collections. Default: all collections.
        as_text: If True, write the text format, otherwise the binary format.
        graph: The graph. Default: the default graph.
        export_scope: Not supported.
        clear_devices, clear_extraneous_savers, strip_default_attrs: Has no effect.
        save_debug_info, kwargs: Has no effect.

    Returns:
        A `tf.compat.v1.MetaGraphDef`.

    Raises:
        RuntimeError: If functions execute eagerly and `graph` is None.
        NotImplementedError: If `export_scope` is given.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     v = tf.Variable(1.0, name="v")
        ...     message = tf.compat.v1.train.export_meta_graph()
        >>> sorted(message.collection_def)
        ['trainable_variables', 'variables']

    See also: `tf.compat.v1.train.import_meta_graph`, `tf.compat.v1.train.Saver`.
    """
    if export_scope is not None:
        raise NotImplementedError(
            "export_scope is not supported. Export the whole graph, and pass import_scope to "
            "tf.compat.v1.train.import_meta_graph."
        )
    if graph is None and tracing.active_graph() is None:
        raise RuntimeError(_EAGER)
    found = meta_graph_of(graph or get_default_graph(), graph_def, collection_list)
    if meta_info_def is not None:
        found.meta_info_def.MergeFrom(meta_info_def)
    if saver_def is not None:
        found.saver_def.CopyFrom(saver_def)
    if filename is not None:
        write_message(found, path_text(filename), as_text)
    return found


def import_meta_graph(
    meta_graph_or_file: MetaGraphDef | PathLike,
    clear_devices: bool = False,
    import_scope: str | None = None,
    input_map: Mapping[str, Any] | None = None,
    **kwargs: object,
) -> Saver | None:
    """Add the nodes and collections of a message to the default graph.

    Args:
        meta_graph_or_file: A `tf.compat.v1.MetaGraphDef`, or the path of a file in the binary
            format, such as one that `tf.compat.v1.train.Saver.save` writes.
        clear_devices: Has no effect.
        import_scope: Prefix of the names. Default: no prefix.
        input_map: Mapping from names of tensors to tensors of the graph that replace them.
        kwargs: Has no effect.

    Returns:
        A `tf.compat.v1.train.Saver` for the Variables, or None if there are no Variables.

    Raises:
        RuntimeError: If functions execute eagerly.
        OSError: If the file does not exist, or does not contain a message.
        tf.errors.UnimplementedError: If tfpy does not have an operation.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     v = tf.Variable(2.0, name="v")
        ...     y = tf.square(v, name="y")
        ...     sess.run(v.initializer)
        ...     path = tf.compat.v1.train.Saver().save(sess, "graphs/model")
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     saver = tf.compat.v1.train.import_meta_graph("graphs/model.meta")
        ...     saver.restore(sess, path)
        ...     print(sess.run("y:0"))
        4.0

    See also: `tf.compat.v1.train.export_meta_graph`, `tf.import_graph_def`.
    """
    if tracing.active_graph() is None:
        raise RuntimeError(_EAGER)
    found = meta_graph_or_file
    message = found if isinstance(found, MetaGraphDef) else _read(path_text(found))
    imported = ImportedMetaGraph(message, import_scope, input_map)
    if imported.restored:
        return Saver(imported.restored, max_to_keep=message.saver_def.max_to_keep)
    if imported.graph.get_collection("variables", scope=import_scope):
        return Saver()
    return None


def _read(path: str) -> MetaGraphDef:
    if not os.path.exists(path):
        raise OSError(f"File {path} does not exist.")
    with open(path, "rb") as file:
        data = file.read()
    try:
        return MetaGraphDef.FromString(data)
    except DecodeError as error:
        raise OSError(
            f"Cannot parse file {path}: {error}. tfpy reads the binary format, which "
            "export_meta_graph writes with as_text=False."
        ) from error
