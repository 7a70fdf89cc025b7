"""`tf.cond`, `tf.switch_case`, `tf.case` and `tf.while_loop`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from tfpy._src.base import tracing
from tfpy._src.base.errors import InvalidArgumentError, NotTraceableError
from tfpy._src.compiler.ops.logic import logical_and, not_equal
from tfpy._src.core.conversion import constant, convert_to_tensor, is_operand
from tfpy._src.core.operand import Composite, HostObject, Operand
from tfpy._src.core.records import assert_same_structure, flatten, map_structure, pack_sequence_as
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import IntLike, Nest, TensorLike
from tfpy._src.functions.control.staging import staged_cond, staged_while
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.tensors.array.reshaping import reshape

Function = Callable[..., Any]


def cond(
        pred: TensorLike, true_fn: Function | None = None, false_fn: Function | None = None,
        name: str | None = None,
    ) -> Nest:  # fmt: skip
    """Return `true_fn()` if a predicate is true, else `false_fn()`.

    In a `tf.function`, both functions are traced if `pred` depends on tensors, and the compiled
    program runs only one of them. Gradients flow through the function that ran.

    Args:
        pred: Scalar bool tensor, or a Python bool.
        true_fn: Function to call if `pred` is true. It takes no arguments and returns a tensor or
            a nested structure (list, tuple or dict) of tensors. Required.
        false_fn: Function to call if `pred` is false. In a `tf.function`, its result must have the
            same structure and dtypes as the result of `true_fn`. If the shapes differ, the
            `tf.function` runs eagerly, without compilation. Required.

    Returns:
        The result of the function that was called.

    Raises:
        TypeError: If `true_fn` or `false_fn` is not callable. In a `tf.function`, also if the
            structures or dtypes of their results differ.
        ValueError: If `pred` is not a scalar.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant(3.0)
        >>> float(tf.cond(x > 2.0, lambda: x * 10.0, lambda: x))
        30.0

    See also: `tf.switch_case`, `tf.case`, `tf.where`.
    """
    for label, fn in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(fn):
            raise TypeError(f"'{label}' must be callable.")
    assert true_fn is not None
    assert false_fn is not None
    if is_symbolic(pred):
        return staged_cond(scalar_bool(pred), [true_fn, false_fn], "tf.cond")
    holds = truth(pred)
    with tracing.within(tracing.next_place(), holds):
        return true_fn() if holds else false_fn()


def scalar_bool(pred: Any) -> Tensor:
    """Return a symbolic predicate as a scalar bool tensor. Nonzero numbers are true.

    Raises:
        ValueError: If the predicate does not have one element.
    """
    tensor = convert_to_tensor(pred)
    if tensor.size != 1:
        raise ValueError(f"The predicate must be a scalar, got shape {tensor.shape}")
    if tensor.ndim:
        tensor = reshape(tensor, [])
    return tensor if tensor.dtype.is_bool else not_equal(tensor, 0)


def truth(pred: Any) -> bool:
    """Return the value of a predicate.

    Raises:
        ValueError: If the predicate is not a scalar.
    """
    if is_operand(pred) and tuple(pred.aval.shape) != ():
        raise ValueError(f"The predicate must be a scalar, got shape {pred.shape}")
    return bool(pred)


def switch_case(
    branch_index: Operand,
    branch_fns: Mapping[int, Function] | Sequence[Function] | Sequence[tuple[int, Function]],
    default: Function | None = None,
    name: str = "switch_case",
) -> Nest:
    """Call one of several functions, which an index selects.

    In a `tf.function`, all functions are traced, and the compiled program runs only one of them.

    Args:
        branch_index: Index of the function to call, a scalar integer tensor.
        branch_fns: Functions to choose from, which take no arguments. Pass a list of functions, a
            list of pairs `(index, function)`, or a dict from indices to functions. The indices must
            be 0, 1, 2, … without gaps.
        default: Function to call if the index is out of range. Default: the last one of
            `branch_fns`.

    Returns:
        The result of the function that was called. In a `tf.function`, the results of all functions
        must have the same structure and dtypes. If their shapes differ, the `tf.function` runs
        eagerly, without compilation.

    Raises:
        TypeError: If `branch_index` is not an integer tensor, or if a branch is not callable.
        ValueError: If `branch_fns` is empty, or if its indices have gaps.

    Example:
        >>> import tfpy as tf
        >>> branches = [lambda: tf.constant(10), lambda: tf.constant(20)]
        >>> tf.switch_case(tf.constant(1), branches).numpy().tolist()
        20

    See also: `tf.cond`, `tf.case`.
    """
    if not is_operand(branch_index):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    index = convert_to_tensor(branch_index)
    if not index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {index.dtype}")
    branches = [*_branches(branch_fns), *([] if default is None else [default])]
    if is_symbolic(index):
        return staged_cond(index, branches, "tf.switch_case")
    chosen = int(index)
    with tracing.within(tracing.next_place(), chosen):
        return branches[chosen if 0 <= chosen < len(branches) else -1]()


def _branches(branch_fns: Any) -> list[Function]:
    given: list[Any] = list(branch_fns.items() if isinstance(branch_fns, Mapping) else branch_fns)
    if not given:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if all(callable(f) for f in given):
        return given
    for pair in given:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        if not callable(pair[1]):
            raise TypeError(f"The branch with number {pair[0]} is not callable: {pair[1]}")
    by_number = dict(given)
    if sorted(by_number) != list(range(len(given))):
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(given)}) but found "
            f"{sorted(by_number)}"
        )
    return [by_number[i] for i in range(len(given))]


def case(
    pred_fn_pairs: Sequence[tuple[Operand, Function]] | Mapping[Any, Function],
    default: Function | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Nest:
    """Call the function that belongs to the first predicate that is true.

    Args:
        pred_fn_pairs: List of pairs `(predicate, function)`. A predicate is a scalar bool tensor,
            and a function takes no arguments. If `exclusive` is True, this may also be a dict from
            references to predicates (`x.ref()`) to functions.
        default: Function to call if no predicate is true. Default: raise an error in this case.
        exclusive: Declares that at most one predicate is true, so that the order of the pairs does
            not matter. This is not checked.
        strict: Has no effect.

    Returns:
        The result of the function that was called. In a `tf.function`, the results of all functions
        must have the same structure and dtypes. If their shapes differ, the `tf.function` runs
        eagerly, without compilation.

    Raises:
        TypeError: If an entry is not a pair, or if a predicate is not a bool tensor.
        ValueError: If `pred_fn_pairs` is a dict and `exclusive` is False.
        tf.errors.InvalidArgumentError: If no predicate is true and there is no `default`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.constant(7)
        >>> cases = [(x < 0, lambda: tf.constant("negative")), (x > 5, lambda: tf.constant("big"))]
        >>> tf.case(cases, lambda: tf.constant("small")).numpy()
        b'big'

    See also: `tf.cond`, `tf.switch_case`.
    """
    otherwise = _none_holds if default is None else default
    for pred, fn in reversed(_cases(pred_fn_pairs, exclusive)):
        otherwise = functools.partial(cond, pred, fn, otherwise)
    return otherwise()


def _none_holds() -> NoReturn:
    raise InvalidArgumentError(
        None, "case", "case: None of conditions evaluated as True; pass a default function"
    )


def _cases(pred_fn_pairs: Any, exclusive: bool) -> list[tuple[Any, Function]]:
    if isinstance(pred_fn_pairs, Mapping):
        if not exclusive:
            raise ValueError(
                "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when "
                "`exclusive=False`: pass a list of pairs"
            )
        given = [(ref.deref(), fn) for ref, fn in pred_fn_pairs.items()]
    else:
        given = list(pred_fn_pairs)
    for pair in given:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        pred, fn = pair
        if not is_operand(pred):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        if not pred.dtype.is_bool:
            raise TypeError(f"pred must be of type bool: {pred!r}")
        if not callable(fn):
            raise TypeError(f"fn must be callable, got: {fn}")
    return [(pred, fn) for pred, fn in given]


def while_loop(
    cond: Function,
    body: Function,
    loop_vars: Sequence[Nest],
    shape_invariants: Sequence[Nest] | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: IntLike | None = None,
    name: str | None = None,
) -> Nest:
    """Repeat `body` while `cond` is true.

    In a `tf.function`, the loop is compiled as one loop instead of being unrolled. Elsewhere it
    runs in Python. The loop can be differentiated. The gradient of a compiled loop runs the loop a
    second time and stores the loop variables of each iteration, so the memory grows with the number
    of iterations.

    Args:
        cond: Function that takes the loop variables as arguments and returns a scalar bool.
        body: Function that takes the loop variables as arguments and returns their new values, in
            the same structure.
        loop_vars: Initial values of the loop variables, a list or tuple. Each item is a tensor, a
            `tf.TensorArray`, or a nested structure (list, tuple or dict) of these.
        shape_invariants: Shapes of the loop variables, nested like `loop_vars`, with None for
            dimensions that change between iterations. They are needed only in a `tf.function`,
            where they allow the shapes of loop variables to change. If a shape changes, that
            function runs eagerly, without compilation. The specified shapes are not compared with
            the actual ones. Default: in a `tf.function`, the shapes of loop variables must not
            change.
        parallel_iterations: Has no effect.
        back_prop: Has no effect.
        swap_memory: Has no effect.
        maximum_iterations: Maximum number of iterations, an integer or scalar integer tensor.
            Default: no limit.

    Returns:
        The values of the loop variables after the last iteration, in the structure of `loop_vars`.

    Raises:
        TypeError: If `cond` or `body` is not callable. In a `tf.function`, also if the dtype of a
            loop variable changes.
        ValueError: If `loop_vars` is empty, or if `body` returns a different structure. In a
            `tf.function`, also if the shape of a loop variable changes and `shape_invariants` is
            None.

    Example:
        >>> import tfpy as tf
        >>> [n] = tf.while_loop(lambda n: n < 100, lambda n: [n * 2], [tf.constant(1)])
        >>> int(n)
        128

    See also: `tf.map_fn`, `tf.scan`, `tf.TensorArray`.
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if not isinstance(loop_vars, list | tuple) or not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    if tracing.local.active:
        return _staged(cond, body, loop_vars, maximum_iterations, shape_invariants is not None)
    limit = None if maximum_iterations is None else int(maximum_iterations)
    state: Sequence[Any] = loop_vars
    done, test_place, body_place = 0, tracing.next_place(), tracing.next_place()

    def holds() -> bool:
        with tracing.within(test_place):
            return truth(cond(*state))

    while (limit is None or done < limit) and holds():
        with tracing.within(body_place):
            new = body(*state)
        if len(state) == 1 and not isinstance(new, list | tuple):
            new = type(loop_vars)([new])
        assert_same_structure(list(state), list(new), check_types=False)
        state = new
        done += 1
    found = map_structure(_as_value, state)
    is_eager = tracing.local.places is None  # not in a function that runs op by op
    return found if is_eager else pack_sequence_as(loop_vars, flatten(found))


