"""Segments of a forward pass that are computed again for the backward pass.

A training step stores the values of the forward pass that the gradients read. This pass keeps only
checkpoints, the few values at positions where little is passed on, such as between the layers of a
transformer. The backward pass computes the values between two checkpoints again (Chen et al.,
"Training Deep Nets with Sublinear Memory Cost"). Segments are divided once more if necessary: then
the checkpoints within a segment are computed when the backward pass reaches the segment.
"""

from __future__ import annotations

import bisect
import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.passes.dead_code import without_dead_code
from tfpy._src.compiler.passes.rewrite import is_plain, reading
from tfpy._src.compiler.passes.storage_uses import StorageUses

Counts = np.ndarray[tuple[int], np.dtype[np.int64]]

SMALL = 1 << 16
"""Bytes of a value below which it is kept."""
LEAST = 1 << 25
"""Bytes that the stored values may have in any case."""
SHARE = 0.5
"""Bytes that the stored values may have, as a ratio to the bytes of the Graph's inputs."""
NARROW = 1.25
"""Largest ratio of the bytes that are passed on at a checkpoint to those at narrow positions."""
RARE = 0.1
"""Share of the positions that are narrow."""


def keep_checkpoints(graph: Graph) -> Graph:
    """Compute segments of the forward pass again, if its values need much memory. ::

        %2 = matmul(%0, %1) …            %2 = matmul(%0, %1) …
        %3 = exp(%2)                     %3 = exp(%2)
        %4 = matmul(%3, %1) …            %4 = matmul(%3, %1) …
        %5 = exp(%4)              ->     %5 = exp(%4)
        …                                …
        %8 = multiply(%7, %5)            %8 = exp(%4)
        %9 = matmul(%8, %1) …            %9 = multiply(%7, %8)
        %10 = multiply(%9, %3)           …

    Of the plans that need at most half the memory of the weights, the one with the least
    computation is chosen, or else the plan with the least memory.
    """
    step = _Step(graph)
    budget = max(SHARE * sum(map(step.nbytes, graph.inputs)), LEAST)
    if step.stored <= budget:
        return graph
    plans = [plan for plan in _plans(step) if plan.nbytes < step.stored]
    if not plans:
        return graph
    fitting = [plan for plan in plans if plan.nbytes <= budget]
    best = fitting[0] if fitting else min(plans, key=lambda plan: plan.nbytes)
    return _Recomputation(step, best).result()


