"""`tf.saved_model.load`: the reader of SavedModels."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.checkpoints.saved_models.constants import (
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
)
from tfpy._src.checkpoints.saved_models.loader import Loader, RestoredObject
from tfpy._src.checkpoints.saved_models.objects import SignatureMap
from tfpy._src.checkpoints.saved_models.options import LoadOptions
from tfpy._src.core.typing import PathLike
from tfpy._src.formats.encodings.protobuf import read
from tfpy._src.formats.load import load as load_model
from tfpy._src.formats.tensorflow.reader.messages import SAVED_MODEL
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.gfile import path_text, translated


def contains_saved_model(export_dir: PathLike) -> bool:
    """Return True if a folder contains a SavedModel.

    Args:
        export_dir: Path of the folder.

    Returns:
        True if the folder contains the file `saved_model.pb` or `saved_model.pbtxt`.

    Example:
        >>> import tfpy as tf
        >>> tf.saved_model.save(tf.Module(), "some_model")
        >>> tf.saved_model.contains_saved_model("some_model")
        True

    See also: `tf.saved_model.load`.
    """
    folder = path_text(export_dir)
    names = (SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT)
    return any(os.path.isfile(os.path.join(folder, name)) for name in names)


def load(
    export_dir: PathLike,
    tags: str | Sequence[str] | None = None,
    options: LoadOptions | None = None,
) -> Any:
    """Load a SavedModel that was written by `tf.saved_model.save` in tfpy or TensorFlow.

    The result has the attributes of the saved object: Variables, functions, lists, dicts, and
    objects that hold these. A function has the signatures that were saved. Gradients flow through
    it, and it can be called in a `tf.function`. Operations that act outside of the model, such as
    writing files, are refused when they run.

    Args:
        export_dir: Folder of the SavedModel.
        tags: Tag or tags of the model. Default: the tags of the only model in the file.
        options: `tf.saved_model.LoadOptions`. Default: default options.

    Returns:
        An object with the attributes of the saved object. `signatures` is a dict from names to
        functions that take tensors by name and return a dict of tensors. A model of TensorFlow 1
        has no other attributes.

    Raises:
        OSError: If there is no SavedModel in the folder.
        ValueError: If the model does not have the tags, or a file is damaged.

    Example:
        >>> import tfpy as tf
        >>> module = tf.Module()
        >>> module.scale = tf.Variable(3.0)
        >>> module.scaled = tf.function(
        ...     lambda x: module.scale * x, input_signature=[tf.TensorSpec([None])]
        ... )
        >>> tf.saved_model.save(module, "scaled")
        >>> loaded = tf.saved_model.load("scaled")
        >>> scale = loaded.scale.assign(2.0)
        >>> print(loaded.scaled([1.0, 4.0]).numpy())
        [2. 8.]

    See also: `tf.saved_model.save`, `tf.models.load`, `tf.saved_model.contains_saved_model`.
    """
    folder = path_text(export_dir)
    path = os.path.join(folder, SAVED_MODEL_FILENAME_PB)
    if not os.path.isfile(path):
        raise OSError(
            f"SavedModel file does not exist at: {folder}{os.sep}"
            f"{{{SAVED_MODEL_FILENAME_PBTXT}|{SAVED_MODEL_FILENAME_PB}}}"
        )
    with translated(path), open(path, "rb") as file:
        data = file.read()
    graph = _chosen(read(data, SAVED_MODEL)["meta_graphs"], tags, folder)
    with tracing.init_scope():
        if "object_graph_def" in graph:
            found = Loader(graph, folder, options or LoadOptions(), len(data)).load()
        else:
            found = _signatures_of(folder)
    found.tensorflow_version = graph.get("meta_info_def", {}).get("tensorflow_version", "")
    return found


def _chosen(graphs: Sequence[Mapping[str, Any]], tags: Any, folder: str) -> Mapping[str, Any]:
    """Return the graph with the given tags."""
    if not graphs:
        raise ModelFileError("saved_model.pb has no graph")
    own = [list(g.get("meta_info_def", {"tags": []})["tags"]) for g in graphs]
    if tags is None:
        if len(graphs) > 1:
            raise ValueError(
                f"Importing a SavedModel with tf.saved_model.load requires a `tags=` argument if "
                f"there is more than one MetaGraph. Got `tags=None`, but there are {len(graphs)} "
                f"MetaGraphs in the SavedModel with tag sets: {own}. Pass a `tags=` argument to "
                "load this SavedModel."
            )
        return graphs[0]
    wanted = {tags} if isinstance(tags, str) else {*tags}
    for graph, names in zip(graphs, own, strict=True):
        if {*names} == wanted:
            return graph
    raise ValueError(
        f"Got an incompatible argument to `tags`: {sorted(wanted)}. The SavedModel at {folder} has "
        f"one MetaGraph with tags {own[0] if len(own) == 1 else own}. You may omit the argument, "
        "pass 'None', or pass matching tags."
    )


def _signatures_of(folder: str) -> RestoredObject:
    """Return an object with the signatures of a SavedModel that TensorFlow 1 wrote."""
    found = RestoredObject()
    model = load_model(folder)
    vars(found)["signatures"] = SignatureMap(model.signatures)
    return found
