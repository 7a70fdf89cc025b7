"""`tf.compat.v1.data`: iterators whose elements are tensors of a graph."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator as Iterates
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.base.errors import FailedPreconditionError, InvalidArgumentError, OutOfRangeError
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.sizes import OpenSize, UnrankedSize
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.typing import Nest
from tfpy._src.data import structure
from tfpy._src.data.base import DatasetBase
from tfpy._src.data.iterators import OwnedIterator
from tfpy._src.data.node import DatasetNode
from tfpy._src.data.placeholders import bind
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.inference import SIZE, immediately
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.functions.tf_function.signature import TensorSpec

_constant = recorded(constant)
_numbers = itertools.count()
_by_handle: weakref.WeakValueDictionary[bytes, IteratorV1] = weakref.WeakValueDictionary()
"""Iterators by their string handles."""


def _aval(spec: Any) -> Aval:
    if not isinstance(spec, TensorSpec):
        raise TypeError(
            "An iterator of a graph returns dense tensors, but the dataset's elements contain "
            f"{spec}. Convert them in Dataset.map, for example with tf.sparse.to_dense."
        )
    if spec.shape.rank is None:
        return Aval((UnrankedSize(SIZE),) * 2, spec.dtype)
    sizes = [OpenSize(SIZE) if n is None else n for n in spec.shape.as_list()]
    return Aval(tuple(sizes), spec.dtype)


class IteratorV1:
    """An iterator whose elements are tensors of a graph. Each run of a session takes one element.

    Functions such as `tf.compat.v1.data.make_one_shot_iterator` create iterators, so programs do
    not call the constructor.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     iterator = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(3))
        ...     number = iterator.get_next()
        ...     print(sess.run(number), sess.run(number))
        0 1

    See also: `tf.compat.v1.data.make_initializable_iterator`.
    """

    def __init__(
        self, spec: Any, node: DatasetNode | None = None, starts: bool = False, name: str = ""
    ) -> None:
        self._spec, self._node, self._starts = spec, node, starts
        self._key: bytes | None = None
        self._running: weakref.WeakKeyDictionary[Any, Iterates[Any]] = weakref.WeakKeyDictionary()
        """Positions by session."""
        self._handle: Any = None
        self._initializer: Any = None
        if node is not None and not starts:
            self._initializer = self._starting(node, name or "MakeIterator")

    @staticmethod
    def from_structure(
        output_types: Nest,
        output_shapes: Nest = None,
        shared_name: str | None = None,
        output_classes: Nest = None,
    ) -> IteratorV1:
        """Create an iterator without a dataset.

        Args:
            output_types: Dtype of each component of an element.
            output_shapes: Shape of each component. Default: unknown shapes.
            shared_name, output_classes: Has no effect.

        Returns:
            An iterator. Its method `make_initializer` selects a dataset.
        """
        return IteratorV1(_specs(output_types, output_shapes))

    @staticmethod
    def from_string_handle(
        string_handle: Any,
        output_types: Nest,
        output_shapes: Nest = None,
        output_classes: Nest = None,
    ) -> IteratorV1:
        """Create an iterator that takes the elements of the iterator that a handle names.

        Args:
            string_handle: Scalar string tensor, a value of the method `string_handle`.
            output_types: Dtype of each component of an element.
            output_shapes: Shape of each component. Default: unknown shapes.
            output_classes: Has no effect.

        Returns:
            An iterator.
        """
        made = IteratorV1(_specs(output_types, output_shapes))
        made._handle = convert_to_tensor(string_handle)
        return made

    @property
    def initializer(self) -> Any:
        """Operation that starts the iterator at the first element of its dataset.

        Raises:
            ValueError: If the iterator has no dataset, or starts automatically.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def make_initializer(self, dataset: DatasetBase, name: str | None = None) -> Any:
        """Add an operation that starts the iterator at the first element of a dataset.

        Args:
            dataset: Dataset with the same dtypes and compatible shapes.
            name: Name of the operation.

        Returns:
            A `tf.Operation`.

        Raises:
            TypeError: If the elements of the dataset have other dtypes or shapes.
        """
        mine, theirs = structure.flatten(self._spec), structure.flatten(dataset.element_spec)
        for a, b in zip(mine, theirs, strict=True):
            if a.dtype != b.dtype or not a.shape.is_compatible_with(b.shape):
                raise TypeError(
                    f"Expected output types and shapes {self._spec!r} but got dataset with output "
                    f"types and shapes {dataset.element_spec!r}."
                )
        return self._starting(dataset._node, name or "make_initializer")

    def _starting(self, node: DatasetNode, name: str) -> Any:
        graph = get_default_graph()
        tensors = bind(node, {})
        op = graph.make(name, tensors, "MakeIterator")

        def start(values: list[Any]) -> None:
            bind(node, {t.identity: v for t, v in zip(tensors, values, strict=True)})
            self._running[graph.session] = OwnedIterator(node)

        op.function, op.args, op.places, op.is_dynamic = start, (tensors,), (), True
        return op

    def get_next(self, name: str | None = None) -> Nest:
        """Return tensors that have the values of another element in each run.

        Args:
            name: Name of the operation. Default: `"IteratorGetNext"`.

        Returns:
            Tensor of a graph, or a nested structure of them.
        """
        op = get_default_graph().make(name or "IteratorGetNext", kind="IteratorGetNext")
        avals = [_aval(spec) for spec in structure.flatten(self._spec)]
        op.outputs = [GraphTensor(op, i, aval) for i, aval in enumerate(avals)]
        op.supply = self._supply
        return structure.pack(self._spec, op.outputs)

    def _supply(self, session: Any, values: dict[int, Tensor]) -> list[Tensor]:
        """Return the components of the next element.

        Raises:
            FailedPreconditionError: If the iterator has not been started in the session.
            OutOfRangeError: If there are no more elements.
        """
        if self._handle is not None:
            return _named(values.get(self._handle.identity, self._handle))._supply(session, values)
        elements = self._running.get(session)
        if elements is None:
            if not self._starts or self._node is None:
                raise FailedPreconditionError(
                    None,
                    None,
                    "GetNext() failed because the iterator has not been initialized. Ensure that "
                    "you have run the initializer operation for this iterator before getting the "
                    "next element.",
                )
            elements = self._running[session] = OwnedIterator(self._node)
        with immediately():
            try:
                return [convert_to_tensor(x) for x in structure.flatten(next(elements))]
            except StopIteration:
                raise OutOfRangeError(None, None, "End of sequence") from None

    def string_handle(self, name: str | None = None) -> Any:
        """Return a scalar string tensor that names the iterator.

        Args:
            name: Name of the operation.

        Returns:
            Scalar string tensor, which `from_string_handle` accepts.
        """
        if self._key is None:
            self._key = f"iterator_{next(_numbers)}".encode()
            _by_handle[self._key] = self
        return _constant(self._key, name=name or "string_handle")

    @property
    def element_spec(self) -> Nest:
        """Type of the elements, as `tf.data.Dataset.element_spec`."""
        return self._spec

    @property
    def output_types(self) -> Nest:
        """Dtype of each component of an element."""
        return get_output_types(self)

    @property
    def output_shapes(self) -> Nest:
        """Shape of each component of an element."""
        return get_output_shapes(self)

    @property
    def output_classes(self) -> Nest:
        """Class of each component of an element, such as `tf.Tensor`."""
        return get_output_classes(self)


