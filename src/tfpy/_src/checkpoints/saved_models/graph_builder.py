"""`tf.compat.v1.saved_model.Builder`: SavedModels of graphs of TensorFlow 1."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy._src.checkpoints.saved_models.constants import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    DEFAULT_SERVING_SIGNATURE_DEF_KEY,
    LEGACY_INIT_OP_KEY,
    MAIN_OP_KEY,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
    SAVED_MODEL_SCHEMA_VERSION,
    SERVING,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from tfpy._src.checkpoints.saved_models.graph_loader import parsed
from tfpy._src.checkpoints.saved_models.signature_defs import (
    build_tensor_info,
    predict_signature_def,
)
from tfpy._src.checkpoints.saver import Saver, write_message
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import PathLike
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.session import Session
from tfpy._src.library.io.gfile import path_text, translated
from tfpy._src.library.protos.meta_graphs import (
    AssetFileDef,
    MetaGraphDef,
    SavedModelProto,
    SignatureDef,
)

_ASSET_TYPE = "type.googleapis.com/tensorflow.AssetFileDef"
Signatures = Mapping[str, SignatureDef]


class SavedModelBuilder:
    """A writer of SavedModels that contain graphs.

    Args:
        export_dir: Folder to write to. It must not exist, or it must be empty.

    Raises:
        AssertionError: If the folder contains files.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> builder = one.saved_model.Builder("graph_model")
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     x = one.placeholder(tf.float32, [None], name="x")
        ...     y = tf.Variable(2.0) * x
        ...     sess.run(one.global_variables_initializer())
        ...     signature = one.saved_model.predict_signature_def({"x": x}, {"y": y})
        ...     builder.add_meta_graph_and_variables(
        ...         sess, [tf.saved_model.SERVING], {"serving_default": signature})
        >>> _ = builder.save()
        >>> print(tf.models.load("graph_model")([3.0]).numpy())
        [6.]

    See also: `tf.compat.v1.saved_model.simple_save`, `tf.saved_model.save`.
    """

    def __init__(self, export_dir: PathLike) -> None:
        self._folder = path_text(export_dir)
        if os.path.isdir(self._folder) and os.listdir(self._folder):
            raise AssertionError(
                f"Export directory {self._folder} already exists, and isn't empty. Please choose "
                "a different export directory, or delete all the contents of the specified "
                "directory."
            )
        self._message = SavedModelProto(saved_model_schema_version=SAVED_MODEL_SCHEMA_VERSION)
        self._has_variables = False

    def add_meta_graph_and_variables(
        self,
        sess: Session,
        tags: Sequence[str],
        signature_def_map: Signatures | None = None,
        assets_collection: Sequence[Tensor] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Add the graph of a session, and write the values of its Variables.

        Args:
            sess: The session.
            tags: Names by which programs choose the graph, such as `tf.saved_model.SERVING`.
            signature_def_map: Mapping from names to signatures.
            assets_collection: String tensors with paths of files that are copied.
            legacy_init_op, main_op: Operation that runs when the SavedModel is loaded.
            clear_devices, strip_default_attrs: Has no effect.
            saver: Saver that writes the Variables. Default: a saver of all Variables.

        Raises:
            AssertionError: If the builder already has Variables.
        """
        if self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )
        with sess.graph.as_default():
            used = saver or self._saver()
            message = self._added(used, tags, signature_def_map, assets_collection,
                                  main_op or legacy_init_op, main_op is None)  # fmt: skip
            self._has_variables = True
            if message.HasField("saver_def") and sess.graph.get_collection("variables"):
                path = os.path.join(self._folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                used.save(sess, path, write_meta_graph=False, write_state=False)

    def add_meta_graph(
        self,
        tags: Sequence[str],
        signature_def_map: Signatures | None = None,
        assets_collection: Sequence[Tensor] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Add the default graph, which uses the Variables of the first graph.

        Args:
            tags: Names by which programs choose the graph.
            signature_def_map: Mapping from names to signatures.
            assets_collection: String tensors with paths of files that are copied.
            legacy_init_op, main_op: Operation that runs when the SavedModel is loaded.
            clear_devices, strip_default_attrs: Has no effect.
            saver: Saver of the Variables. Default: a saver of all Variables.

        Raises:
            AssertionError: If the builder does not have Variables yet.
        """
        if not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        self._added(saver or self._saver(), tags, signature_def_map, assets_collection,
                    main_op or legacy_init_op, main_op is None)  # fmt: skip

    @staticmethod
    def _saver() -> Saver:
        return Saver(allow_empty=True)

    def _added(
        self,
        saver: Saver,
        tags: Sequence[str],
        signatures: Signatures | None,
        assets: Sequence[Tensor] | None,
        main_op: Operation | None,
        is_legacy: bool,
    ) -> MetaGraphDef:
        message = saver.export_meta_graph()
        message.meta_info_def.tags.extend(tags)
        for name, signature in (signatures or {}).items():
            message.signature_def[name].CopyFrom(signature)
        for asset in assets or ():
            self._add_asset(message, asset)
        if main_op is not None:
            key = LEGACY_INIT_OP_KEY if is_legacy else MAIN_OP_KEY
            message.collection_def[key].node_list.value.append(main_op.name)
        self._message.meta_graphs.append(message)
        return message

    def _add_asset(self, message: MetaGraphDef, asset: Any) -> None:
        """Copy the file that a tensor names, and add it to the message."""
        path = str(asset.constant.numpy().decode())
        name = os.path.basename(path)
        found = AssetFileDef(filename=name)
        found.tensor_info.CopyFrom(build_tensor_info(asset))
        message.collection_def[ASSETS_KEY].any_list.value.add(
            type_url=_ASSET_TYPE, value=found.SerializeToString()
        )
        folder = os.path.join(self._folder, ASSETS_DIRECTORY)
        with translated(folder):
            os.makedirs(folder, exist_ok=True)
            shutil.copyfile(path, os.path.join(folder, name))

    def save(self, as_text: bool = False, experimental_image_format: bool = False) -> bytes:
        """Write the graphs.

        Args:
            as_text: If True, write the text format, which tfpy does not read.
            experimental_image_format: Has no effect.

        Returns:
            Path of the file, as bytes.
        """
        name = SAVED_MODEL_FILENAME_PBTXT if as_text else SAVED_MODEL_FILENAME_PB
        path = os.path.join(self._folder, name)
        write_message(self._message, path, as_text)
        return path.encode()


def simple_save(
    session: Session,
    export_dir: PathLike,
    inputs: Mapping[str, Tensor],
    outputs: Mapping[str, Tensor],
    legacy_init_op: Operation | None = None,
) -> None:
    """Write the graph of a session as a SavedModel with one signature, `"serving_default"`.

    Args:
        session: The session with the values of the Variables.
        export_dir: Folder to write to. It must not exist, or it must be empty.
        inputs, outputs: Mappings from names to tensors of the graph.
        legacy_init_op: Operation that runs when the SavedModel is loaded.

    Raises:
        AssertionError: If the folder contains files.
        ValueError: If there are no inputs or no outputs.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        ...     tf.compat.v1.saved_model.simple_save(sess, "squares", {"x": x}, {"y": x * x})
        >>> print(tf.models.load("squares")([3.0]).numpy())
        [9.]

    See also: `tf.compat.v1.saved_model.Builder`, `tf.compat.v1.saved_model.load`.
    """
    with session.graph.as_default():
        signature = predict_signature_def(inputs, outputs)
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        [SERVING],
        {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        assets_collection=get_default_graph().get_collection("asset_filepaths"),
        main_op=legacy_init_op,
    )
    builder.save()


class MethodNameUpdater:
    """An editor of the names of methods in the signatures of a SavedModel.

    Args:
        export_dir: Folder of the SavedModel.

    Raises:
        OSError: If there is no SavedModel.

    Example:
        >>> import tfpy as tf
        >>> one = tf.compat.v1
        >>> with tf.Graph().as_default(), one.Session() as sess:
        ...     x = one.placeholder(tf.float32, [None], name="x")
        ...     one.saved_model.simple_save(sess, "cubes", {"x": x}, {"y": x * x * x})
        >>> updater = one.saved_model.signature_def_utils.MethodNameUpdater("cubes")
        >>> updater.replace_method_name("serving_default", "regress")
        >>> updater.save()

    See also: `tf.compat.v1.saved_model.signature_def_utils.build_signature_def`.
    """

    def __init__(self, export_dir: PathLike) -> None:
        self._folder = path_text(export_dir)
        self._message, _ = parsed(self._folder)

    def replace_method_name(
        self, signature_key: str, method_name: str, tags: str | Sequence[str] | None = None
    ) -> None:
        """Change the name of the method of a signature.

        Args:
            signature_key: Name of the signature.
            method_name: The new name of the method.
            tags: Tags of the graph. Default: all graphs.

        Raises:
            ValueError: If a name is empty, or no graph has the tags and the signature.
        """
        for what, text in (("signature_key", signature_key), ("method_name", method_name)):
            if not text:
                raise ValueError(f"`{what}` must be defined.")
        wanted = {tags} if isinstance(tags, str) else None if tags is None else {*tags}
        graphs = [
            graph
            for graph in self._message.meta_graphs
            if wanted is None or wanted == {*graph.meta_info_def.tags}
        ]
        if not graphs:
            raise ValueError(f"MetaGraphDef associated with tags {tags} could not be found.")
        for graph in graphs:
            if signature_key not in graph.signature_def:
                raise ValueError(
                    f"MetaGraphDef associated with tags {tags} does not have a signature_def with "
                    f"key: '{signature_key}'. This means either you specified the wrong signature "
                    "key or forgot to put the signature_def with the corresponding key in your "
                    "SavedModel."
                )
            graph.signature_def[signature_key].method_name = method_name

    def save(self, new_export_dir: PathLike | None = None) -> None:
        """Write the file `saved_model.pb`.

        Args:
            new_export_dir: Folder to write to. Default: the folder of the SavedModel.
        """
        folder = self._folder if new_export_dir is None else path_text(new_export_dir)
        write_message(self._message, os.path.join(folder, SAVED_MODEL_FILENAME_PB))
