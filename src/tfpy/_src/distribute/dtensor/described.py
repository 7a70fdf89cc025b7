"""Tensors on a mesh in programs: how they are printed, and the layouts of what they compute.

On a backend with one device, a tensor stores its layout as an attribute. Importing this module
teaches tensors to print it.
"""

from __future__ import annotations

from typing import Any

from tfpy._src.compiler.ir.op import Op
from tfpy._src.core.array_text import summary
from tfpy._src.core.eager import Applied, observers
from tfpy._src.core.tensor import Tensor
from tfpy._src.distribute.dtensor.layout import UNSHARDED, Layout

LAYOUT = "layout"
"""Name of the attribute that stores a tensor's layout on a mesh of one device."""
PLACE = "place"
"""Name of the attribute that stores the device of a part of a tensor."""
DEVICE = "/job:localhost/replica:0/task:0/device:CUSTOM:0"
_SHOWN = 3  # items at both ends of each axis
_plain: Any = (Tensor.__str__, Tensor.__repr__, vars(Tensor)["device"])


def _values(tensor: Tensor, layout: Layout) -> str:
    """Return the values as text: once if all devices have them, and otherwise for each device."""
    array = tensor.host_view()
    if layout.is_fully_replicated():
        return summary(array, _SHOWN, 1)
    sizes = layout.local_shape_from_global_shape(tensor.aval.closed.shape)
    parts = []
    for device, offsets in zip(layout.mesh.local_devices(), layout.offset_to_shard(), strict=False):
        place = tuple(slice(at * n, at * n + n) for at, n in zip(offsets, sizes, strict=True))
        name = device.rpartition("device:")[2]
        parts.append(f'"{name}": {summary(array[place], _SHOWN, 1)}')
    return "{" + ", ".join(parts) + "}"


def _str(self: Tensor) -> str:
    layout = vars(self).get(LAYOUT)
    if layout is None or layout.mesh.size == 1:
        return str(_plain[0](self))
    shown = f'{_values(self, layout)}, layout="{layout.to_string()}"'
    return f"tf.Tensor({shown}, shape={self.shape}, dtype={self.dtype.name})"


def _repr(self: Tensor) -> str:
    layout = vars(self).get(LAYOUT)
    if layout is None or layout.mesh.size == 1 or self.unseen(self.aval.size):
        return str(_plain[1](self))
    shown = f'value={_values(self, layout)}, layout="{layout.to_string()}"'
    return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, {shown}>"


def _device(self: Tensor) -> str:
    known = vars(self)
    if PLACE in known:
        return str(known[PLACE])
    layout = known.get(LAYOUT)
    return str(_plain[2].fget(self)) if layout is None or layout.mesh.size == 1 else DEVICE


def describe_tensors() -> None:
    """Let tensors print their layouts, and let results of ops have layouts. Repeating is safe."""
    if _propagate not in observers:
        observers.append(_propagate)
    device = property(_device, doc=_plain[2].__doc__)
    for name, member in (("__str__", _str), ("__repr__", _repr), ("device", device)):
        setattr(Tensor, name, member)


def _propagate(applied: Applied) -> None:
    """Assign a layout to the result of an op on tensors of one mesh."""
    layouts = [vars(x).get(LAYOUT) for x in applied.inputs]
    known = [layout for layout in layouts if layout is not None]
    if not known or any(layout.mesh != known[0].mesh for layout in known):
        return
    mesh = known[0].mesh
    rank = applied.output.aval.rank
    specs = _result_specs(applied.op, applied, layouts) or [UNSHARDED] * rank
    found = Layout(_distinct(specs), mesh)
    sizes = zip(applied.output.aval.closed.shape, range(rank), strict=True)
    if any(n % found.num_shards(axis) for n, axis in sizes):
        found = Layout.replicated(mesh, rank)
    vars(applied.output)[LAYOUT] = found


def _result_specs(op: Op, applied: Applied, layouts: list[Layout | None]) -> list[str] | None:
    """Return the sharding of each axis of a result, or None if it is replicated."""
    (eqn,) = applied.graph.eqns
    attrs: dict[str, Any] = dict(eqn.attrs)
    specs = [None if layout is None else list(layout.sharding_specs) for layout in layouts]
    first = specs[0]
    if op.name == "matmul":
        return _product(specs, attrs)
    if op.name == "transpose":
        return None if first is None else [first[axis] for axis in attrs["perm"]]
    if op.family == "reduction" and "axes" in attrs:
        begin, end = attrs["axes"]
        return None if first is None else first[:begin] + first[end:]
    return _broadcast(applied, specs)


def _product(specs: list[list[str] | None], attrs: dict[str, Any]) -> list[str] | None:
    a, b = specs
    if a is None or b is None or len(a) != len(b):
        return None
    rows, columns = -1 if attrs["transpose_a"] else -2, -2 if attrs["transpose_b"] else -1
    sides = [a[rows], b[columns]]
    return [*a[:-2], *([UNSHARDED] * 2 if sides[0] == sides[1] else sides)]


def _broadcast(applied: Applied, specs: list[list[str] | None]) -> list[str] | None:
    """Return the sharding of the axes that the operands share with a result."""
    shape = applied.output.aval.closed.shape
    found = [UNSHARDED] * len(shape)
    for x, own in zip(applied.inputs, specs, strict=True):
        sizes = x.aval.closed.shape
        if own is None or len(sizes) > len(shape):
            continue
        if applied.op.family != "elementwise" and sizes != shape:
            continue
        for axis in range(1, len(sizes) + 1):
            if sizes[-axis] == shape[-axis] and found[-axis] == UNSHARDED:
                found[-axis] = own[-axis]
    return found


def _distinct(specs: list[str]) -> list[str]:
    """Return a sharding that uses each dimension of the mesh once."""
    used: set[str] = set()
    found = []
    for spec in specs:
        found.append(UNSHARDED if spec in used else spec)
        used |= {spec} - {UNSHARDED}
    return found
