"""Implementation of `tf.experimental.dtensor.DTensorDataset`, which yields batches on a mesh."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.typing import Nest
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.distribute.dtensor import api
from tfpy._src.distribute.dtensor.layout import Layout
from tfpy._src.distribute.dtensor.mesh import Mesh
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.array.reshaping import reshape


class DTensorDataset:
    """An iterable of batches that are sharded over a mesh.

    Args:
        dataset: Dataset of single elements or, if `dataset_already_batched` is True, of batches.
        mesh: Mesh over which the batches are sharded.
        layouts: The `tf.experimental.dtensor.Layout` of a batch, or of each of its components in
            the structure of an element.
        global_batch_size: Number of elements in a batch, on all devices together.
        dataset_already_batched: If True, the elements of `dataset` are batches. Each must have
            `global_batch_size` elements divided by the size of the mesh dimension `batch_dim`.
        batch_dim: Name of the mesh dimension along which batches are sharded. Default: they are not
            sharded.
        prefetch: Has no effect.
        tf_data_service_config: Must be None, because tfpy has no data service.

    Raises:
        ValueError: If `layouts` does not match the elements, if a shape is not fully defined, if
            `global_batch_size` is not divisible by the size of `batch_dim`, or if the first
            dimension of a layout is not `batch_dim`.
        NotImplementedError: If `tf_data_service_config` is given.

    Example:
        >>> import tfpy as tf
        >>> dtensor = tf.experimental.dtensor
        >>> mesh = dtensor.create_mesh([("batch", 1)], devices=["CPU:0"])
        >>> data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0])
        >>> rows = dtensor.Layout.batch_sharded(mesh, "batch", rank=1)
        >>> batches = dtensor.DTensorDataset(
        ...     data, mesh=mesh, layouts=rows, global_batch_size=2, batch_dim="batch"
        ... )
        >>> [dtensor.unpack(x)[0].numpy().tolist() for x in batches]
        [[1.0, 2.0], [3.0, 4.0]]

    See also: `tf.experimental.dtensor.pack`, `tf.data.Dataset`.
    """

    def __init__(
        self,
        dataset: DatasetV2,
        *,
        mesh: Mesh,
        layouts: Nest,
        global_batch_size: int,
        dataset_already_batched: bool = False,
        batch_dim: str | None = None,
        prefetch: int | None = None,
        tf_data_service_config: object = None,
    ) -> None:
        if tf_data_service_config is not None:
            raise NotImplementedError("Multi-client DTensorDataset is currently not supported.")
        nest.assert_same_structure(dataset.element_spec, layouts)
        specs = nest.flatten(dataset.element_spec)
        self._layouts = layouts
        replicas = 1 if batch_dim is None else mesh.dim_size(batch_dim)
        for layout, spec in zip(nest.flatten(layouts), specs, strict=True):
            _check(layout, spec, batch_dim, dataset_already_batched)
        if global_batch_size % replicas:
            raise ValueError(
                f"global_batch_size {global_batch_size} is not divisible by the {replicas} parts "
                f"of the mesh dimension {batch_dim!r}."
            )
        self._is_batched = dataset_already_batched
        if dataset_already_batched:
            size, wanted = specs[0].shape[0], global_batch_size // replicas
            if size != wanted:
                raise ValueError(
                    "per_replica_batch_size does not matched expected size based on the mesh, got "
                    f"{size} but expected {wanted}."
                )
        count = replicas if dataset_already_batched else global_batch_size
        self._batches = dataset.batch(count, drop_remainder=True)
        if prefetch is not None:
            self._batches = self._batches.prefetch(prefetch)
        self.element_spec = nest.map_structure(
            lambda spec: TensorSpec(
                [global_batch_size, *spec.shape[1 if dataset_already_batched else 0 :]], spec.dtype
            ),
            dataset.element_spec,
        )
        """The type of the batches, as a `tf.TensorSpec` or nest of these."""

    def __iter__(self) -> Iterator[Any]:
        for batch in self._batches:
            yield nest.map_structure(self._placed, batch, self._layouts)

    def _placed(self, value: Any, layout: Layout) -> Any:
        if self._is_batched:  # a batch of batches
            replicas, size, *rest = value.shape
            value = reshape(value, [replicas * size, *rest])
        return api.relayout(value, layout)


def _check(layout: Layout, spec: Any, batch_dim: str | None, is_batched: bool) -> None:
    if not spec.shape.is_fully_defined():
        raise ValueError(f"Dataset element shape must have a fully defined shape, got {spec}")
    rank = spec.shape.rank + (0 if is_batched else 1)
    if layout.rank != rank:
        raise ValueError(f"Expected a layout with rank {rank} for {spec}, got {layout}")
    if batch_dim is not None and layout.sharding_specs[0] != batch_dim:
        raise ValueError(
            f"batch_dim {batch_dim} was specified but at least one layout did not contain it: "
            f"{layout}"
        )
