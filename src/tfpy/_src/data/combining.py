"""Methods of datasets that combine several datasets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, Nest, TensorLike
from tfpy._src.data import joining, mixing, structure
from tfpy._src.data.base import DatasetBase
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.seeds import seeds_of
from tfpy._src.tensors.array.joining import tile
from tfpy._src.tensors.array.making import cast, fill
from tfpy._src.tensors.array.reshaping import expand_dims
from tfpy._src.tensors.array.slicing import gather, one_hot
from tfpy._src.tensors.math.arithmetic import truediv
from tfpy._src.tensors.math.reductions import reduce_max, reduce_min, reduce_sum
from tfpy._src.tensors.random.stateful import uniform

_BATCH = 32
"""Number of elements after which the class distribution is estimated again."""

_SMOOTHING = 10
"""Initial count of each class in the estimate."""


def resampled(
    dataset: Any, class_of: Callable[..., Any], target: Any, initial: Any, seed: Any
) -> Any:
    """Return pairs of class and element, with classes distributed as in `target`.

    Args:
        initial: Distribution of the classes in the dataset; None to estimate it.
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
    """Return the acceptance probability of each class, and the probability to skip this test."""
    ratio = target / (initial + np.finfo(np.float32).tiny)
    least, most = reduce_min(ratio), reduce_max(ratio)
    return (ratio - least) / (most - least), least


def _estimated(target: Tensor, classes: Any) -> Any:
    """Return the estimated class distribution at each element."""
    count = target.aval.shape[0]

    def updated(seen: Any, batch: Any) -> Any:
        seen = seen + reduce_sum(one_hot(batch, count, dtype=dtypes.int32), 0)
        shares = cast(truediv(seen, reduce_sum(seen)), dtypes.float32)
        return seen, tile(expand_dims(shares, 0), [_BATCH, 1])

    start = fill([count], convert_to_tensor(_SMOOTHING))
    return classes.batch(_BATCH).scan(start, updated).unbatch()


