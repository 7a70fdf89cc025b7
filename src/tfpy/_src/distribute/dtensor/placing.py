"""The layouts of tensors, and the transfer of tensors to other layouts."""

from __future__ import annotations

import numpy as np

from tfpy._src.backends import devices
from tfpy._src.backends.backend import Backend
from tfpy._src.backends.interface import Sharder
from tfpy._src.backends.interrupts import held
from tfpy._src.backends.registry import active_backend
from tfpy._src.backends.storage import Storage
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.base.missing_packages import several_devices
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.tensor import Tensor, from_array
from tfpy._src.distribute.dtensor.described import LAYOUT, PLACE, describe_tensors
from tfpy._src.distribute.dtensor.layout import MATCH, UNSHARDED, Layout
from tfpy._src.distribute.dtensor.mesh import Mesh

_meshes: list[Mesh] = []
"""The last used mesh of one device: on a backend with one device, every tensor is on it."""


def use(mesh: Mesh) -> None:
    """Check that the active backend has the devices of a mesh.

    Raises:
        UnimplementedError: If the mesh has several devices and the active backend has one.
    """
    backend = active_backend()
    if devices.sharder_of(backend) is not None:
        return
    if mesh.size > len(devices.devices_of(backend).devices()):
        raise UnimplementedError(
            None,
            None,
            f"The mesh has {mesh.size} devices, but the {backend.name} backend computes on one. "
            + several_devices(),
        )
    _meshes[:] = [mesh]
    if mesh.size > 1:
        describe_tensors()


def sharder_of(backend: Backend, aval: Aval) -> Sharder | None:
    """Return the sharder for tensors of a dtype; None if they stay on one device or on the host."""
    return devices.sharder_of(backend) if aval.dtype in backend.dtypes else None


def layout_of(tensor: Tensor) -> Layout | None:
    """Return a tensor's layout, or None if it is on no mesh.

    On a backend with one device, every tensor is on the last used mesh.
    """
    found = own_layout(tensor)
    if found is not None or not _meshes or devices.sharder_of(active_backend()) is not None:
        return found
    return Layout.replicated(_meshes[0], tensor.aval.rank)


def own_layout(tensor: Tensor) -> Layout | None:
    """Return the layout that a tensor was assigned, or that the compiler chose."""
    noted: Layout | None = vars(tensor).get(LAYOUT)
    backend, storage = active_backend(), tensor.storage
    if noted is not None or storage.backend is not backend:
        return noted
    sharder = devices.sharder_of(backend)
    if sharder is None:
        return None
    sharding = sharder.sharding(storage.slot, tensor.aval)
    return None if sharding is None else Layout.of(sharding)


def laid_out(tensor: Tensor, layout: Layout) -> Tensor:
    """Return a tensor of the same elements in a layout, sharing the storage if it already matches.

    Raises:
        InvalidArgumentError: If the layout does not match the shape, or a device does not exist.
        UnimplementedError: If the mesh has several devices and the active backend has one.
    """
    use(layout.mesh)
    layout = matched(layout, own_layout(tensor))
    layout.check("relayout", tensor.aval)
    backend, aval = active_backend(), tensor.aval
    sharder = sharder_of(backend, aval)
    if sharder is None:
        found = tensor.alias()
        vars(found)[LAYOUT] = layout
        return found
    sharding, storage = layout.sharding, tensor.storage
    is_there = storage.backend is backend
    if is_there and sharder.is_sharded(storage.slot, aval, sharding):
        return tensor.alias()
    if backend.collect_due:
        backend.collect()
    with held:
        if is_there:
            slot = sharder.place(storage.slot, aval, sharding)
        else:  # upload only its own part to each device
            slot = sharder.upload(tensor.host_view(), sharding)
        return Tensor(aval, Storage(aval, None, backend, slot))


def matched(layout: Layout, present: Layout | None) -> Layout:
    """Replace `MATCH` in a layout by the tensor's present sharding."""
    if MATCH not in layout.sharding_specs:
        return layout
    if present is None or present.mesh != layout.mesh:
        own = [UNSHARDED] * layout.rank
    else:
        own = present.sharding_specs
    pairs = zip(layout.sharding_specs, own, strict=False)
    return Layout([mine if spec == MATCH else spec for spec, mine in pairs], layout.mesh)


def parts_of(tensor: Tensor, layout: Layout) -> list[Tensor]:
    """Return the part of a tensor on each device of this process."""
    backend, aval = active_backend(), tensor.aval
    sharder = sharder_of(backend, aval)
    if sharder is None:
        if _is_cut(layout):
            whole = tensor.host_view()
            found = [from_array(whole[place]) for place in _places(layout, aval)]
        else:
            found = [tensor.alias() for _ in range(layout.mesh.num_local_devices())]
        places = layout.mesh.local_devices()
        return [_on(part, place) for part, place in zip(found, places, strict=True)]
    return [*map(from_array, sharder.parts(tensor.slot_on(backend), aval, layout.sharding))]


def _on(part: Tensor, device: str) -> Tensor:
    """Note the device of a part of a tensor."""
    vars(part)[PLACE] = device
    return part


def joined(parts: list[Tensor], aval: Aval, layout: Layout) -> Tensor:
    """Create a tensor from the parts of this process's devices."""
    use(layout.mesh)
    backend = active_backend()
    sharder = sharder_of(backend, aval)
    if sharder is None:
        if not _is_cut(layout):
            return laid_out(parts[0], layout)
        whole = np.empty(aval.shape, aval.dtype.as_numpy_dtype)
        for place, part in zip(_places(layout, aval), parts, strict=True):
            whole[place] = part.host_view()
        return laid_out(from_array(whole), layout)
    with held:
        slot = sharder.join([part.host_view() for part in parts], aval, layout.sharding)
        return Tensor(aval, Storage(aval, None, backend, slot))


def _is_cut(layout: Layout) -> bool:
    return any(layout.num_shards(i) > 1 for i in range(layout.rank))


def _places(layout: Layout, aval: Aval) -> list[tuple[slice, ...]]:
    """Return the slices of a tensor on the host that correspond to the devices.

    Raises:
        UnimplementedError: If other processes have some of the devices.
    """
    if layout.mesh.num_local_devices() < layout.mesh.size:
        raise UnimplementedError(
            None,
            None,
            f"A {aval.dtype.name} tensor stays on the host of its process, so the parts of other "
            f"processes are not available: {layout}",
        )
    sizes = layout.local_shape_from_global_shape(aval.closed.shape)
    return [
        tuple(slice(at * n, at * n + n) for at, n in zip(offsets, sizes, strict=True))
        for offsets in layout.offset_to_shard()
    ]
