"""`tf.compat.v1.saved_model.load`: SavedModels in sessions of TensorFlow 1."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.checkpoints.meta_graphs import ImportedMetaGraph
from tfpy._src.checkpoints.reader import CheckpointReader
from tfpy._src.checkpoints.saved_models.constants import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.typing import PathLike
from tfpy._src.formats.encodings.protobuf import read
from tfpy._src.formats.node_graphs.paths import checked_path
from tfpy._src.formats.tensorflow.reader.messages import SAVED_MODEL
from tfpy._src.formats.tensorflow.reader.saved_model import SavedModel, variables
from tfpy._src.functions.control.ordering import group
from tfpy._src.functions.graph_mode.inference import immediately
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.session import Session
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.library.compat.graphs.variables import (
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)
from tfpy._src.library.io.gfile import path_text
from tfpy._src.library.protos.message import DecodeError
from tfpy._src.library.protos.meta_graphs import AssetFileDef, MetaGraphDef, SavedModelProto


def maybe_saved_model_directory(export_dir: PathLike) -> bool:
    """Return True if a folder contains a SavedModel.

    Args:
        export_dir: Path of the folder.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.saved_model.maybe_saved_model_directory("nothing")
        False

    See also: `tf.compat.v1.saved_model.load`.
    """
    names = (SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT)
    return any(os.path.exists(os.path.join(path_text(export_dir), name)) for name in names)


def parsed(folder: str) -> tuple[SavedModelProto, bytes]:
    """Return the message in a folder, and its bytes.

    Raises:
        OSError: If there is no file, or the file is not valid.
    """
    path = os.path.join(folder, SAVED_MODEL_FILENAME_PB)
    if not os.path.exists(path):
        raise OSError(
            f"SavedModel file does not exist at: {folder}{os.sep}"
            f"{{{SAVED_MODEL_FILENAME_PBTXT}|{SAVED_MODEL_FILENAME_PB}}}"
        )
    with open(path, "rb") as file:
        data = file.read()
    try:
        return SavedModelProto.FromString(data), data
    except DecodeError as error:
        raise OSError(f"Cannot parse file {path}: {error}") from error


def load(
    sess: Session,
    tags: str | Sequence[str],
    export_dir: PathLike,
    import_scope: str | None = None,
    **saver_kwargs: object,
) -> MetaGraphDef:
    """Add the graph of a SavedModel to the graph of a session, and restore its Variables.

    Args:
        sess: The session.
        tags: Tags of the graph, such as `[tf.saved_model.SERVING]`.
        export_dir: Folder of the SavedModel.
        import_scope: Prefix of the names. Default: no prefix.
        saver_kwargs: Has no effect.

    Returns:
        The `tf.compat.v1.MetaGraphDef` of the graph. Its signatures have the names of tensors.

    Raises:
        OSError: If there is no SavedModel.
        RuntimeError: If no graph has exactly these tags.
        tf.errors.UnimplementedError: If tfpy does not have an operation.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        ...     y = tf.add(x, 1.0, name="y")
        ...     tf.compat.v1.saved_model.simple_save(sess, "next", {"x": x}, {"y": y})
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     message = tf.compat.v1.saved_model.load(sess, ["serve"], "next")
        ...     name = message.signature_def["serving_default"].outputs["y"].name
        ...     print(sess.run(name, {"x:0": [1.0]}))
        [2.]

    See also: `tf.saved_model.load`, `tf.compat.v1.saved_model.simple_save`.
    """
    folder = path_text(export_dir)
    model, data = parsed(folder)
    wanted = {tags} if isinstance(tags, str) else {*tags}
    kinds = [{*graph.meta_info_def.tags} for graph in model.meta_graphs]
    if wanted not in kinds:
        raise RuntimeError(
            f"MetaGraphDef associated with tags {str(sorted(wanted)).strip('[]')} could not be "
            f"found in SavedModel, with available tags '{kinds}'. To inspect available tag-sets "
            "in the SavedModel, please use the SavedModel CLI: `saved_model_cli`."
        )
    number = kinds.index(wanted)
    message: Any = model.meta_graphs[number]
    assets = _Assets(folder, message)
    with sess.graph.as_default():
        imported = ImportedMetaGraph(message, import_scope, assets.tensors, assets.contents)
        found = SavedModel(read(data, SAVED_MODEL)["meta_graphs"][number], len(data))
        _restore(sess, found, folder, import_scope)
        if found.initialization is not None:
            sess.run(imported.element(found.initialization))
    return message


class _Assets:
    """The files of a SavedModel.

    Attributes:
        tensors: Paths in the SavedModel, by the names of the tensors that hold them.
        contents: Bytes of the files by path.
    """

    def __init__(self, folder: str, message: MetaGraphDef) -> None:
        self.tensors: dict[str, Any] = {}
        self.contents: dict[str, bytes] = {}
        packed = message.collection_def[ASSETS_KEY].any_list.value
        older = [AssetFileDef.FromString(one.value) for one in packed]
        for asset in [*message.asset_file_def, *older]:
            name = checked_path(asset.filename, "an asset")
            path = os.path.join(folder, ASSETS_DIRECTORY, name)
            with open(path, "rb") as file:
                self.contents[path] = file.read()
            self.tensors[asset.tensor_info.name] = np.array(path.encode(), object)


class _CheckpointValues:
    def __init__(self, prefix: str) -> None:
        self._reader = CheckpointReader(prefix)

    def __getitem__(self, key: str) -> Array:
        return np.asarray(self._reader.get_tensor(key))


def _restore(sess: Session, model: SavedModel, folder: str, scope: str | None) -> None:
    """Assign the values of the checkpoint in a session."""
    prefix = os.path.join(folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
    if not os.path.exists(f"{prefix}.index"):
        return
    known = {v.op.name: v for v in sess.graph.variables if isinstance(v, GraphVariable)}
    with immediately():
        values = variables(model, _CheckpointValues(prefix))
    for node, value in values.items():
        variable = known.get(f"{scope}/{node}" if scope else node)
        if variable is not None:
            variable.load_in(sess, value)


def main_op() -> Operation:
    """Return an operation that initializes all Variables and tables of the default graph.

    Returns:
        A `tf.Operation`.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     v = tf.Variable(2.0)
        ...     sess.run(tf.compat.v1.saved_model.main_op.main_op())
        ...     print(sess.run(v))
        2.0

    See also: `tf.compat.v1.saved_model.Builder`.
    """
    return group(
        global_variables_initializer(), local_variables_initializer(), tables_initializer()
    )


def main_op_with_restore(restore_op_name: str) -> Operation:
    """Return an operation that restores Variables and initializes local Variables and tables.

    Args:
        restore_op_name: Operation that restores the Variables.

    Returns:
        A `tf.Operation`.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default() as graph:
        ...     op = tf.compat.v1.saved_model.main_op_with_restore(tf.no_op())
        >>> op.type
        'NoOp'

    See also: `tf.compat.v1.saved_model.main_op.main_op`.
    """
    return group(restore_op_name, local_variables_initializer(), tables_initializer())