class Combining(DatasetBase):
    """Methods that combine several datasets."""

    def concatenate(self, dataset: DatasetBase, name: str | None = None) -> Self:
        """Append the elements of a second dataset.

        Args:
            dataset: Dataset whose elements have the same structure and dtypes as the elements of
                this one.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            TypeError: If the elements of the two datasets have different structures or dtypes.

        Example:
            >>> import tfpy as tf
            >>> data = tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(5, 7))
            >>> [int(x) for x in data]
            [0, 1, 5, 6]

        See also: `tf.data.Dataset.zip`.
        """
        return self._with(joining.Concatenate(self._node, dataset._node))

    def rejection_resample(
        self,
        class_func: Callable[..., TensorLike],
        target_dist: TensorLike,
        initial_dist: TensorLike | None = None,
        seed: IntLike | None = None,
        name: str | None = None,
    ) -> Self:
        """Drop elements at random, so that the rest has a given distribution of classes.

        Args:
            class_func: Function that takes an element, as in `tf.data.Dataset.map`, and returns its
                class, a scalar integer tensor.
            target_dist: Float tensor of shape `[classes]` with the desired share of each class.
            initial_dist: Float tensor of shape `[classes]` with the share of each class in this
                dataset. Default: the shares are estimated during the iteration.
            seed: Integer that makes a run of the program reproducible, even without
                `tf.random.set_seed`. Default: the results differ between runs unless
                `tf.random.set_seed` was called.

        Returns:
            A `tf.data.Dataset` of pairs of the class and the element.

        Example:
            >>> import tfpy as tf
            >>> data = tf.data.Dataset.from_tensor_slices([0, 1]).repeat(50)
            >>> data = data.rejection_resample(lambda x: x, [0.0, 1.0], [0.5, 0.5])
            >>> {int(kind) for kind, _ in data}
            {1}
        """
        return resampled(self, class_func, target_dist, initial_dist, seed)

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[DatasetBase],
        weights: TensorLike | DatasetBase | None = None,
        seed: IntLike | None = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Any:
        """Take each element from one of several datasets, which is chosen at random.

        TensorFlow chooses the same datasets for the same seeds.

        Args:
            datasets: Nonempty list of datasets whose elements have the same structure and dtypes.
            weights: Float tensor of shape `[len(datasets)]` with the probability of each dataset,
                or a dataset of such tensors, one for each element. Default: equal probabilities.
            seed: Integer that makes a run of the program reproducible, even without
                `tf.random.set_seed`. Default: the results differ between runs unless
                `tf.random.set_seed` was called.
            stop_on_empty_dataset: If True, stop when one of the datasets ends. If False, continue
                with the others.
            rerandomize_each_iteration: If True, each iteration makes different choices. If False or
                None (default), all iterations make the same choices.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            ValueError: If `datasets` is empty, or if the number of weights differs from the number
                of datasets.
            TypeError: If the elements of the datasets have different structures or dtypes, or if
                the weights are not floats.

        Example:
            >>> import tfpy as tf
            >>> letters = [tf.data.Dataset.from_tensors(c).repeat() for c in ["a", "b"]]
            >>> mixed = tf.data.Dataset.sample_from_datasets(letters, weights=[0.0, 1.0])
            >>> [x.numpy() for x in mixed.take(2)]
            [b'b', b'b']

        See also: `tf.data.Dataset.choose_from_datasets`.
        """
        anew = bool(rerandomize_each_iteration)
        node = mixing.sampled(datasets, weights, seeds_of(seed), stop_on_empty_dataset, anew)
        return structure.AS_DATASET[0](node)

    @staticmethod
    def choose_from_datasets(
        datasets: Sequence[DatasetBase],
        choice_dataset: DatasetBase,
        stop_on_empty_dataset: bool = True,
    ) -> Any:
        """Take each element from one of several datasets, which `choice_dataset` specifies.

        Args:
            datasets: Nonempty list of datasets whose elements have the same structure and dtypes.
            choice_dataset: Dataset of scalar tensors of the dtype `tf.int64`. Each one is the index
                of the dataset from which the next element is taken.
            stop_on_empty_dataset: If True, stop when one of the datasets ends. If False, continue
                with the others.

        Returns:
            A `tf.data.Dataset`.

        Raises:
            ValueError: If `datasets` is empty.
            TypeError: If the choices are not scalars of the dtype `tf.int64`, or if the elements of
                the datasets have different structures or dtypes.

        Example:
            >>> import tfpy as tf
            >>> letters = [tf.data.Dataset.from_tensors(c).repeat() for c in ["a", "b"]]
            >>> order = tf.data.Dataset.range(3).map(lambda i: i % 2)
            >>> [x.numpy() for x in tf.data.Dataset.choose_from_datasets(letters, order)]
            [b'a', b'b', b'a']

        See also: `tf.data.Dataset.sample_from_datasets`.
        """
        node = mixing.chosen(datasets, choice_dataset, stop_on_empty_dataset)
        return structure.AS_DATASET[0](node)

    @staticmethod
    def zip(*args: Nest, datasets: Nest = None, name: str | None = None) -> Any:
        """Combine the corresponding elements of several datasets.

        The result ends with the shortest dataset.

        Args:
            *args: Datasets, or one nested structure (tuple or dict) of datasets.
            datasets: Nested structure (tuple or dict) of datasets, instead of `*args`.

        Returns:
            A `tf.data.Dataset`. Its elements have the structure in which the datasets are passed;
            for more than one argument this is a tuple.

        Raises:
            TypeError: If no dataset is passed, if both `*args` and `datasets` are passed, or if the
                structure contains something other than datasets, for example a list.

        Example:
            >>> import tfpy as tf
            >>> data = tf.data.Dataset.zip(tf.data.Dataset.range(2), tf.data.Dataset.range(5, 7))
            >>> [(int(x), int(y)) for x, y in data]
            [(0, 5), (1, 6)]

        See also: `tf.data.Dataset.concatenate`, `tf.data.Dataset.enumerate`.
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
