"""`tf.map_fn`, `tf.scan`, `tf.foldl` and `tf.foldr`: loops over the first axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.compiler.ir.sizes import agreed, size_of
from tfpy._src.core.conversion import convert_to_tensor, is_operand
from tfpy._src.core.operand import CompositeOperand
from tfpy._src.core.records import assert_same_structure, flatten, pack_sequence_as
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.functions.control.composite_mapping import is_composite, mapped, row_of
from tfpy._src.functions.control.control_flow import repeat
from tfpy._src.functions.control.record_rows import RecordRows, has_records
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.trace.converting import passed
from tfpy._src.tensors.array.slicing import take

Function = Callable[..., Any]


def map_fn(
    fn: Function,
    elems: Nest,
    dtype: Nest = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Nest = None,
) -> Nest:
    """Apply a function to each row of a tensor and stack the results.

    Rows are processed one after the other. In a `tf.function`, this is one compiled loop.
    `tf.vectorized_map` processes all rows at once, which is usually faster.

    Args:
        fn: Function that takes one row, in the structure of `elems`, and returns a tensor, a ragged
            tensor, or a nested structure (list, tuple or dict) of these.
        elems: Tensor, ragged tensor or sparse tensor of shape `[rows, ...]`, or a nested structure
            of these.
        dtype: Older name of `fn_output_signature`.
        parallel_iterations: Has no effect.
        back_prop: Has no effect.
        swap_memory: Has no effect.
        infer_shape: Has no effect.
        fn_output_signature: Dtypes of the results, in the structure that `fn` returns. A
            `tf.RaggedTensorSpec` in place of a dtype makes a ragged result. Default: the structure
            and dtypes of `elems`.

    Returns:
        A tensor of shape `[rows, ...]`, a ragged tensor if a spec asks for it, or a nested
        structure of these, in the structure that `fn` returns.

    Raises:
        TypeError: If `fn` is not callable.
        ValueError: If `elems` contains a scalar, or tensors whose first dimensions differ. Also if
            the structures of the results, or the shapes of results that are not ragged, differ.
        tf.errors.InvalidArgumentError: If `fn` returns a dtype other than the one in
            `fn_output_signature` (by default, the dtype of `elems`).

    Example:
        >>> import tfpy as tf
        >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy().tolist()
        [1, 4, 9]

    See also: `tf.vectorized_map`, `tf.scan`.
    """
    check_callable(fn)
    fn = passed(fn) if tracing.local.active else fn
    signature = fn_output_signature if fn_output_signature is not None else dtype
    if has_records(elems, signature):
        given = RecordRows(fn, elems, signature)
        found = map_fn(given.row, given.encoded, fn_output_signature=given.signature)
        return given.decoded(found, sizes_of([rows_of(x) for x in flatten(given.encoded)])[0])
    rows: list[Any] = [rows_of(x) for x in flatten(elems)]
    count = _length(rows)
    like = elems if signature is None else signature
    kinds = rows if signature is None else flatten(signature)

    if any(map(is_composite, (*rows, *kinds))):
        return mapped(fn, elems, like, kinds, lambda i: [row(x, i) for x in rows], count)

    def body(i: Any, arrays: Sequence[TensorArray]) -> list[TensorArray]:
        result = fn(pack_sequence_as(elems, [row(x, i) for x in rows]))
        assert_same_structure(like, result)
        found = zip(arrays, flatten(result), strict=True)
        return [array.write(i, value) for array, value in found]

    arrays = [_results(kind, count) for kind in kinds]
    return pack_sequence_as(like, [a.stack() for a in repeat(count, body, arrays)])


def _results(kind: Any, count: int) -> TensorArray:
    """Return the array for the results of a dtype, or of a spec with dtype and shape."""
    if isinstance(kind, type):  # a class of NumPy, whose attributes describe its instances
        return TensorArray(kind, count)
    is_spec = hasattr(kind, "shape") and not is_operand(kind)
    shape = kind.shape if is_spec else None
    return TensorArray(getattr(kind, "dtype", kind), count, element_shape=shape)


def scan(
    fn: Function,
    elems: Nest,
    initializer: Nest = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Nest:
    """Fold a function over the rows of a tensor and return all intermediate results.

    Rows are processed one after the other. In a `tf.function`, this is one compiled loop.

    Args:
        fn: Function that takes the accumulated value and a row of `elems`, and returns the new
            accumulated value.
        elems: Tensor of shape `[rows, ...]`, or a nested structure (list, tuple or dict) of such
            tensors.
        initializer: Accumulated value before the first row, a tensor or nested structure of
            tensors. Default: the first row is the accumulated value, and `fn` is called from the
            second row on.
        parallel_iterations: Has no effect.
        back_prop: Has no effect.
        swap_memory: Has no effect.
        infer_shape: Has no effect.
        reverse: If True, process the rows from the last to the first. The result for a row stays
            at the index of the row.

    Returns:
        The accumulated value after each row, as a tensor of shape `[rows, ...]` or a nested
        structure of such tensors, in the structure of `initializer` (by default, of `elems`).

    Raises:
        TypeError: If `fn` is not callable.
        ValueError: If the structure or shape of the accumulated value changes.
        tf.errors.InvalidArgumentError: If the dtype of the accumulated value changes.
        tf.errors.OutOfRangeError: If `elems` has no rows and `initializer` is None.

    Example:
        >>> import tfpy as tf
        >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy().tolist()
        [1, 3, 6]

    See also: `tf.foldl`, `tf.foldr`, `tf.map_fn`, `tf.cumsum`.
    """
    fold = _Fold(fn, elems, initializer, reverse)
    results = [TensorArray(t.dtype, fold.count, element_shape=t.aval.shape) for t in fold.initial]
    if fold.done:
        results = [a.write(fold.place(0), t) for a, t in zip(results, fold.initial, strict=True)]

    def body(i: Any, state: Any) -> Any:
        accumulated, arrays = state
        new = fold.step(i, accumulated)
        at = fold.place(i + fold.done)
        return new, [a.write(at, t) for a, t in zip(arrays, new, strict=True)]

    _, results = repeat(fold.count - fold.done, body, (fold.initial, results))
    return pack_sequence_as(fold.like, [a.stack() for a in results])


def foldl(
    fn: Function,
    elems: Nest,
    initializer: Nest = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Nest:
    """Fold a function over the rows of a tensor, from the first row to the last.

    Args:
        fn: Function that takes the accumulated value and a row of `elems`, and returns the new
            accumulated value.
        elems: Tensor of shape `[rows, ...]`, or a nested structure (list, tuple or dict) of such
            tensors.
        initializer: Accumulated value before the first row, a tensor or nested structure of
            tensors. Default: the first row is the accumulated value, and `fn` is called from the
            second row on.
        parallel_iterations: Has no effect.
        back_prop: Has no effect.
        swap_memory: Has no effect.

    Returns:
        The accumulated value after the last row, in the structure of `initializer` (by default, of
        `elems`).

    Raises:
        TypeError: If `fn` is not callable. In a `tf.function`, also if the dtype of the accumulated
            value changes.
        ValueError: If the structure of the accumulated value changes. In a `tf.function`, also if
            its shape changes.
        tf.errors.OutOfRangeError: If `elems` has no rows and `initializer` is None.

    Example:
        >>> import tfpy as tf
        >>> tf.foldl(lambda total, x: 10 * total + x, tf.constant([1, 2, 3])).numpy().tolist()
        123

    See also: `tf.foldr`, `tf.scan`.
    """
    return _Fold(fn, elems, initializer, reverse=False).run()


def foldr(
    fn: Function,
    elems: Nest,
    initializer: Nest = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Nest:
    """Fold a function over the rows of a tensor, from the last row to the first.

    Args:
        fn: Function that takes the accumulated value and a row of `elems`, and returns the new
            accumulated value.
        elems: Tensor of shape `[rows, ...]`, or a nested structure (list, tuple or dict) of such
            tensors.
        initializer: Accumulated value before the last row, a tensor or nested structure of
            tensors. Default: the last row is the accumulated value, and `fn` is called from the
            second last row on.
        parallel_iterations: Has no effect.
        back_prop: Has no effect.
        swap_memory: Has no effect.

    Returns:
        The accumulated value after the first row, in the structure of `initializer` (by default, of
        `elems`).

    Raises:
        TypeError: If `fn` is not callable. In a `tf.function`, also if the dtype of the accumulated
            value changes.
        ValueError: If the structure of the accumulated value changes. In a `tf.function`, also if
            its shape changes.
        tf.errors.OutOfRangeError: If `elems` has no rows and `initializer` is None.

    Example:
        >>> import tfpy as tf
        >>> tf.foldr(lambda total, x: 10 * total + x, tf.constant([1, 2, 3])).numpy().tolist()
        321

    See also: `tf.foldl`, `tf.scan`.
    """
    return _Fold(fn, elems, initializer, reverse=True).run()


class _Fold:
    """The shared state of `scan` and the folds: the rows, their order and the initial value."""

    def __init__(self, fn: Function, elems: Any, initializer: Any, reverse: bool) -> None:
        check_callable(fn)
        self.fn, self.elems, self.reverse = fn, elems, reverse
        self.rows = [convert_to_tensor(x) for x in flatten(elems)]
        self.count = _length(self.rows)
        self.like = elems if initializer is None else initializer
        self.done = 1 if initializer is None else 0
        """Number of rows that are used before the first step."""
        if initializer is None:
            first = TensorArray(self.rows[0].dtype, self.count)
            self.initial = (
                [row(x, self.place(0)) for x in self.rows] if self.count else [first.read(0)]
            )
        else:
            self.initial = [convert_to_tensor(x) for x in flatten(initializer)]

    def place(self, i: Any) -> Any:
        """Return the number of the row for step `i`."""
        return self.count - 1 - i if self.reverse else i

    def step(self, i: Any, accumulated: Sequence[Any]) -> list[Tensor]:
        at = self.place(i + self.done)
        given = pack_sequence_as(self.elems, [row(x, at) for x in self.rows])
        new = self.fn(pack_sequence_as(self.like, accumulated), given)
        assert_same_structure(self.like, new)
        return [convert_to_tensor(t) for t in flatten(new)]

    def run(self) -> Any:
        return pack_sequence_as(self.like, repeat(self.count - self.done, self.step, self.initial))


def rows_of(x: Any) -> Any:
    return x if isinstance(x, CompositeOperand) else convert_to_tensor(x)


def row(x: Any, i: Any) -> Any:
    """Return a row of a dense or ragged tensor."""
    if isinstance(x, CompositeOperand):
        return row_of(x, i)
    return x[i] if isinstance(i, int) else take(x, i)


def check_callable(fn: Any) -> None:
    if not callable(fn):
        raise TypeError(f"{getattr(fn, '__name__', fn)} is not callable.")


def sizes_of(rows: Sequence[Any]) -> list[int]:
    return [_size(x) for x in _with_rows(rows)]


def _size(x: Any) -> int:
    """Return the number of rows of a tensor or composite."""
    sizes = x.aval.shape if isinstance(x, Tensor) else x.shape
    return size_of(sizes[0])


def _with_rows(rows: Sequence[Any]) -> Iterator[Any]:
    for x in rows:
        if x.ndim == 0:
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
        yield x


def _length(rows: Sequence[Any]) -> int:
    sizes = sizes_of(rows)
    if any(n != sizes[0] for n in sizes):
        raise ValueError(f"Dimensions {' and '.join(map(str, sizes))} are not compatible")
    return agreed(*sizes)
