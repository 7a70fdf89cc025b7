"""The tape of `tf.GradientTape`: recorded ops on watched tensors, and backpropagation over them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy._src.base import tracing
from tfpy._src.base.members import Listed
from tfpy._src.base.source_locations import local as lines
from tfpy._src.compiler.ir.kernels import GRADIENTS, Gradient
from tfpy._src.compiler.ops.rules import Rows
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.dispatch import per_value
from tfpy._src.core.indexed_slices import IndexedSlices, dense, slices_of
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike

if TYPE_CHECKING:
    from tfpy._src.compiler.ir.op import Op


class Entry(NamedTuple):
    """One recorded computation."""

    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    backward: Callable[..., Sequence[Any]]
    """Function from the gradient (or None) of each output to the gradient of each input.

    The gradient of an input is a tensor, None, or a function that returns the tensor. Such a
    function is called only if the input is watched.
    """
    takes_slices: bool = False
    """True if `backward` accepts indexed slices. Otherwise gradients are converted to tensors."""


class Tape(Listed):
    """A list of entries for the computations that depend on watched tensors."""

    _package_members = frozenset(
        (
            *(
                "entries",
                "follows",
                "held",
                "is_complete",
                "last",
                "on_custom",
                "on_read",
                "record",
                "record_op",
            ),
            "watched",
        )
    )

    is_complete = False
    """True if the tape records every op."""
    last = False
    """True if the tape is notified after the other tapes. It may run ops when it is notified."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.watched: set[int] = set()
        self.held: list[Tensor] = []  # keeps the watched tensors' identities alive

    def watch(self, tensor: Tensor) -> None:
        if tensor.identity not in self.watched:
            self.watched.add(tensor.identity)
            self.held.append(tensor)

    def follows(self, tensors: Sequence[Tensor]) -> bool:
        """Return True if the tape would record a computation on these tensors.

        Args:
            tensors: Inputs of the computation.

        Returns:
            True if at least one of the tensors is watched.

        Example:
            >>> import tfpy as tf
            >>> x, y = tf.constant(1.0), tf.constant(2.0)
            >>> with tf.GradientTape() as tape:
            ...     tape.watch(x)
            ...     tape.follows([x, y]), tape.follows([y])
            (True, False)
        """
        return not self.watched.isdisjoint([t.identity for t in tensors])

    def on_read(self, variable: Any) -> None:
        """Receive each Variable that an op reads."""

    def on_custom(self, computed: Tensor, output: Tensor) -> None:
        """Receive an output that has a custom gradient, with the tensor that ops computed for it.

        Forward mode follows those ops, as in TensorFlow.

        Args:
            computed: Tensor that ops computed.
            output: Tensor of the same value, with the custom gradient.
        """

    def record_op(
        self, op: Op, inputs: tuple[Tensor, ...], output: Tensor, attrs: dict[str, Any]
    ) -> None:
        """Record an op if an input is watched and the output can have a gradient.

        Args:
            op: Record of the op, which has the gradient rule.
            inputs: Operands of the op.
            output: Result of the op.
            attrs: Attributes of the op.
        """
        if not (output.aval.dtype.is_differentiable and self.follows(inputs)):
            return

        def backward(g: Any) -> Sequence[Any]:
            vjp: Gradient | None = GRADIENTS.get(op.name, op.vjp)
            if vjp is None:
                raise LookupError(
                    f"No gradient defined for operation '{op.name}'; use tf.stop_gradient on its "
                    "inputs if no gradient is needed"
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
        """Append an entry if any of its inputs is watched.

        Args:
            entry: Inputs, outputs and gradient rule of a computation.
        """
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
    """Return the gradients from a rule as a sequence. A unary op's rule may return one gradient."""
    return found if isinstance(found, (tuple, list)) else (found,)


def _taken(gradient: Any) -> Any:
    """Convert rows from a gradient rule to indexed slices; return other gradients unchanged."""
    return slices_of(gradient) if isinstance(gradient, Rows) else gradient


def _called(gradient: Any) -> Any:
    """Return a gradient, or the result of the function that represents it."""
    return gradient() if callable(gradient) else gradient


def _has_one_shape(output: Tensor, inputs: Sequence[Tensor]) -> bool:
    """Return True if exactly one input has the output's shape and the others are scalars."""
    others = [x.aval.shape for x in inputs if not _alike(x, output)]
    return len(others) == len(inputs) - 1 and not any(others)


def _alike(x: Tensor, y: Tensor) -> bool:
    """Return True if the shapes are equal."""
    return x.aval.shape == y.aval.shape


class _Local(threading.local):
    """The active tapes of a thread. A tape records the ops of the thread that opened it."""

    def __init__(self) -> None:
        self.active: list[Tape] = []
        """Active tapes, outermost first. Tapes with `last` come after the others."""


local = _Local()


def activate(tape: Tape) -> None:
    """Start recording on a tape."""
    active = local.active
    places = (i for i, t in enumerate(active) if t.last and not tape.last)
    active.insert(next(places, len(active)), tape)


SUMS: dict[str, Callable[[Any, Any], Any]] = {}
"""Functions that add gradients, for dtypes without `+`. The dtype's owner registers one."""


def added(total: Any, more: Any) -> Any:
    """Return the sum of two gradients: tensors, lists of tensors or indexed slices.

    Rows stay in the order in which they were read; `more` was read first.
    """
    if isinstance(total, IndexedSlices) and isinstance(more, IndexedSlices):
        return more.followed_by(total)
    add = SUMS.get(total.dtype.name)
    if add is not None:
        return add(total, more)
    return dense(total) + dense(more)


def dependent(entries: Sequence[Entry], sources: Sequence[Tensor]) -> tuple[list[Entry], set[int]]:
    """Return the entries that depend on sources, and the identities of all tensors that do."""
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
    """Return the gradients of all watched tensors by identity, as tensors or indexed slices.

    Args:
        seeds: Pairs of a target and the gradient that flows into it.
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
def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """Return a tensor with the same values, through which no gradient flows.

    Gradients are computed as if the result were a constant that does not depend on `input`.

    Args:
        input: Tensor.

    Returns:
        Tensor of the shape and dtype of `input`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.Variable(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * tf.stop_gradient(x)
        >>> tape.gradient(y, x).numpy().tolist()  # without stop_gradient it would be 6.0
        3.0

    See also: `tf.GradientTape`, `tf.custom_gradient`.
    """
    tensor = convert_to_tensor(input)
    trace = tracing.current()
    if trace is None or type(tensor) is Tensor:
        return tensor.alias()
    (stopped,) = trace.custom([tensor], (), None)
    found: Tensor = stopped
    return found
