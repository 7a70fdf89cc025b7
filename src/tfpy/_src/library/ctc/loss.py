"""The loss of connectionist temporal classification.

It follows https://www.cs.toronto.edu/~graves/icml_2006.pdf.

A path visits one state at each time step: a start, and then blank, label, blank, label, ..., blank.
A path stays in a state or moves to the next one. From a label it may also move to the next label if
the two labels differ. Probabilities are logarithms and are normalized at each time step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.control.mapping import scan
from tfpy._src.library.sparse.conversion import to_dense
from tfpy._src.tensors.array.joining import concat, pad, stack
from tfpy._src.tensors.array.making import cast, fill, ones, zeros
from tfpy._src.tensors.array.masks import sequence_mask
from tfpy._src.tensors.array.reshaping import broadcast_to, expand_dims, reshape, transpose
from tfpy._src.tensors.array.slicing import gather, one_hot, where
from tfpy._src.tensors.autodiff.custom import custom_gradient
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.reductions import reduce_logsumexp
from tfpy._src.tensors.nn.activations import log_softmax

_NEVER = -1e30
"""Logarithm of 0: a finite number, so that differences are finite on every device."""
_HARDLY = math.log(1e-307)
"""Log probability of starting or ending in another state, so that all labels have a finite loss."""


def ctc_loss(
    labels: TensorLike,
    logits: TensorLike,
    label_length: TensorLike | None,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: Sequence[TensorLike] | None = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the loss of connectionist temporal classification.

    The loss is the negative logarithm of the probability of the labels. This probability is the sum
    of the probabilities of all alignments of the labels with the time steps.

    Dense labels that are too long for their time steps have a loss of about 707, a finite value in
    place of infinity. Sparse labels that are too long raise an error.

    Args:
        labels: Integer tensor of shape `[batch, longest]`, dense or sparse.
        logits: Float tensor of shape `[time, batch, classes]`, or `[batch, time, classes]` if
            `logits_time_major` is False.
        label_length: Integer tensor of shape `[batch]` with the number of labels of each row. It
            has no effect for sparse labels, for which None can be passed.
        logit_length: Integer tensor of shape `[batch]` with the number of time steps of each row.
        logits_time_major: If True, time is the first axis of `logits`. Otherwise, it is the second
            axis.
        unique: Has no effect.
        blank_index: Index of the blank, the class that represents no label. Negative values count
            from the end. Default: 0. Required for sparse labels.

    Returns:
        Float tensor of shape `[batch]` with the dtype of `logits`.

    Raises:
        ValueError: If `labels` is sparse and `blank_index` is None.
        tf.errors.InvalidArgumentError: If the shapes are not compatible, or a row of sparse labels
            is empty or too long for its time steps.

    Example:
        >>> import tfpy as tf
        >>> logits = tf.zeros([3, 1, 3])  # time, batch, classes; all classes are equally likely
        >>> tf.nn.ctc_loss([[1, 2]], logits, [2], [3], blank_index=0).numpy().round(3)
        array([1.686], dtype=float32)

    See also: `tf.nn.ctc_greedy_decoder`, `tf.nn.ctc_beam_search_decoder`.
    """
    scores = convert_to_tensor(logits)
    if scores.ndim != 3:
        raise invalid("ctc_loss", f"logits must be of rank 3, got shape {list(scores.shape)}")
    if not logits_time_major:
        scores = transpose(scores, [1, 0, 2])
    times = convert_to_tensor(logit_length)
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError(
                "Argument `blank_index` must be provided when `labels` is a `SparseTensor`."
            )
        label_length = _lengths(labels, scores, times)
        labels = to_dense(labels)
    blank = blank_index or 0
    blank += scores.aval.shape[2] if blank < 0 else 0
    ids, count = convert_to_tensor(labels), convert_to_tensor(label_length)
    _check_shapes(ids, scores, count, times)
    loss = _loss(cast(scores, dtypes.float32), ids, count, times, blank=blank)
    return cast(loss, scores.dtype)


def _check_shapes(labels: Tensor, logits: Tensor, *lengths: Tensor) -> None:
    """Raise InvalidArgumentError if the shapes are not compatible."""
    batch = logits.aval.closed.shape[1]
    if labels.ndim != 2 or labels.aval.closed.shape[0] != batch:
        raise invalid(
            "ctc_loss", f"labels must be [{batch}, ...], got shape {list(labels.aval.shape)}"
        )
    for length in lengths:
        if tuple(length.aval.closed.shape) != (batch,):
            raise invalid(
                "ctc_loss", f"lengths must be of shape [{batch}], got {list(length.aval.shape)}"
            )


def _lengths(labels: SparseTensor, logits: Tensor, times: Tensor) -> Tensor:
    """Return the number of labels of each row. Values that are known while tracing are checked."""
    steps, batch, _ = logits.aval.closed.shape
    rows = labels.host_indices[:, 0]
    count = np.bincount(rows, minlength=batch)
    if not count.all():
        row = int(np.argmin(count))
        raise invalid_value("ctc_loss", f"Labels length is zero in batch {row}")
    if not (labels.values.has_values and times.has_values):
        return constant(count.astype(np.int32))
    values, given = labels.values.host_view(), times.host_view()
    if given.shape == (batch,):
        if (given > steps).any():
            raise invalid_value("ctc_loss", f"logit_length {given.tolist()} must be <= {steps}")
        repeats = (values[1:] == values[:-1]) & (rows[1:] == rows[:-1])
        needed = count + np.bincount(rows[1:], repeats, batch).astype(int)
        if (needed > given).any():
            row = int(np.argmax(needed > given))
            raise invalid_value(
                "ctc_loss",
                f"Not enough time for target transition sequence (required: {needed[row]}, "
                f"available: {given[row]}) in batch {row}",
            )
    return constant(count.astype(np.int32))


