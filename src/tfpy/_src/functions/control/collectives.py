"""The ops of replicas: a step that several devices compute, and the exchange of tensors.

The body of a `replicated` equation runs on each device, on its share of the inputs. The other ops
occur in such bodies. Only the jax backend computes them, as one program for all devices. For other
backends, `lockstep` replaces them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from tfpy._src.base.dtypes import int32
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph, bodies
from tfpy._src.compiler.ir.op import OPS, UNSUPPORTED, register
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.derivative import derivative, zero
from tfpy._src.functions.executor.control_op import ControlOp, carries_gradient, scattered
from tfpy._src.tensors.math.reductions import reduce_sum


def _replicated_infer(
    *avals: Aval,
    body: Graph,
    devices: tuple[str, ...],
    spread: tuple[bool, ...],
    stacked: tuple[bool, ...],
) -> tuple[Aval, ...]:
    made = [body.avals[v] for v in body.outputs]
    count = len(devices)
    return tuple(
        Aval((count, *aval.shape), aval.dtype) if of_each else aval
        for aval, of_each in zip(made, stacked, strict=True)
    )


def host_ops(graph: Graph) -> list[str]:
    """Return the names of a Graph's ops that the jax backend cannot compute on devices."""
    found = [eqn.op.name for eqn in graph.eqns if eqn.op.name in UNSUPPORTED.get("jax", {})]
    parts = [part for eqn in graph.eqns for _, part in bodies(eqn.attrs)]
    return list(dict.fromkeys([*found, *(name for part in parts for name in host_ops(part))]))


def _cannot(*tensors: Tensor, body: Graph, **attrs: Any) -> NoReturn:
    what = ", ".join(host_ops(body)) or "a loop with lists of a length that depends on values"
    raise UnimplementedError(
        None,
        "replicated",
        f"strategy.run: the host would have to compute {what}, but all devices compute the "
        "function as one program. Compute it outside of the function, or in the dataset",
    )


def _gradient(
    flowing: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    body: Graph,
    devices: tuple[str, ...],
    spread: tuple[bool, ...],
    stacked: tuple[bool, ...],
) -> Sequence[Tensor | None]:
    """Differentiate the body. Gradients of inputs that all replicas share are summed."""
    flows = [i for i, g in enumerate(flowing) if g is not None and stacked[i]]
    wanted = [i for i, x in enumerate(inputs) if carries_gradient(x)]
    seeds = [g for i, g in enumerate(flowing) if g is not None and i in flows]
    op = OPS["replicated"]
    assert isinstance(op, ControlOp)
    found = op.apply(
        [*inputs, *seeds],
        body=derivative(body, flows, wanted),
        devices=devices,
        spread=(*spread, *[True] * len(seeds)),
        stacked=(True,) * len(wanted),
    )
    each = [g if spread[i] else reduce_sum(g, 0) for i, g in zip(wanted, found, strict=True)]
    return scattered(len(inputs), wanted, each)


def _alone(*_: Any, **__: Any) -> NoReturn:
    raise UnimplementedError(
        None, "replicated", "only the jax backend computes replicas on several devices"
    )


register(
    ControlOp(
        "replicated",
        "control",
        _replicated_infer,
        _alone,
        multiple=True,
        execute=_cannot,
        gradient=_gradient,
        doc="""replicated(*inputs, body, devices, spread, stacked): `body` on each device.

    Each device receives its row of the inputs that are `spread`, and the whole of the others. It
    produces a row of the outputs that are `stacked`; the others are equal on all devices.
    """,
    )
)


def _collective(
    name: str,
    infer: Callable[..., Aval],
    gradient: Callable[..., Tensor] | None,
    doc: str,
) -> None:
    """Register an op of replicas with at most one input tensor."""

    def back(
        flowing: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        inputs: Sequence[Tensor],
        **attrs: Any,
    ) -> Sequence[Tensor | None]:
        assert gradient is not None
        (g,), (y,) = flowing, outputs
        return [gradient(zero(y.aval) if g is None else g, **attrs)]

    def infer_all(*avals: Aval, **attrs: Any) -> tuple[Aval, ...]:
        return (infer(*avals, **attrs),)

    register(
        ControlOp(
            name,
            "control",
            infer_all,
            _alone,
            multiple=True,
            execute=_alone,
            gradient=None if gradient is None else back,
            doc=doc,
        )
    )


def _resized(aval: Aval, axis: int, size: int) -> Aval:
    return Aval((*aval.shape[:axis], size, *aval.shape[axis + 1 :]), aval.dtype)


def _gathered(x: Aval, axis: int, count: int) -> Aval:
    return _resized(x, axis, x.shape[axis] * count)


def _scattered(x: Aval, axis: int, count: int) -> Aval:
    return _resized(x, axis, x.shape[axis] // count)


def _applied(name: str, *tensors: Tensor, **attrs: Any) -> Tensor:
    op = OPS[name]
    assert isinstance(op, ControlOp)
    (found,) = op.apply(tensors, **attrs)
    return found


def all_reduce(x: Tensor, mean: bool, count: int) -> Tensor:
    """Return the sum or the mean of the replicas' values."""
    return _applied("all_reduce", x, mean=mean, count=count)


def all_gather(x: Tensor, axis: int, count: int) -> Tensor:
    """Return the concatenation of the replicas' values along an axis."""
    return _applied("all_gather", x, axis=axis, count=count)


def reduce_scatter(x: Tensor, axis: int, count: int) -> Tensor:
    """Return the replica's part, along an axis, of the sum of all replicas' values."""
    return _applied("reduce_scatter", x, axis=axis, count=count)


def replica_id() -> Tensor:
    """Return the number of the replica as an int32 scalar."""
    return _applied("replica_id")


_collective(
    "all_reduce",
    lambda x, mean, count: x,
    all_reduce,
    "all_reduce(x, mean, count): the sum or mean of the replicas' values.",
)
_collective(
    "all_gather",
    _gathered,
    reduce_scatter,
    "all_gather(x, axis, count): the concatenated values of the replicas.",
)
_collective(
    "reduce_scatter",
    _scattered,
    all_gather,
    "reduce_scatter(x, axis, count): the replica's part of the sum of their values.",
)
_collective("replica_id", lambda: Aval((), int32), None, "replica_id(): the number of the replica.")