def _named(handle: Any) -> IteratorV1:
    known = handle.constant if isinstance(handle, GraphTensor) else handle
    key = b"" if known is None else bytes(known.numpy())
    if key not in _by_handle:
        raise InvalidArgumentError(None, None, f"No iterator has the handle {key!r}.")
    return _by_handle[key]


def _specs(types: Nest, shapes: Nest) -> Nest:
    leaves = structure.flatten(types)
    given = [None] * len(leaves) if shapes is None else structure.flatten_up_to(types, shapes)
    specs = [TensorSpec(TensorShape(s), t) for t, s in zip(leaves, given, strict=True)]
    return structure.pack(types, specs)


def make_one_shot_iterator(dataset: DatasetBase) -> Any:
    """Return an iterator that starts automatically at the first element of a dataset.

    Args:
        dataset: A `tf.data.Dataset` that does not depend on placeholders.

    Returns:
        A `tf.compat.v1.data.Iterator`. In eager execution, the iterator `iter(dataset)`.

    Raises:
        ValueError: If the dataset depends on placeholders.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     iterator = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(3))
        ...     number = iterator.get_next()
        ...     print(sess.run(number), sess.run(number))
        0 1

    See also: `tf.compat.v1.data.make_initializable_iterator`.
    """
    if tracing.executing_eagerly():
        return iter(dataset)
    if bind(dataset._node, {}):
        raise ValueError(
            "A one-shot iterator cannot depend on placeholders. Use make_initializable_iterator() "
            "and run its initializer."
        )
    return IteratorV1(dataset.element_spec, dataset._node, starts=True)


