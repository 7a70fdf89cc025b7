"""The ops of replicas: a step that each of several devices computes, and what they exchange.

``replicated`` is an equation whose body each device runs on its share of the inputs; the others
stand in such bodies. The jax backend alone computes them: one program for all devices.
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
    """What of a Graph no device of the jax backend computes."""
    found = [eqn.op.name for eqn in graph.eqns if eqn.op.name in UNSUPPORTED.get("jax", {})]
    parts = [part for eqn in graph.eqns for _, part in bodies(eqn.attrs)]
    return list(dict.fromkeys([*found, *(name for part in parts for name in host_ops(part))]))


def _cannot(*tensors: Tensor, body: Graph, **attrs: Any) -> NoReturn:
    what = ", ".join(host_ops(body)) or "a loop whose lists grow to a length that only values tell"
    raise UnimplementedError(
        None,
        "replicated",
        f"strategy.run: the host would have to compute {what}, in the middle of what all devices "
        "compute as one program; do it outside of the function that is run, or in the dataset",
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
    """Of an input that all replicas have, the sum of what each gives."""
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
        None, "replicated", "replicas of several devices are computed by the jax backend alone"
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
        doc="""replicated(*inputs, body, devices, spread, stacked): ``body`` on each device.

    Of an input that is ``spread`` each device takes its row, of the others all of it; of an output
    that is ``stacked`` each gives a row, the others are the same on all.
    """,
    )
)


def _collective(
    name: str,
    infer: Callable[..., Aval],
    gradient: Callable[..., Tensor] | None,
    doc: str,
) -> None:
    """Enters an op of replicas: of one tensor, or of none."""

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
    """The sum, or mean, of the ``count`` replicas' values."""
    return _applied("all_reduce", x, mean=mean, count=count)


def all_gather(x: Tensor, axis: int, count: int) -> Tensor:
    """The replicas' values one after the other along an axis."""
    return _applied("all_gather", x, axis=axis, count=count)


def reduce_scatter(x: Tensor, axis: int, count: int) -> Tensor:
    """Of the sum of the replicas' values the replica's own part along an axis."""
    return _applied("reduce_scatter", x, axis=axis, count=count)


def replica_id() -> Tensor:
    """The number of the replica, an int32 scalar."""
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
    "all_gather(x, axis, count): the replicas' values side by side.",
)
_collective(
    "reduce_scatter",
    _scattered,
    all_gather,
    "reduce_scatter(x, axis, count): the replica's part of the sum of their values.",
)
_collective("replica_id", lambda: Aval((), int32), None, "replica_id(): the number of the replica.")
