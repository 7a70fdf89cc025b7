"""Tensors on meshes in files of ``tf.train.Checkpoint``, by names that the program gives."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.errors import InvalidArgumentError, NotFoundError
from tfpy._src.checkpoints.assigning import assign
from tfpy._src.checkpoints.checkpoint import Checkpoint
from tfpy._src.checkpoints.objects import TrackedValue, number_of
from tfpy._src.checkpoints.reader import CheckpointReader
from tfpy._src.checkpoints.writing import write
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.distribute.dtensor import api, meshes
from tfpy._src.distribute.dtensor.mesh import Mesh
from tfpy._src.distribute.dtensor.variable import DVariable
from tfpy._src.library.io.gfile import Path, path_text


def name_based_save(
    mesh: Mesh, checkpoint_prefix: Path, name_tensor_dict: Mapping[str, Any]
) -> None:
    """Writes tensors and Variables to files whose names begin as said. All clients call it.

    Args:
        mesh: on which they lie.
        name_tensor_dict: them, by their names in the files.

    Raises:
        ValueError: within a ``tf.function``.
        tf.errors.OpError: when the files cannot be written.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("model", 1)], devices=["CPU:0"])
        >>> x = dtensor.copy_to_mesh([1.0, 2.0], dtensor.Layout(["model"], mesh))
        >>> dtensor.name_based_save(mesh, "names", {"x": x})
        >>> print(tf.train.load_checkpoint("names").get_tensor("x"))
        [1. 2.]
    """
    _check_eager("name based save")
    names = list(name_tensor_dict)
    sharded_save(mesh, checkpoint_prefix, names, [""] * len(names), list(name_tensor_dict.values()))


def sharded_save(
    mesh: Mesh,
    file_prefix: Path,
    tensor_names: Sequence[str],
    shape_and_slices: Sequence[str],
    tensors: Sequence[Any],
) -> None:
    """:func:`name_based_save` of names and tensors in two lists.

    Args:
        shape_and_slices: "" for each: tensors are written whole.

    Raises:
        InvalidArgumentError: for parts of tensors.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("model", 1)], devices=["CPU:0"])
        >>> x = dtensor.copy_to_mesh([1.0, 2.0], dtensor.Layout(["model"], mesh))
        >>> dtensor.sharded_save(mesh, "names", ["x"], [""], [x])
        >>> print(tf.train.load_checkpoint("names").get_tensor("x"))
        [1. 2.]
    """
    if any(shape_and_slices):
        raise InvalidArgumentError(
            None, "sharded_save", f"shape_and_slices must be '' for each, got {shape_and_slices}"
        )
    values = []
    for name, tensor in zip(tensor_names, tensors, strict=True):
        found = convert_to_tensor(tensor)
        values.append(TrackedValue(name, number_of(found.dtype), found))
    write(path_text(file_prefix), values)
    meshes.barrier(mesh)


def name_based_restore(
    mesh: Mesh, checkpoint_prefix: Path, name_tensor_dict: Mapping[str, Any]
) -> OrderedDict[str, Tensor]:
    """The tensors that :func:`name_based_save` has written, on another mesh or the same.

    Args:
        mesh: of the tensors.
        name_tensor_dict: by their names tensors or Variables of the same shapes and dtypes, whose
            layouts the results get.

    Raises:
        ValueError: for a tensor that is on no mesh or of another shape, and within a
            ``tf.function``.
        NotFoundError: for names that the files have not.

    Example:
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("model", 1)], devices=["CPU:0"])
        >>> x = dtensor.copy_to_mesh([1.0, 2.0], dtensor.Layout(["model"], mesh))
        >>> dtensor.name_based_save(mesh, "names", {"x": x})
        >>> back = dtensor.name_based_restore(mesh, "names", {"x": x * 0.0})
        >>> print(back["x"].numpy())
        [1. 2.]
    """
    _check_eager("name based restore")
    reader = CheckpointReader(checkpoint_prefix)
    found = OrderedDict()
    for name, like in name_tensor_dict.items():
        if not api.is_dtensor(like):
            raise ValueError(f"Saving/Restoring tensor must be a DTensor: {name} is on no mesh")
        if not reader.has_tensor(name):
            text = f"Key {name} not found in checkpoint {path_text(checkpoint_prefix)}"
            raise NotFoundError(None, None, text)
        variable = DVariable(convert_to_tensor(like), layout=api.fetch_layout(like), name=name)
        assign(variable, reader, name)
        found[name] = variable.value()
    return found


def _check_eager(what: str) -> None:
    if tracing.local.active:
        raise ValueError(f"{what} must run eagerly.")


class DTensorCheckpoint(Checkpoint):
    """``tf.train.Checkpoint``, which takes what is on meshes, too, under its older name.

    Args:
        mesh: on which the values lie.
        root, kwargs: as of ``tf.train.Checkpoint``.

    Example:
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("model", 1)], devices=["CPU:0"])
        >>> v = dtensor.DVariable([1.0, 2.0], layout=dtensor.Layout(["model"], mesh))
        >>> path = dtensor.DTensorCheckpoint(mesh, v=v).save("model")
        >>> v.assign([0.0, 0.0], read_value=False)
        >>> status = dtensor.DTensorCheckpoint(mesh, v=v).restore(path)
        >>> print(v.numpy())
        [1. 2.]
    """

    def __init__(self, mesh: Mesh, root: Any = None, **kwargs: Any) -> None:
        super().__init__(root, **kwargs)
        self._mesh = mesh
