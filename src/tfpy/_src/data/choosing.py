"""Datasets of some of the elements, or of all in another order, and of several datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.data import joining, mixing, saving, selection, structure
from tfpy._src.data.base import DatasetBase
from tfpy._src.data.mapping import Enumerate, IgnoreErrors, UniqueNode
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.seeds import seeds_of
from tfpy._src.data.sources import whole
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


class Choosing(DatasetBase):
    """Methods that leave out, repeat, reorder and join elements."""

    def take(self, count: Any, name: str | None = None) -> Self:
        """The first ``count`` elements; all of them for -1."""
        return self._with(selection.Take(self._node, whole(count)))

    def skip(self, count: Any, name: str | None = None) -> Self:
        """All but the first ``count`` elements; none for -1."""
        return self._with(selection.Skip(self._node, whole(count)))

    def repeat(self, count: Any = None, name: str | None = None) -> Self:
        """The elements so many times; without end for None and -1."""
        return self._with(selection.Repeat(self._node, -1 if count is None else whole(count)))

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Self:
        """The elements in random order, TensorFlow's for the same seeds.

        Args:
            buffer_size: of the buffer from which each next element is drawn.
            reshuffle_each_iteration: whether each iteration has another order.

        Raises:
            InvalidArgumentError: for a buffer without elements.
        """
        anew = reshuffle_each_iteration is not False
        size = whole(buffer_size)
        return self._with(selection.Shuffle(self._node, size, seeds_of(seed), anew))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Self:
        """Every ``num_shards``-th element, from the one of number ``index``.

        Raises:
            InvalidArgumentError: when ``index`` is not below ``num_shards``.
        """
        return self._with(selection.ShardNode(self._node, whole(num_shards), whole(index)))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Self:
        """The same elements: they are computed when they are asked for."""
        return self._with(selection.Unchanged(self._node, "_PrefetchDataset"))

    def cache(self, filename: Any = "", name: str | None = None) -> Self:
        """The elements of the first whole iteration, kept in memory or in a file."""
        path = structure.text_of(filename)
        node = saving.FileCache(self._node, path) if path else selection.Cache(self._node)
        return self._with(node)

    def snapshot(
        self,
        path: Any,
        compression: Any = "AUTO",
        reader_func: Callable[..., Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """The elements, written to files of a directory once and read from these later.

        Args:
            compression: "GZIP", or none.
            reader_func: makes a dataset of the dataset of files' elements.
            shard_func: gives the number of the file of an element.
        """
        node = saving.Snapshot(
            self._node, structure.text_of(path), compression, reader_func, shard_func
        )
        return self._with(node)

    def save(
        self,
        path: Any,
        compression: Any = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Writes the elements to files of a directory, which ``load`` reads.

        Args:
            compression: "GZIP", or none.
            shard_func: gives the number of the file of an element.

        Raises:
            TypeError: for datasets among the components.
        """
        saving.save(self._node, structure.text_of(path), compression, shard_func)

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: Any = None,
        reader_func: Callable[..., Any] | None = None,
        wait: bool = False,
    ) -> Any:
        """The elements that ``save`` wrote.

        Args:
            element_spec: of named tuples, which are saved as tuples.
            reader_func: makes a dataset of the dataset of files' elements.

        Raises:
            NotFoundError: when nothing was saved there.
        """
        node = saving.Loaded(structure.text_of(path), element_spec, reader_func)
        return structure.AS_DATASET[0](node)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Self:
        """Pairs of a number, from ``start``, and an element."""
        return self._with(Enumerate(self._node, whole(start)))

    def unique(self, name: str | None = None) -> Self:
        """The elements without those that came before."""
        return self._with(UniqueNode(self._node))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Self:
        """The elements that can be computed."""
        return self._with(IgnoreErrors(self._node))

    def concatenate(self, dataset: Any, name: str | None = None) -> Self:
        """The elements, then those of another dataset.

        Raises:
            TypeError: when the elements have nothing in common.
        """
        return self._with(joining.Concatenate(self._node, dataset._node))

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Any:
        """Pairs of class and element, so that classes come in shares of ``target_dist``.

        Args:
            class_func: the class of an element, an integer.
            initial_dist: the shares that classes have; estimated while iterating without it.
        """
        return resampled(self, class_func, target_dist, initial_dist, seed)

    @staticmethod
    def sample_from_datasets(
        datasets: Any,
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Any:
        """Elements of several datasets, drawn by weights, as TensorFlow for the same seed.

        Args:
            weights: one for each dataset, or a dataset of these; equal ones without.
            stop_on_empty_dataset: ends with the first dataset that ends.

        Raises:
            ValueError: for no datasets, or another number of weights.
            TypeError: when datasets differ in their elements.
        """
        anew = bool(rerandomize_each_iteration)
        node = mixing.sampled(datasets, weights, seeds_of(seed), stop_on_empty_dataset, anew)
        return structure.AS_DATASET[0](node)

    @staticmethod
    def choose_from_datasets(
        datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True
    ) -> Any:
        """Elements of several datasets; another dataset says of which, by number.

        Raises:
            ValueError: for no datasets.
            TypeError: when the choices are no integers, or datasets differ in their elements.
        """
        node = mixing.chosen(datasets, choice_dataset, stop_on_empty_dataset)
        return structure.AS_DATASET[0](node)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Any:
        """Elements of several datasets side by side, in the nest in which these are given.

        Raises:
            TypeError: for what is no dataset, and for lists.
            ValueError: when datasets are given in both ways or in none.
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        nest = datasets if datasets is not None else args[0] if len(args) == 1 else args
        nodes = [_zipped(part) for part in structure.flatten(nest)]
        return structure.AS_DATASET[0](joining.Zip(nest, nodes))


def _zipped(value: Any) -> DatasetNode:
    node = structure.node_of(value)
    if node is None:
        found = (
            "Python `list` is not supported and you should use `tuple` instead."
            if isinstance(value, list)
            else f"Encountered object of type {type(value)}."
        )
        raise TypeError(
            "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
            f"`tf.data.Dataset` objects. {found}"
        )
    return node
