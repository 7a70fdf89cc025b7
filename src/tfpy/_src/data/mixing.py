"""Datasets with elements that are drawn from several datasets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ops.reference import philox
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.data import structure
from tfpy._src.data.joining import Choose
from tfpy._src.data.node import INFINITE, DatasetNode
from tfpy._src.data.run import NOT_YET, DatasetRun
from tfpy._src.data.seeds import Seeds, SeedSource, Words
from tfpy._src.data.selection import Take
from tfpy._src.data.structure import Flat
from tfpy._src.functions.tf_function.signature import TensorSpec

_AHEAD = 64
"""Number of pairs of words that are drawn together."""


class Drawn(DatasetNode):
    """Random numbers of inputs, drawn by weight.

    Args:
        weights: Array of one weight for each input, or a node that yields such weights for each
            draw.
    """

    def __init__(self, weights: Array | DatasetNode, seeds: Seeds, anew: bool) -> None:
        super().__init__(*([weights] if isinstance(weights, DatasetNode) else []))
        self._weights = weights
        self._source = SeedSource(seeds, anew)

    @cached_property
    def spec(self) -> Any:
        return TensorSpec([], dtypes.int64)

    def elements(self, run: DatasetRun) -> Iterator[Flat]:
        words = Words(run.seeds(self._source.next))
        sums: Iterator[Array]
        if isinstance(self._weights, DatasetNode):
            given = self._weights.elements(run)
            sums = run.map(lambda e: _running_sums(np.stack(e).reshape(-1)), given)
        else:
            sums = repeat(_running_sums(self._weights))
        kind = dtypes.int64.as_numpy_dtype
        units = _units(words)
        for row in sums:
            if row is NOT_YET:
                yield row
                continue
            unit = next(units)
            yield (np.array(np.searchsorted(row, unit * row[-1], "right"), kind),)

    @property
    def cardinality(self) -> int:
        return self.inputs[0].cardinality if self.inputs else INFINITE


def _units(words: Words) -> Iterator[float]:
    """Yield numbers in [0, 1): the first of `stateless_categorical` for each seed pair of words."""
    while True:
        first, second = words.take(2 * _AHEAD).astype(np.uint64).reshape(-1, 2).T
        zero = np.zeros(_AHEAD, np.uint64)
        key = philox.blocks([first, zero, second, zero], philox.SCRAMBLE)
        found = philox.blocks([zero, zero, *key[2:]], [k.astype(np.uint64) for k in key[:2]])
        yield from philox.unit_doubles(np.stack(found[:2], -1)).reshape(-1).tolist()


def _running_sums(weights: Array) -> Array:
    with np.errstate(divide="ignore"):
        logits = np.log(weights.astype(np.float32)).astype(np.float64)
    finite = np.isfinite(logits)
    top = logits[finite].max() if finite.any() else 0.0
    return np.cumsum(np.where(finite, np.exp(np.where(finite, logits - top, 0.0)), 0.0))


def sampled(
    datasets: Sequence[Any], weights: Any, seeds: Seeds, stops: bool, anew: bool
) -> DatasetNode:
    """Return a node of the elements of datasets, drawn by weight.

    Raises:
        ValueError: If there are no datasets, or the number of weights differs.
        TypeError: If the weights are not floats.
    """
    nodes = nodes_of(datasets)
    node = structure.node_of(weights)
    if node is not None:
        return Choose(Drawn(node, seeds, anew), nodes, stops)
    if weights is None:
        shares = np.ones(len(nodes), np.float32)
    else:
        given = weights if isinstance(weights, Tensor) else list(weights)
        if len(given) != len(nodes):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                f"`len(weights)={len(given)}` vs. `len(datasets)={len(nodes)}`."
            )
        shares = convert_to_tensor(given).host_view()
        if not isinstance(weights, Tensor):
            kept = [i for i, weight in enumerate(shares.tolist()) if weight > 0]
            nodes = [nodes[i] for i in kept] or [Take(nodes[0], 0)]
            shares = shares[kept]
        if shares.dtype.kind != "f":
            raise TypeError(
                "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but "
                f"is {shares.dtype}."
            )
    if len(nodes) == 1:
        return nodes[0]
    return Choose(Drawn(shares, seeds, anew), nodes, stops)


def chosen(datasets: Sequence[Any], choice: Any, stops: bool) -> DatasetNode:
    """Return a node of the elements of datasets, selected by a dataset of numbers.

    Raises:
        ValueError: If there are no datasets.
        TypeError: If the choices are not a dataset of scalar integers.
    """
    nodes, selector = nodes_of(datasets), structure.node_of(choice)
    if selector is None:
        raise TypeError(
            "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
            f"{type(choice)}."
        )
    if selector.spec != TensorSpec([], dtypes.int64):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
            f"tensors but are {selector.spec}."
        )
    return Choose(selector, nodes, stops)


def nodes_of(datasets: Sequence[Any]) -> list[DatasetNode]:
    """Return the nodes of datasets.

    Raises:
        ValueError: If there are no datasets.
    """
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    return [dataset._node for dataset in datasets]
