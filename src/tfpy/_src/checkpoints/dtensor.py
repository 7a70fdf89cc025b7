"""Checkpoints of tensors on meshes, by names that the program assigns."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence

from tfpy._src.base import tracing
from tfpy._src.base.errors import InvalidArgumentError, NotFoundError
from tfpy._src.checkpoints.assigning import assign
from tfpy._src.checkpoints.checkpoint import Checkpoint
from tfpy._src.checkpoints.objects import TrackedValue, number_of
from tfpy._src.checkpoints.reader import CheckpointReader
from tfpy._src.checkpoints.writing import write
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import PathLike, TensorLike
from tfpy._src.distribute.dtensor import api, meshes
from tfpy._src.distribute.dtensor.mesh import Mesh
from tfpy._src.distribute.dtensor.variable import DVariable
from tfpy._src.library.io.gfile import path_text


def name_based_save(
    mesh: Mesh, checkpoint_prefix: PathLike, name_tensor_dict: Mapping[str, TensorLike]
) -> None:
    """Save tensors and Variables on a mesh under given names.

    All processes that share the mesh must call this function.

    Args:
        mesh: The mesh of the tensors.
        checkpoint_prefix: Path of the checkpoint, without a file name extension.
        name_tensor_dict: Dictionary from names in the checkpoint to tensors and Variables.

    Raises:
        ValueError: If the function is called in a `tf.function`.
        tf.errors.OpError: If the files cannot be written.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("model", 1)], devices=["CPU:0"])
        >>> x = dtensor.copy_to_mesh([1.0, 2.0], dtensor.Layout(["model"], mesh))
        >>> dtensor.name_based_save(mesh, "names", {"x": x})
        >>> print(tf.train.load_checkpoint("names").get_tensor("x"))
        [1. 2.]

    See also: `tf.experimental.dtensor.name_based_restore`, `tf.experimental.dtensor.sharded_save`.
    """
    _check_eager("name based save")
    names = list(name_tensor_dict)
    sharded_save(mesh, checkpoint_prefix, names, [""] * len(names), list(name_tensor_dict.values()))


def sharded_save(
    mesh: Mesh,
    file_prefix: PathLike,
    tensor_names: Sequence[str],
    shape_and_slices: Sequence[str],
    tensors: Sequence[TensorLike],
) -> None:
    """Save tensors and Variables on a mesh under the names in a list.

    All processes that share the mesh must call this function.

    Args:
        mesh: The mesh of the tensors.
        file_prefix: Path of the checkpoint, without a file name extension.
        tensor_names: Name of each tensor in the checkpoint.
        shape_and_slices: List with an empty string for each tensor, because only whole tensors can
            be saved.
        tensors: List of the tensors and Variables.

    Raises:
        tf.errors.InvalidArgumentError: If an entry of `shape_and_slices` is not empty.
        tf.errors.OpError: If the files cannot be written.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("model", 1)], devices=["CPU:0"])
        >>> x = dtensor.copy_to_mesh([1.0, 2.0], dtensor.Layout(["model"], mesh))
        >>> dtensor.sharded_save(mesh, "names", ["x"], [""], [x])
        >>> print(tf.train.load_checkpoint("names").get_tensor("x"))
        [1. 2.]

    See also: `tf.experimental.dtensor.name_based_save`.
    """
    if any(shape_and_slices):
        raise InvalidArgumentError(
            None,
            "sharded_save",
            f"sharded_save: each entry of shape_and_slices must be '', got {shape_and_slices}.",
        )
    values = []
    for name, tensor in zip(tensor_names, tensors, strict=True):
        found = convert_to_tensor(tensor)
        values.append(TrackedValue(name, number_of(found.dtype), found))
    write(path_text(file_prefix), values)
    meshes.barrier(mesh)


def name_based_restore(
    mesh: Mesh, checkpoint_prefix: PathLike, name_tensor_dict: Mapping[str, TensorLike]
) -> OrderedDict[str, Tensor]:
    """Restore tensors that `name_based_save` wrote, on the same or a different mesh.

    Args:
        mesh: The mesh of the tensors.
        checkpoint_prefix: Path of the checkpoint, without a file name extension.
        name_tensor_dict: Dictionary from names in the checkpoint to tensors or Variables on a mesh,
            which determine the shape, dtype and layout of each result.

    Returns:
        An `OrderedDict` from names to the restored tensors.

    Raises:
        ValueError: If a tensor is not on a mesh or has a different shape in the checkpoint, or if
            the function is called in a `tf.function`.
        tf.errors.NotFoundError: If the checkpoint has no value with one of the names.
        tf.errors.InvalidArgumentError: If a tensor has a different dtype in the checkpoint.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("model", 1)], devices=["CPU:0"])
        >>> x = dtensor.copy_to_mesh([1.0, 2.0], dtensor.Layout(["model"], mesh))
        >>> dtensor.name_based_save(mesh, "names", {"x": x})
        >>> back = dtensor.name_based_restore(mesh, "names", {"x": x * 0.0})
        >>> print(back["x"].numpy())
        [1. 2.]

    See also: `tf.experimental.dtensor.name_based_save`.
    """
    _check_eager("name based restore")
    reader = CheckpointReader(checkpoint_prefix)
    found = OrderedDict()
    for name, like in name_tensor_dict.items():
        if not api.is_dtensor(like):
            raise ValueError(
                f"Saving/Restoring tensor must be a DTensor: {name} is not on a mesh. Use "
                "dtensor.copy_to_mesh first."
            )
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
    """The former class for checkpoints of Variables on meshes.

    Use `tf.train.Checkpoint` in new code, which supports such Variables as well.

    Args:
        mesh: The mesh of the Variables.
        root: Object such as a model. Its attributes are saved and restored. Default: only the
            keyword arguments are.
        **kwargs: Objects to save and restore. Each becomes an attribute of the checkpoint, with the
            name of the keyword argument.

    Example:
        >>> import tfpy as tf
        >>> from tfpy.experimental import dtensor
        >>> mesh = dtensor.create_mesh([("model", 1)], devices=["CPU:0"])
        >>> v = dtensor.DVariable([1.0, 2.0], layout=dtensor.Layout(["model"], mesh))
        >>> path = dtensor.DTensorCheckpoint(mesh, v=v).save("model")
        >>> v.assign([0.0, 0.0], read_value=False)
        >>> status = dtensor.DTensorCheckpoint(mesh, v=v).restore(path)
        >>> print(v.numpy())
        [1. 2.]

    See also: `tf.train.Checkpoint`.
    """

    def __init__(self, mesh: Mesh, root: object = None, **kwargs: object) -> None:
        super().__init__(root, **kwargs)
        self._mesh = mesh
