"""Decoders of connectionist temporal classification: sequences of labels from logits.

They run on the host, because the number of labels depends on values.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import FailedPreconditionError, invalid, invalid_value
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor, made
from tfpy._src.tensors.math.ordering import argmax
from tfpy._src.tensors.math.reductions import reduce_max

Array = np.ndarray[Any, Any]
_NEVER = -math.inf
Decoded = tuple[list[SparseTensor], Tensor]


def ctc_greedy_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    merge_repeated: bool = True,
    blank_index: int | None = None,
) -> Decoded:
    """Decode logits into labels, using the most likely class at each time step.

    Blanks are removed. The logits are read back to Python, so the call waits for pending
    computations.

    Args:
        inputs: Float tensor of shape `[time, batch, classes]` with logits.
        sequence_length: Integer tensor of shape `[batch]` with the number of time steps of each
            sequence.
        merge_repeated: If True, merge equal classes at consecutive time steps before blanks are
            removed.
        blank_index: Index of the blank, the class that represents no label. Negative values count
            from the end. Default: the last class.

    Returns:
        A tuple `(decoded, neg_sum_logits)`. `decoded` is a list with a single sparse int32 tensor
        of shape `[batch, longest]`, which holds the labels. `neg_sum_logits` is a float tensor of
        shape `[batch, 1]` with the negative sum of the largest logits of each sequence.

    Raises:
        tf.errors.InvalidArgumentError: If `inputs` does not have three dimensions or is empty, or
            `blank_index` is out of range.
        tf.errors.FailedPreconditionError: If the shape of `sequence_length` is not `[batch]`, or a
            length exceeds the number of time steps.

    Example:
        >>> import tfpy as tf
        >>> likely = [0, 0, 2, 1]  # at each time; the last class is the blank
        >>> logits = tf.one_hot([[c] for c in likely], depth=3)
        >>> decoded, score = tf.nn.ctc_greedy_decoder(logits, sequence_length=[4])
        >>> decoded[0].values.numpy().tolist()
        [0, 1]

    See also: `tf.nn.ctc_beam_search_decoder`, `tf.nn.ctc_loss`.
    """
    logits, lengths = _operands("ctc_greedy_decoder", inputs, sequence_length)
    classes = logits.aval.shape[2]
    blank = classes - 1 if blank_index is None else blank_index
    blank += classes if blank < 0 else 0
    if not 0 <= blank < classes:
        raise invalid(
            "ctc_greedy_decoder", f"blank_index must be in [0, {classes}), got {blank_index}"
        )
    best = argmax(logits, 2).host_view()
    largest = reduce_max(logits, 2).host_view()
    counts = np.arange(best.shape[0])[:, None] < lengths
    kept = counts & (best != blank)
    if merge_repeated:
        kept[1:] &= best[1:] != best[:-1]
    rows = [best[kept[:, i], i] for i in range(best.shape[1])]
    scores = -np.where(counts, largest, 0).sum(0, dtype=largest.dtype)
    return [sparse_rows(rows)], constant(scores[:, None])


def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> Decoded:
    """Decode logits into the most likely sequences of labels, using a beam search.

    The last class is the blank, which represents no label. The logits are read back to Python, so
    the call waits for pending computations.

    Args:
        inputs: Float tensor of shape `[time, batch, classes]` with logits.
        sequence_length: Integer tensor of shape `[batch]` with the number of time steps of each
            sequence.
        beam_width: Maximum number of candidate sequences that the search keeps at each time step.
        top_paths: Number of sequences to return for each row, at most `beam_width`.

    Returns:
        A tuple `(decoded, log_probabilities)`. `decoded` is a list of `top_paths` sparse int32
        tensors of shape `[batch, longest]`, beginning with the most likely labels.
        `log_probabilities` is a float tensor of shape `[batch, top_paths]`.

    Raises:
        tf.errors.InvalidArgumentError: If `inputs` does not have three dimensions or is empty, or
            `top_paths` is larger than `beam_width` or than the number of candidate sequences.
        tf.errors.FailedPreconditionError: If the shape of `sequence_length` is not `[batch]`, or a
            length exceeds the number of time steps.

    Example:
        >>> import tfpy as tf
        >>> logits = tf.math.log([[[0.1, 0.8, 0.1]], [[0.1, 0.1, 0.8]], [[0.7, 0.2, 0.1]]])
        >>> decoded, score = tf.nn.ctc_beam_search_decoder(logits, [3], beam_width=4, top_paths=1)
        >>> decoded[0].values.numpy().tolist()
        [1, 0]

    See also: `tf.nn.ctc_greedy_decoder`, `tf.nn.ctc_loss`.
    """
    problem = f"top_paths must be in 1 .. beam_width ({beam_width}), got {top_paths}"
    if min(top_paths, beam_width) < 1:
        raise invalid("ctc_beam_search_decoder", problem)
    logits, lengths = _operands("ctc_beam_search_decoder", inputs, sequence_length)
    if top_paths > beam_width:
        raise invalid("ctc_beam_search_decoder", problem)
    array = cast(logits, dtypes.float32).host_view().astype(np.float64)
    normal = array - np.logaddexp.reduce(array, axis=2, keepdims=True)
    found = []
    for i, length in enumerate(lengths.tolist()):
        beam = _Beam(beam_width)
        for row in normal[: max(length, 0), i]:
            beam.step(row)
        found.append(beam.best(top_paths))
    scores = np.array([[score for _, score in row] for row in found], np.float32)
    paths = [sparse_rows([row[k][0] for row in found]) for k in range(top_paths)]
    return paths, cast(constant(scores.reshape(-1, top_paths)), logits.dtype)


def _operands(op: str, inputs: TensorLike, sequence_length: TensorLike) -> tuple[Tensor, Array]:
    """Convert logits, and return the lengths on the host."""
    logits = convert_to_tensor(inputs, dtype_hint=dtypes.float32)
    if logits.ndim != 3:
        raise invalid(op, f"inputs is not a 3-Tensor, got shape {list(logits.aval.shape)}")
    if not logits.aval.size:
        raise invalid(op, f"inputs must not be empty, got shape {list(logits.aval.shape)}")
    lengths = convert_to_tensor(sequence_length).host_view()
    steps, batch, _ = logits.aval.shape
    if lengths.shape != (batch,):
        raise FailedPreconditionError(
            None, op, f"{op}: sequence_length must be of shape [{batch}], got {[*lengths.shape]}"
        )
    if (lengths > steps).any():
        raise FailedPreconditionError(
            None, op, f"{op}: sequence_length {lengths.tolist()} must be <= {steps}"
        )
    return logits, lengths


def sparse_rows(rows: Sequence[Any]) -> SparseTensor:
    """Return rows of labels as a sparse int32 matrix of shape [rows, longest]."""
    sizes = [len(row) for row in rows]
    indices = [(i, j) for i, n in enumerate(sizes) for j in range(n)]
    values = np.array([*itertools.chain.from_iterable(rows)], np.int32)
    shape = [len(rows), max(sizes, default=0)]
    return made(np.array(indices, np.int32).reshape(-1, 2), constant(values), shape)


class _Entry:
    """A sequence of labels in the beam: a node of the tree of sequences.

    `label` and `blank` are the log probabilities that the sequence ends with its last label and
    with a blank. `total` is the logarithm of their sum. `old_blank` and `old_total` are the values
    before the current time step.
    """

    __slots__ = (
        *("blank", "children", "label", "last", "old_blank", "old_total", "parent", "total"),
    )

    def __init__(self, parent: _Entry | None, last: int) -> None:
        self.parent, self.last = parent, last
        self.children: dict[int, _Entry] = {}
        self.label = self.blank = self.total = _NEVER
        self.old_blank = self.old_total = _NEVER

    def child(self, last: int) -> _Entry:
        """Return the sequence that is longer by one label."""
        found = self.children.get(last)
        if found is None:
            found = self.children[last] = _Entry(self, last)
        return found

    def labels(self) -> list[int]:
        """Return the labels of the sequence."""
        out, node = [], self
        while node.parent is not None:
            out.append(node.last)
            node = node.parent
        return out[::-1]


class _Leaves:
    """The most likely sequences, at most `width`: a heap with the least likely sequence first."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._heap: list[tuple[float, int, _Entry]] = []
        self._order = itertools.count()

    @property
    def least(self) -> float:
        """Total that a new entry must exceed."""
        return self._heap[0][0] if len(self._heap) == self._width else _NEVER

    def push(self, entry: _Entry) -> None:
        """Add an entry, and remove the least likely one if there are too many."""
        item = (entry.total, -next(self._order), entry)
        if len(self._heap) < self._width:
            heapq.heappush(self._heap, item)
            return
        gone = heapq.heapreplace(self._heap, item)[2]
        gone.label = gone.blank = gone.total = _NEVER

    def __iter__(self) -> Iterator[_Entry]:
        """Iterate in descending order of probability."""
        return (entry for _, _, entry in sorted(self._heap, reverse=True, key=lambda x: x[:2]))