class _Lattice(NamedTuple):
    """The states of every row of a batch at every time step."""

    emitted: Tensor
    """Log probability of the class of a state: [time, batch, states]."""
    skip: Tensor
    """0 if the state two places before leads to a state, else `_NEVER`: [batch, states]."""
    end: Tensor
    """Log probability of ending in a state: [batch, states]."""
    mask: Tensor
    """True for the time steps of a row: [time, batch, 1]."""
    classes: Tensor
    """Class of a state: [batch, states]. The class of the start is the blank."""


def _lattice(scores: Tensor, labels: Tensor, count: Tensor, times: Tensor, blank: int) -> _Lattice:
    """Return the states of a batch."""
    steps, batch, _ = scores.aval.shape
    longest = labels.aval.shape[1]
    ids = cast(labels, dtypes.int32)
    blanks, never = fill([batch, longest], blank), zeros([batch, longest], dtypes.bool)
    classes = concat([fill([batch, 2], blank), _alternating(ids, blanks)], 1)
    exist = logic.logical_and(classes >= 0, classes < scores.aval.shape[2])
    known = where(exist, classes, 0)
    emitted = gather(transpose(scores, [1, 0, 2]), known, axis=2, batch_dims=1)
    emitted = where(expand_dims(exist, 1), emitted, 0.0)  # unknown classes cost nothing
    state = constant(np.arange(2 * longest + 2, dtype=np.int32))
    first = ones([batch, min(longest, 1)], dtypes.bool)
    follows = concat([first, logic.not_equal(ids[:, 1:], ids[:, :-1])], 1)
    leads = concat([zeros([batch, 2], dtypes.bool), _alternating(follows, never)], 1)
    last = reshape(cast(count, dtypes.int32) * 2, [batch, 1])
    ends = logic.logical_or(logic.equal(state, last), logic.equal(state, last + 1))
    mask = transpose(sequence_mask(times, steps), [1, 0])
    return _Lattice(
        where(logic.equal(state, 0), _NEVER, transpose(emitted, [1, 0, 2])),
        where(leads, 0.0, _NEVER),
        where(ends, 0.0, _HARDLY),
        reshape(mask, [steps, batch, 1]),
        classes,
    )


def _alternating(first: Tensor, second: Tensor) -> Tensor:
    """Interleave the columns of two matrices."""
    batch, size = first.aval.shape
    return reshape(stack([first, second], 2), [batch, 2 * size])


def _sum_of(*terms: Tensor) -> Tensor:
    """Return the logarithm of the sum of exponentials."""
    largest = terms[0]
    for term in terms[1:]:
        largest = ew.maximum(largest, term)
    total = ew.exp(terms[0] - largest)
    for term in terms[1:]:
        total = total + ew.exp(term - largest)
    return largest + ew.log(total)


def _shifted(x: Tensor, by: int) -> Tensor:
    """Shift states up, or down if `by` is negative, and fill with `_NEVER`."""
    kept = x[:, :-by] if by > 0 else x[:, -by:]
    return pad(kept, [[0, 0], [max(by, 0), max(-by, 0)]], constant_values=_NEVER)


def _backward(lattice: _Lattice) -> tuple[Tensor, Tensor]:
    """Compute the log probability of the rest of a path from each state.

    Returns:
        The log probabilities before each time step, normalized, of shape [time, batch, states]; and
        the accumulated logarithms of the normalizers, of shape [time, batch, 1].
    """

    def step(state: Any, row: Any) -> Any:
        after, total = state
        emitted, counts = row
        here = after + emitted
        found = _sum_of(here, _shifted(here, -1), _shifted(here + lattice.skip, -2))
        size = reduce_logsumexp(found, -1, keepdims=True)
        return where(counts, found - size, lattice.end), total + where(counts, size, 0.0)

    none = zeros([lattice.end.aval.shape[0], 1])
    found: tuple[Tensor, Tensor] = scan(
        step, (lattice.emitted, lattice.mask), (lattice.end, none), reverse=True
    )
    return found


def _forward(lattice: _Lattice) -> Tensor:
    """Compute the log probability of each state after each time step: [time, batch, states]."""

    def step(before: Tensor, emitted: Tensor) -> Tensor:
        jump = _shifted(before, 2) + lattice.skip
        found = _sum_of(before, _shifted(before, 1), jump) + emitted
        return found - reduce_logsumexp(found, -1, keepdims=True)

    batch, states = lattice.end.aval.shape
    start = constant(np.where(np.arange(states) == 0, 0.0, _HARDLY).astype(np.float32))
    found: Tensor = scan(step, lattice.emitted, broadcast_to(start, [batch, states]))
    return found


@custom_gradient
def _loss(logits: Tensor, labels: Tensor, count: Tensor, times: Tensor, blank: int) -> Any:
    """Compute the loss with its gradient."""
    scores = log_softmax(logits)
    lattice = _lattice(scores, labels, count, times, blank)
    after, total = _backward(lattice)

    def grad(upstream: Tensor) -> tuple[Tensor | None, ...]:
        later = concat([after[1:], expand_dims(lattice.end, 0)], 0)
        both = _forward(lattice) + later
        occupied = ew.exp(both - reduce_logsumexp(both, -1, keepdims=True))
        classes = one_hot(lattice.classes, logits.aval.shape[2])
        expected = matmul(transpose(occupied, [1, 0, 2]), classes)
        slope = ew.exp(scores) - transpose(expected, [1, 0, 2])
        column = reshape(upstream, [1, -1, 1])
        return column * where(lattice.mask, slope, 0.0), None, None, None

    return -(after[0, :, 0] + total[0, :, 0]), grad