def make_initializable_iterator(dataset: DatasetBase, shared_name: str | None = None) -> IteratorV1:
    """Return an iterator that an operation starts at the first element of a dataset.

    Args:
        dataset: A `tf.data.Dataset`, which may depend on placeholders.
        shared_name: Has no effect.

    Returns:
        A `tf.compat.v1.data.Iterator`. Run its `initializer` in a session first.

    Raises:
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     dataset = tf.data.Dataset.range(2)
        ...     iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
        ...     number = iterator.get_next()
        ...     sess.run(iterator.initializer)
        ...     print(sess.run(number), sess.run(number))
        0 1

    See also: `tf.compat.v1.data.make_one_shot_iterator`.
    """
    if tracing.executing_eagerly():
        raise RuntimeError(
            "make_initializable_iterator() is not supported in eager mode. Use Python-style "
            "iteration instead."
        )
    return IteratorV1(dataset.element_spec, dataset._node)


def _each(value: Any, read: Callable[[Any], Any]) -> Nest:
    spec = value.element_spec
    return structure.pack(spec, [read(leaf) for leaf in structure.flatten(spec)])


def get_output_types(dataset_or_iterator: Any) -> Nest:
    """Return the dtypes of the elements of a dataset or iterator.

    Args:
        dataset_or_iterator: Dataset or iterator.

    Returns:
        Dtype, or a nested structure (tuple or dict) of dtypes.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.data.get_output_types(tf.data.Dataset.from_tensors(1.0))
        tf.float32

    See also: `tf.data.Dataset.element_spec`.
    """
    return _each(dataset_or_iterator, lambda spec: spec.dtype)


def get_output_shapes(dataset_or_iterator: Any) -> Nest:
    """Return the shapes of the elements of a dataset or iterator.

    Args:
        dataset_or_iterator: Dataset or iterator.

    Returns:
        `tf.TensorShape`, or a nested structure (tuple or dict) of shapes.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.data.get_output_shapes(tf.data.Dataset.from_tensors([1.0, 2.0]))
        TensorShape([2])

    See also: `tf.data.Dataset.element_spec`.
    """
    return _each(dataset_or_iterator, lambda spec: spec.shape)


def get_output_classes(dataset_or_iterator: Any) -> Nest:
    """Return the classes of the elements of a dataset or iterator.

    Args:
        dataset_or_iterator: Dataset or iterator.

    Returns:
        Class such as `tf.Tensor`, or a nested structure (tuple or dict) of classes.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.data.get_output_classes(tf.data.Dataset.range(2)) is tf.Tensor
        True

    See also: `tf.data.Dataset.element_spec`.
    """
    return _each(dataset_or_iterator, lambda spec: spec.value_type)


Iterator = IteratorV1
