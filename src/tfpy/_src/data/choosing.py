"""Datasets of some of the elements, or of all in another order, and of several datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from tfpy._src.data import joining, mixing, resampling, saving, selection, structure
from tfpy._src.data.base import DatasetBase
from tfpy._src.data.mapping import Enumerate, IgnoreErrors, Unique
from tfpy._src.data.node import Node
from tfpy._src.data.seeds import seeds_of
from tfpy._src.data.sources import whole


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
        return self._with(selection.Shard(self._node, whole(num_shards), whole(index)))

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
        return self._with(Unique(self._node))

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
        return resampling.resampled(self, class_func, target_dist, initial_dist, seed)

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


def _zipped(value: Any) -> Node:
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