class _Step(StorageUses):
    """A training step, with the position at which the values of its forward pass are largest."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        values = [v for v in self.producers if self.origin(v) == v and v in self.reads]
        live = self.covered((v, self.producers[v], self.reads[v][-1]) for v in values)
        self.turn = int(live.argmax())
        """Number of the first equation of the backward pass."""
        self.large = [v for v in values if self._is_recomputed(v)]
        """Values of the forward pass that are not kept in any case."""
        self.stored = sum(map(self.nbytes, filter(self.is_late, self.large)))

    def is_late(self, value: int) -> bool:
        """Return True if the backward pass reads a value."""
        return self.reads[value][-1] >= self.turn

    def _is_recomputed(self, value: int) -> bool:
        is_kept = self.is_output(value) or self.nbytes(value) < SMALL
        is_early = self.producers[value] < self.turn
        return is_early and not is_kept and is_plain(self.equation(value))

    def covered(self, spans: Iterable[tuple[int, int, int]]) -> Counts:
        """Return for each position the bytes of the values that are passed on there.

        Args:
            spans: Values, each with the numbers of its producer and of a later reader.
        """
        change = np.zeros(len(self.graph.eqns) + 2, np.int64)
        for value, first, last in spans:
            change[first + 1] += self.nbytes(value)
            change[last + 1] -= self.nbytes(value)
        return change.cumsum()

    def last_early_read(self, value: int) -> int:
        """Return the last reader of the forward pass, or the producer if there is none."""
        reads = self.reads[value]
        place = bisect.bisect_left(reads, self.turn)
        return reads[place - 1] if place else self.producers[value]


@dataclass(frozen=True)
class _Checkpoints:
    """Positions of the checkpoints: of those that are stored, and of those within segments."""

    outer: Sequence[int]
    inner: Sequence[int]
    nbytes: int
    """Estimate of the bytes that are stored at the same time."""


def _plans(step: _Step) -> list[_Checkpoints]:
    """Return plans, those with the least computation first."""
    spans = [(v, step.producers[v], step.last_early_read(v)) for v in step.large]
    passed = step.covered(spans)[: step.turn]
    is_used = passed > 0
    if not is_used.any():
        return []
    most = NARROW * np.quantile(passed[is_used], RARE)
    points = _narrow(spans, np.flatnonzero(is_used & (passed <= most)).tolist())
    late = np.zeros(step.turn + 1, np.int64)
    for value in filter(step.is_late, step.large):
        late[step.producers[value] + 1] += step.nbytes(value)
    before = late.cumsum()  # bytes that the positions before store for the backward pass
    at_points = np.zeros_like(late)
    at_points[points] = passed[points]
    within = at_points.cumsum()
    finest = int(np.diff(before[[0, *points, step.turn]]).max())
    once = _even(points, passed, lambda a, b: int(before[b] - before[a]))
    twice = _even(points, passed, lambda a, b: int(within[b - 1] - within[a]))
    return [
        _Checkpoints(once.outer, (), once.nbytes),
        _Checkpoints(
            twice.outer, [p for p in points if p not in twice.outer], twice.nbytes + finest
        ),
    ]


def _even(points: Sequence[int], passed: Counts, cost: Callable[[int, int], int]) -> _Checkpoints:
    """Return the plan with the least memory.

    The backward pass reaches the segments in reverse order, so that the checkpoints after a segment
    are not needed any more. Thus earlier segments may be longer.

    Args:
        passed: Bytes that are passed on at each position.
        cost: Bytes of a segment when the backward pass reaches it, from its ends.
    """
    low, high = 0, cost(0, len(passed))
    while low < high:
        middle = (low + high) // 2
        if _segments(points, passed, cost, middle) is None:
            low = middle + 1
        else:
            high = middle
    return _Checkpoints(_segments(points, passed, cost, high) or (), (), high)


def _segments(
    points: Sequence[int], passed: Counts, cost: Callable[[int, int], int], most: int
) -> list[int] | None:
    """Return checkpoints with which all segments need at most this many bytes, or None."""
    chosen: list[int] = []
    kept = begin = place = 0
    while kept + cost(begin, len(passed)) > most:
        fitting = bisect.bisect(points, most - kept, place, key=functools.partial(cost, begin))
        if fitting == place:
            return None
        begin, place = points[fitting - 1], fitting
        chosen.append(begin)
        kept += int(passed[begin])
    return chosen


def _narrow(spans: Sequence[tuple[int, int, int]], positions: Iterable[int]) -> list[int]:
    """Return the first of the positions that pass on the same values.

    Args:
        spans: Values, each with the numbers of its producer and of its last reader.
    """
    _, firsts, lasts = np.array(spans).T
    found: list[int] = []
    for position in positions:
        previous = found[-1] if found else 0
        if ((firsts >= previous) & (firsts < position) & (position <= lasts)).any():
            found.append(position)
    return found


class _Recomputation:
    """The Graph with a backward pass that computes values again."""

    def __init__(self, step: _Step, plan: _Checkpoints) -> None:
        self.step = step
        self.plan = plan
        large = {*step.large}
        self.kept = self._passed_on(large, plan.outer)
        self.again = large - self.kept
        self.checkpoints = self._passed_on(self.again, plan.inner)
        old = step.graph
        self.graph = Graph(old.avals[:], old.inputs, old.constants, [], old.outputs)
        self.copies: dict[int, int] = {}
        """Values of the backward pass by the values of the forward pass."""
        self.late = {*filter(step.is_late, self.again)}
        self._points = sorted({*plan.outer, *plan.inner})
        self._segments: set[int] = set()
        """Ends of the segments with checkpoints that are computed again."""
        self._parts: set[int] = set()
        """Ends of the parts of segments that are computed again."""

    def _passed_on(self, values: Collection[int], points: Sequence[int]) -> set[int]:
        """Return the values that any of the points divides from a reader of the forward pass."""
        step = self.step
        return {
            v
            for v in values
            if bisect.bisect(points, step.producers[v])
            != bisect.bisect(points, step.last_early_read(v))
        }

    def result(self) -> Graph:
        for number, eqn in enumerate(self.step.graph.eqns):
            if number >= self.step.turn:
                for value in eqn.inputs:
                    self._need(value)
                eqn = reading(eqn, self.copies)
            self.graph.eqns.append(eqn)
        return without_dead_code(self.graph)

    def _need(self, value: int) -> None:
        """Compute the segment again in which a value of the forward pass is computed."""
        origin = self.step.origin(value)
        if origin not in self.again:
            return
        begin, end = self._segment(self.plan.outer, origin)
        if self.checkpoints and end not in self._segments:
            self._segments.add(end)
            found = self._compute(begin, end, self.checkpoints)
            self.copies |= {v: c for v, c in found.items() if self._is_checkpoint(v)}
        begin, end = self._segment(self._points, origin)
        if value not in self.copies and end not in self._parts:
            self._parts.add(end)
            self.copies |= self._compute(begin, end, self.late)

    def _is_checkpoint(self, value: int) -> bool:
        return self.step.origin(value) in self.checkpoints

    def _segment(self, points: Sequence[int], value: int) -> tuple[int, int]:
        """Return the equations between the points around the producer of a value."""
        place = bisect.bisect(points, self.step.producers[value])
        ends = [0, *points, self.step.turn]
        return ends[place], ends[place + 1]

    def _compute(self, begin: int, end: int, wanted: Collection[int]) -> dict[int, int]:
        """Add the equations of a segment that compute wanted values again. Return the copies."""
        old, origin = self.step.graph, self.step.origin
        needed: set[int] = set()
        eqns: list[Eqn] = []
        for eqn in reversed(old.eqns[begin:end]):
            value = eqn.outputs[0]
            if origin(value) not in self.again or value in self.copies:
                continue
            if origin(value) in wanted or value in needed:
                eqns.append(eqn)
                needed.update(eqn.inputs)
        made: dict[int, int] = {}
        for eqn in reversed(eqns):
            inputs = [made.get(v, self.copies.get(v, v)) for v in eqn.inputs]
            (made[eqn.outputs[0]],) = self.graph.add_copy(eqn, inputs, old)
        return made
