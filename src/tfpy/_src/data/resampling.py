"""``rejection_resample``: elements left out at random, so that classes come in given shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.joining import tile
from tfpy._src.tensors.array.making import cast, fill
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.array.slicing import gather, one_hot
from tfpy._src.tensors.math.arithmetic import truediv
from tfpy._src.tensors.math.reductions import reduce_max, reduce_min, reduce_sum
from tfpy._src.tensors.random.stateful import uniform

_BATCH = 32
"""After how many elements the shares of classes are estimated anew."""

_SMOOTHING = 10
"""How often each class counts as seen before the first element."""


def resampled(
    dataset: Any, class_of: Callable[..., Any], target: Any, initial: Any, seed: Any
) -> Any:
    """Pairs of class and element, the classes in shares of ``target``.

    Args:
        initial: the shares that they have; None to estimate them.
    """
    wanted = cast(convert_to_tensor(target), dtypes.float32)
    always = None
    if initial is not None:
        shares = cast(convert_to_tensor(initial), dtypes.float32)
        accepted, kept = _acceptance(shares, wanted)
        always = float(kept.host_view())
        acceptance = dataset.from_tensors(accepted).repeat()
        plain = dataset.from_tensors(kept).repeat()
    else:
        both = _estimated(wanted, dataset.map(class_of)).map(lambda p: _acceptance(p, wanted))
        acceptance, plain = both.map(lambda a, _: a), both.map(lambda _, m: m)

    def judged(probability: Any, element: Any) -> Any:
        kind = class_of(*element) if isinstance(element, tuple) else class_of(element)
        return kind, gather(probability, kind), element

    filtered = (
        dataset.zip((acceptance, dataset))
        .map(judged)
        .filter(lambda kind, p, element: uniform([], seed=seed) < p)
        .map(lambda kind, p, element: (kind, element))
    )

    def with_class(*element: Any) -> Any:
        return class_of(*element), element[0] if len(element) == 1 else element

    if always == 1:
        return dataset.map(with_class)
    if always == 0:
        return filtered
    return dataset.sample_from_datasets(
        [dataset.map(with_class), filtered],
        weights=plain.map(lambda p: [(p, 1.0 - p)]),
        seed=seed,
        stop_on_empty_dataset=True,
    )


def _acceptance(initial: Any, target: Any) -> tuple[Tensor, Tensor]:
    """With what probability each class is accepted, and an element is taken without asking."""
    ratio = target / (initial + np.finfo(np.float32).tiny)
    least, most = reduce_min(ratio), reduce_max(ratio)
    return (ratio - least) / (most - least), least


def _estimated(target: Tensor, classes: Any) -> Any:
    """The shares of classes as they are seen, for each element."""
    count = target.aval.shape[0]

    def updated(seen: Any, batch: Any) -> Any:
        seen = seen + reduce_sum(one_hot(batch, count, dtype=dtypes.int32), 0)
        shares = cast(truediv(seen, reduce_sum(seen)), dtypes.float32)
        return seen, tile(expand_dims(shares, 0), [_BATCH, 1])

    start = fill([count], convert_to_tensor(_SMOOTHING))
    return classes.batch(_BATCH).scan(start, updated).unbatch()