class _Beam:
    """Prefix beam search (https://arxiv.org/abs/1408.2873)."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._leaves = _Leaves(width)
        root = _Entry(None, -1)
        root.blank = root.total = 0.0
        self._leaves.push(root)

    def step(self, row: Array) -> None:
        """Process a time step with the log probabilities of its classes."""
        branches, self._leaves = list(self._leaves), _Leaves(self._width)
        blank, scores = float(row[-1]), row[:-1]
        for entry in branches:
            entry.old_blank, entry.old_total = entry.blank, entry.total
        for entry in branches:
            self._stay(entry, blank, scores)
        for entry in branches:
            if entry.old_total > self._leaves.least:
                self._grow(entry, scores)

    def _stay(self, entry: _Entry, blank: float, scores: Array) -> None:
        """Update a sequence that does not grow.

        Its last label is repeated, is appended to the parent's sequence, or is followed by a blank.
        """
        parent = entry.parent
        if parent is not None:
            if parent.total != _NEVER:
                same = entry.last == parent.last
                came = parent.old_blank if same else parent.old_total
                entry.label = float(np.logaddexp(entry.label, came))
            entry.label += float(scores[entry.last])
        entry.blank = entry.old_total + blank
        entry.total = float(np.logaddexp(entry.blank, entry.label))
        self._leaves.push(entry)

    def _grow(self, entry: _Entry, scores: Array) -> None:
        """Add the sequences that are longer by one label."""
        totals = scores + entry.old_total
        if entry.last >= 0:
            totals[entry.last] = scores[entry.last] + entry.old_blank
        likely = np.flatnonzero(totals > self._leaves.least).tolist()
        for last in sorted({*likely, *entry.children}):
            child, total = entry.child(last), float(totals[last])
            if child.total != _NEVER:
                continue
            if total > self._leaves.least:
                child.blank, child.label, child.total = _NEVER, total, total
                self._leaves.push(child)
            else:
                child.old_blank = child.old_total = _NEVER  # so that it does not grow

    def best(self, count: int) -> list[tuple[list[int], float]]:
        """Return the most likely sequences and their log probabilities."""
        found = list(self._leaves)
        if len(found) < count:
            raise invalid_value(
                "ctc_beam_search_decoder",
                f"Less leaves in the beam search than requested: {len(found)} for {count}",
            )
        return [(entry.labels(), entry.total) for entry in found[:count]]
