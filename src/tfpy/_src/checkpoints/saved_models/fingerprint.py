"""`tf.saved_model.experimental.read_fingerprint`: hashes of the parts of a SavedModel."""

from __future__ import annotations

import os

from tfpy._src.base.errors import NotFoundError
from tfpy._src.core.byte_strings import as_bytes
from tfpy._src.core.typing import PathLike
from tfpy._src.formats.encodings.protobuf import INT, UINT, Message, read
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.file_objects import GFile
from tfpy._src.library.io.gfile import path_text

_NAMES = (
    *("saved_model_checksum", "graph_def_program_hash", "signature_def_hash"),
    *("saved_object_graph_hash", "checkpoint_hash"),
)
_VERSIONS = Message("VersionDef", {1: ("producer", INT)})
_MESSAGE = Message(
    "FingerprintDef",
    {i: (name, UINT) for i, name in enumerate(_NAMES, 1)} | {6: ("version", _VERSIONS)},
)


class Fingerprint:
    """Hashes of the parts of a SavedModel, which tell SavedModels apart.

    Args:
        saved_model_checksum: Checksum of the file with the graph.
        graph_def_program_hash: Hash of the graph.
        signature_def_hash: Hash of the signatures.
        saved_object_graph_hash: Hash of the objects.
        checkpoint_hash: Hash of the index of the checkpoint.
        version: Version of the hashes.

    Example:
        >>> import tfpy as tf
        >>> one = tf.saved_model.experimental.Fingerprint(1, 2, 3, 4, 5)
        >>> one.singleprint()
        '2/3/4/5'

    See also: `tf.saved_model.experimental.read_fingerprint`.
    """

    def __init__(
        self,
        saved_model_checksum: int | None = None,
        graph_def_program_hash: int | None = None,
        signature_def_hash: int | None = None,
        saved_object_graph_hash: int | None = None,
        checkpoint_hash: int | None = None,
        version: int | None = None,
    ) -> None:
        self.saved_model_checksum = saved_model_checksum
        self.graph_def_program_hash = graph_def_program_hash
        self.signature_def_hash = signature_def_hash
        self.saved_object_graph_hash = saved_object_graph_hash
        self.checkpoint_hash = checkpoint_hash
        self.version = version

    def _hashes(self) -> list[int | None]:
        return [getattr(self, name) for name in _NAMES]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and self._hashes()[1:] == other._hashes()[1:]

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        lines = (f"  {name}: {value}" for name, value in zip(_NAMES, self._hashes(), strict=True))
        return "\n".join(["SavedModel Fingerprint", *lines])

    def __repr__(self) -> str:
        return f"Fingerprint({', '.join(map(str, self._hashes()))})"

    def singleprint(self) -> str:
        """Return the hashes of the graph, signatures, objects and checkpoint as one string.

        Returns:
            The four numbers with `/` between them.

        Raises:
            ValueError: If one of them is None.
        """
        hashes = self._hashes()[1:]
        if None in hashes:
            raise ValueError(
                f"Encounted invalid fingerprint values when constructing singleprint: {hashes}"
            )
        return "/".join(map(str, hashes))


def read_fingerprint(export_dir: PathLike) -> Fingerprint:
    """Read the fingerprint of a SavedModel that TensorFlow wrote.

    SavedModels of tfpy have no fingerprints.

    Args:
        export_dir: Folder of the SavedModel.

    Returns:
        A `tf.saved_model.experimental.Fingerprint`.

    Raises:
        FileNotFoundError: If the folder has no file `fingerprint.pb`.
        RuntimeError: If the file is corrupt.

    Example:
        >>> import tfpy as tf
        >>> tf.io.write_file("model/fingerprint.pb", bytes([8, 7, 16, 5]))
        >>> tf.saved_model.experimental.read_fingerprint("model").graph_def_program_hash
        5

    See also: `tf.saved_model.load`.
    """
    path = os.path.join(path_text(export_dir), "fingerprint.pb")
    try:
        with GFile(path, "rb") as file:
            data = as_bytes(file.read())
    except (OSError, NotFoundError):
        raise FileNotFoundError(
            f"SavedModel Fingerprint Error: Could not find fingerprint in directory: {export_dir!s}"
        ) from None
    try:
        found = read(data, _MESSAGE)
    except ModelFileError as error:
        raise RuntimeError(
            f"SavedModel Fingerprint Error: Could not read {path}: {error}"
        ) from None
    version = found.pop("version", {}).get("producer")
    return Fingerprint(**dict.fromkeys(_NAMES, 0) | found, version=version)
