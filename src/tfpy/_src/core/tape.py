"""The tape under GradientTape: which ops ran on watched tensors, and the walk back over them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy._src.base import tracing
from tfpy._src.base.source_locations import local as lines
from tfpy._src.compiler.ir.kernels import GRADIENTS, Gradient
from tfpy._src.compiler.ops.rules import Rows
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import per_value
from tfpy._src.core.indexed_slices import IndexedSlices, dense, slices_of
from tfpy._src.core.tensor import Tensor

if TYPE_CHECKING:
    from tfpy._src.compiler.ir.op import Op


class Entry(NamedTuple):
    """One recorded computation."""

    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    backward: Callable[..., Sequence[Any]]
    """Gradient (or None) of each output -> gradient, None, or a function that gives one, of each
    input; a function is called only if the input is watched."""
    takes_slices: bool = False
    """Whether gradients go into ``backward`` as they are: tensors else."""


class Tape:
    """A list of entries over the tensors that depend on watched ones."""

    last = False
    """Whether the tape is told after those that are not; it may run ops when it is told."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.watched: set[int] = set()
        self.held: list[Tensor] = []  # keeps the watched tensors' identities alive

    def watch(self, tensor: Tensor) -> None:
        if tensor.identity not in self.watched:
            self.watched.add(tensor.identity)
            self.held.append(tensor)

    def follows(self, tensors: Sequence[Tensor]) -> bool:
        """Whether it would record a computation on these."""
        return any(t.identity in self.watched for t in tensors)

    def on_read(self, variable: Any) -> None:
        """Told of each Variable that an op reads."""

    def on_custom(self, computed: Tensor, output: Tensor) -> None:
        """Told that ``output``, whose gradient is a custom one, is ``computed`` by ops.

        Forward mode follows those ops, as in TensorFlow.
        """

    def record_op(
        self, op: Op, inputs: tuple[Tensor, ...], output: Tensor, attrs: dict[str, Any]
    ) -> None:
        """Records an op if an input is watched and the output can carry a gradient."""
        if not output.aval.dtype.is_differentiable:
            return

        def backward(g: Any) -> Sequence[Any]:
            vjp: Gradient | None = GRADIENTS.get(op.name, op.vjp)
            if vjp is None:
                raise LookupError(
                    f"No gradient defined for operation '{op.name}'; use tf.stop_gradient on its "
                    "inputs if none is wanted"
                )
            if not isinstance(g, IndexedSlices):
                return [_taken(d) for d in _one_each(vjp(g, output, *inputs, **attrs))]
            if op.is_alias:
                return [g]
            found = _one_each(vjp(g.values, output, *inputs, **attrs))
            return [
                g.with_differentiable(_called(d)) if d is not None and _alike(x, output) else d
                for x, d in zip(inputs, found, strict=True)
            ]

        plain = op.name not in GRADIENTS and (op.by_rows or op.is_alias)
        by_rows = plain and _has_one_shape(output, inputs)
        self.record(Entry(op.name, inputs, (output,), backward, by_rows))

    def record(self, entry: Entry) -> None:
        """Appends an entry if any of its inputs is watched."""
        watched = self.watched
        for tensor in entry.inputs:
            if tensor.identity in watched:
                break
        else:
            return
        for tensor in entry.outputs:
            watched.add(tensor.identity)
        self.entries.append(entry)


def _one_each(found: Any) -> Sequence[Any]:
    """The gradients that a rule gives; one of a single operand may stand alone."""
    return found if isinstance(found, (tuple, list)) else (found,)


def _taken(gradient: Any) -> Any:
    """A gradient that a rule gives: rows as indexed slices."""
    return slices_of(gradient) if isinstance(gradient, Rows) else gradient


def _called(gradient: Any) -> Any:
    """A gradient, or what the function that stands for it gives."""
    return gradient() if callable(gradient) else gradient


def _has_one_shape(output: Tensor, inputs: Sequence[Tensor]) -> bool:
    """Whether just one input has the output's shape and the others are scalars."""
    others = [x.aval.shape for x in inputs if not _alike(x, output)]
    return len(others) == len(inputs) - 1 and not any(others)


def _alike(x: Tensor, y: Tensor) -> bool:
    """Whether the shapes are equal."""
    return x.aval.shape == y.aval.shape


class _Local(threading.local):
    """A tape records the ops of the thread that opened it."""

    def __init__(self) -> None:
        self.active: list[Tape] = []
        """The tapes that record, outermost first; those that are ``last`` after the others."""


local = _Local()


def activate(tape: Tape) -> None:
    """Lets a tape record."""
    active = local.active
    places = (i for i, t in enumerate(active) if t.last and not tape.last)
    active.insert(next(places, len(active)), tape)


SUMS: dict[str, Callable[[Any, Any], Any]] = {}
"""By dtype: how gradients are added where ``+`` does not do; the owner of the dtype enters it."""


def added(total: Any, more: Any) -> Any:
    """The sum of two gradients: tensors, lists of tensors or indexed slices.

    Rows stay in the order in which they were read, of which ``more`` was the earlier.
    """
    if isinstance(total, IndexedSlices) and isinstance(more, IndexedSlices):
        return more.followed_by(total)
    add = SUMS.get(total.dtype.name)
    if add is not None:
        return add(total, more)
    return dense(total) + dense(more)


def dependent(entries: Sequence[Entry], sources: Sequence[Tensor]) -> tuple[list[Entry], set[int]]:
    """The entries that depend on sources, and the identities of all tensors that do."""
    watched = {t.identity for t in sources}
    found = []
    for entry in entries:
        if any(t.identity in watched for t in entry.inputs):
            watched.update(t.identity for t in entry.outputs)
            found.append(entry)
    return found, watched


def backpropagate(
    entries: Sequence[Entry], watched: set[int], seeds: Sequence[tuple[Tensor, Tensor]]
) -> dict[int, Any]:
    """Gradients of all watched tensors, by identity: tensors or indexed slices.

    Args:
        seeds: pairs of a target and the gradient that flows into it.
    """
    grads: dict[int, Any] = {}

    def add(tensor: Tensor, gradient: Any) -> None:
        known = grads.get(tensor.identity)
        grads[tensor.identity] = gradient if known is None else added(known, gradient)

    for target, gradient in seeds:
        add(target, gradient)
    around = lines.running
    try:
        for entry in reversed(entries):
            flowing = [grads.get(t.identity) for t in entry.outputs]
            if all(g is None for g in flowing):
                continue
            if not entry.takes_slices:
                flowing = [dense(g) for g in flowing]
            lines.running = entry.outputs[0].line or around
            for tensor, gradient in zip(entry.inputs, entry.backward(*flowing), strict=True):
                if gradient is not None and tensor.identity in watched:
                    add(tensor, _called(gradient))
    finally:
        lines.running = around
    return grads


@per_value
def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The same values, constant for every tape.

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * tf.stop_gradient(x)
        >>> tape.gradient(y, x).numpy().tolist()
        3.0
    """
    tensor = convert_to_tensor(input)
    trace = tracing.current()
    if trace is None or type(tensor) is Tensor:
        return tensor.alias()
    (stopped,) = trace.custom([tensor], (), None)
    found: Tensor = stopped
    return found