def _as_value(value: Any) -> Any:
    kept = isinstance(value, TensorArray | Composite | Tensor | HostObject)
    return value if kept else convert_to_tensor(value)


def _staged(
    cond: Function, body: Function, loop_vars: Any, maximum_iterations: Any, may_grow: bool
) -> Any:
    """Trace the loop into an equation."""
    bounded = maximum_iterations is not None

    def test(leaves: list[Any]) -> Any:
        go_on = scalar_bool(cond(*pack_sequence_as(loop_vars, leaves[1:])))
        return logical_and(go_on, leaves[0] < maximum_iterations) if bounded else go_on

    def step(leaves: list[Any]) -> list[Any]:
        new = body(*pack_sequence_as(loop_vars, leaves[1:]))
        if len(loop_vars) == 1 and not isinstance(new, list | tuple):
            new = [new]
        assert_same_structure(list(loop_vars), list(new), check_types=False)
        return [leaves[0] + 1, *flatten(new)]

    first = [constant(0), *map(_as_value, flatten(loop_vars))]
    check = functools.partial(_unchanged, may_grow=may_grow)
    return pack_sequence_as(loop_vars, staged_while(test, step, first, check)[1:])


def _unchanged(before: list[Any], after: list[Any], may_grow: bool = False) -> list[Any]:
    """Check that an iteration does not change dtypes, shapes and the lengths of lists."""
    found = [_as_value(x) for x in after]
    for old, new in zip(before, found, strict=True):
        if isinstance(old, TensorArray) and old.length != new.length:
            raise NotTraceableError(
                "tf.while_loop: a list is longer or shorter after an iteration; its length must "
                "stay the same"
            )
        if isinstance(old, Tensor) and old.aval.closed != new.aval.closed:
            shapes = NotTraceableError if may_grow else ValueError
            raise (TypeError if old.dtype != new.dtype else shapes)(
                f"tf.while_loop: a loop variable enters the loop as {old.aval}, but is {new.aval} "
                "after one iteration; shapes and dtypes must stay the same"
            )
    return found


def repeat(count: int, body: Callable[[Any, Any], Any], state: Any) -> Any:
    """Repeat `state = body(i, state)` for `i` below `count`, and return `state`."""
    if not tracing.local.active:
        place = tracing.next_place()
        for i in range(count):
            with tracing.within(place):
                state = body(i, state)
        return state

    def step(leaves: list[Any]) -> list[Any]:
        return [leaves[0] + 1, *flatten(body(leaves[0], pack_sequence_as(state, leaves[1:])))]

    first = [constant(0), *flatten(state)]
    left = staged_while(lambda leaves: leaves[0] < count, step, first, _unchanged)
    return pack_sequence_as(state, left[1:])
