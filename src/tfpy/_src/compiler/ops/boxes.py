"""Non-maximum suppression: one op that suppresses boxes that are similar to a better one."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.kernel import KernelCall, float_bits
from tfpy._src.compiler.ir.op import Op, Sample, register
from tfpy._src.compiler.ops.families import infer
from tfpy._src.compiler.ops.families.samples import array

Similarity = Callable[[Array, Array], Array]
"""(some, others) -> the similarity of each pair of boxes, from 0 to 1."""

_BLOCK = 128  # boxes compared at once
_SOME = 8  # factor of boxes that are sorted first; the rest is rarely needed
_MOST_BOXES = 2**24  # positions are floats
_FLOAT = frozenset({dtypes.float32})


def overlap(boxes: Array) -> Similarity:
    """Return the intersection over union. Corners may be in any order."""

    def extents(some: Array) -> tuple[Array, Array, Array]:
        corners = boxes[some].T
        low, high = np.minimum(corners[:2], corners[2:]), np.maximum(corners[:2], corners[2:])
        return low, high, np.prod(high - low, axis=0)

    def similarity(some: Array, others: Array) -> Array:
        low, high, area = extents(some)
        their_low, their_high, their_area = extents(others)
        height, width = (
            np.minimum.outer(high[axis], their_high[axis])
            - np.maximum.outer(low[axis], their_low[axis])
            for axis in (0, 1)
        )
        shared = np.maximum(height, 0) * np.maximum(width, 0)
        union = np.add.outer(area, their_area)
        union -= shared
        return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)

    return similarity


def choose(
    scores: Array,
    similarity: Similarity,
    most: int,
    threshold: float,
    least_score: float,
    sigma: float = 0.0,
) -> tuple[list[int], list[float]]:
    """Choose boxes by falling score.

    A box that is similar to a chosen box is dropped, or with soft suppression loses score.
    """
    if sigma > 0:
        return _choose_softly(scores, similarity, most, least_score, sigma)
    chosen: list[int] = []
    for block in _blocks(scores, most, least_score):
        if len(chosen) >= most:
            break
        if chosen:
            block = block[~(similarity(block, np.array(chosen)) > threshold).any(axis=1)]
        apart = np.ascontiguousarray(~(similarity(block, block) > threshold).T)
        open_ = np.ones(len(block), bool)
        for i, box in enumerate(block.tolist()):
            if open_[i]:
                chosen.append(box)
                open_ &= apart[i]
    return chosen[:most], scores[chosen[:most]].tolist()


def _blocks(scores: Array, most: int, least_score: float) -> Iterator[Array]:
    """Yield blocks of the boxes above a score, by falling score. Equal scores keep their order."""
    left = np.flatnonzero(scores > least_score)
    parts, count = [left], _SOME * most + 1
    if count < len(left):
        values = scores[left]
        first = values >= np.partition(values, -count)[-count]
        parts = [left[first], left[~first]]
    for part in parts:
        queue = part[np.argsort(-scores[part], kind="stable")]
        for begin in range(0, len(queue), _BLOCK):
            yield queue[begin : begin + _BLOCK]


def _choose_softly(
    scores: Array, similarity: Similarity, most: int, least_score: float, sigma: float
) -> tuple[list[int], list[float]]:
    """Choose boxes; similarity to chosen boxes lowers their score.

    The method is Soft-NMS (https://arxiv.org/abs/1704.04503).
    """
    queue = [(-float(s), i, 0) for i, s in enumerate(scores) if s > least_score]
    heapq.heapify(queue)
    chosen: list[int] = []
    kept: list[float] = []
    factor = -0.5 / sigma
    while queue and len(chosen) < most:
        negative, box, compared = heapq.heappop(queue)
        score = original = np.float32(-negative)
        for alike in similarity(np.array([box]), np.array(chosen[compared:], int))[0, ::-1]:
            score = np.float32(score * np.float32(math.exp(factor * alike * alike)))
            if score <= least_score:
                break
        if score == original:
            chosen.append(box)
            kept.append(float(score))
        elif score > least_score:
            heapq.heappush(queue, (-float(score), box, len(chosen)))
    return chosen, kept


def _ref(boxes: Array, scores: Array, most: int, threshold: float, least: float, sigma: float
         ) -> Array:  # fmt: skip
    out = np.zeros((*scores.shape[:-1], most, 2), np.float32)
    out[..., 0] = -1
    for row in np.ndindex(scores.shape[:-1]):
        chosen, kept = choose(scores[row], overlap(boxes[row]), most, threshold, least, sigma)
        out[row][: len(chosen)] = np.column_stack([chosen, kept]) if chosen else 0
    return out


def _infer(
    boxes: Aval, scores: Aval, most: int, threshold: float, least: float, sigma: float
) -> Aval:
    name = "non_max_suppression"
    infer.check_dtype(name, boxes, _FLOAT, "boxes")
    infer.check_dtype(name, scores, _FLOAT, "scores")
    if not scores.rank or boxes.shape != (*scores.shape, 4):
        raise invalid(
            name,
            f"boxes must be [n, 4] and scores [n], got {list(boxes.shape)} and "
            f"{list(scores.shape)}",
        )
    if scores.shape[-1] > _MOST_BOXES:
        raise invalid(name, f"at most {_MOST_BOXES} boxes are supported, got {scores.shape[-1]}")
    if not 0 <= threshold <= 1:
        raise invalid(name, f"iou_threshold must be in [0, 1], got {threshold}")
    if most < 0:
        raise invalid(name, f"max_output_size must be non-negative, got {most}")
    if sigma < 0:
        raise invalid(name, f"soft_nms_sigma must be non-negative, got {sigma}")
    return Aval((*scores.shape[:-1], most, 2), dtypes.float32)


def _kernel(
    boxes: Aval, scores: Aval, most: int, threshold: float, least: float, sigma: float
) -> KernelCall:
    outer, n = math.prod(scores.shape[:-1]), scores.shape[-1]
    bits = {"threshold_bits": float_bits(threshold), "least_bits": float_bits(least)}
    sizes = {"outer": outer, "n": n, "most": most, "sigma_bits": float_bits(sigma), **bits}
    return KernelCall("non_max_suppression", ("boxes", "scores"), sizes)


def _samples(rng: np.random.Generator) -> list[Sample]:
    cases: list[Sample] = []
    for shape, most, threshold, least, sigma in (
        ((12,), 5, 0.3, -math.inf, 0.0),
        ((40,), 40, 0.1, 0.2, 0.0),
        ((40,), 9, 0.5, 0.1, 0.5),
        ((2, 3, 7), 4, 0.2, 0.0, 0.0),
        ((0,), 3, 0.5, 0.0, 0.0),
        ((6,), 0, 0.5, 0.0, 0.0),
    ):
        corners = array(rng, (*shape, 2), low=0.0, high=1.0)
        sides = array(rng, (*shape, 2), low=-0.2, high=0.9)
        scores = array(rng, shape, low=0.0, high=1.0).round(2)  # ties
        attrs = {"most": most, "threshold": threshold, "least": least, "sigma": sigma}
        cases.append(((np.concatenate([corners, corners + sides], -1), scores), attrs))
    return cases


non_max_suppression: Op = register(
    Op(
        "non_max_suppression",
        "boxes",
        _infer,
        _ref,
        kernel=_kernel,
        doc="""Index and score of each chosen box, of shape [most, 2]. The indices after the last
        chosen box are -1.""",
        samples=_samples,
        sequential="each selected box depends on the boxes that were selected before",
    )
)
