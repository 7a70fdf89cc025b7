"""The `while` and `for` statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.compiler.ops.logic import logical_and
from tfpy._src.core.conversion import constant, convert_to_tensor, is_operand
from tfpy._src.core.operand import HostObject
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.autograph.operators.builtins import LazyRange
from tfpy._src.functions.autograph.operators.conditional import if_stmt
from tfpy._src.functions.autograph.operators.loop_state import LoopState
from tfpy._src.functions.autograph.operators.running import RunningLoop
from tfpy._src.functions.control.control_flow import scalar_bool
from tfpy._src.functions.control.staging import staged_while
from tfpy._src.functions.control.traced_parts import LoopPart, inside
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.slicing import take

Get = Callable[[], Sequence[Any]]
Set = Callable[[Sequence[Any]], None]


def while_stmt(
    test: Callable[[], Any], body: Callable[[], Any], get: Get, set_: Set, names: Sequence[str]
) -> None:
    """Repeat the body, and trace a loop equation as soon as the test is a tensor in a trace.

    Args:
        test: Returns the condition.
        body: Runs the body.
        get: Returns the values of the loop's variables.
        set_: Assigns the values of the loop's variables.
        names: Names of the loop's variables.

    Raises:
        ValueError: If a variable is undefined before the loop, or changes its shape.
        TypeError: If a variable changes its dtype or structure.
    """
    place = None
    with RunningLoop() as loop:
        while loop.may_go_on:
            go_on = test()
            if tracing.local.active and is_operand(go_on):
                _Loop(get, set_, names).run(lambda _: test(), lambda own: (body(), own)[1], [])
                return
            if not go_on:
                return
            if not is_operand(go_on):
                body()
                continue
            place = tracing.next_place() if place is None else place
            with tracing.within(place):
                body()
            loop.done += 1


def for_stmt(
    iterated: Any,
    go_on: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    get: Get,
    set_: Set,
    names: Sequence[str],
) -> None:
    """Run the body for each item. Loops over tensors and tensor ranges become an equation.

    Args:
        iterated: Object over which the loop iterates.
        go_on: Returns the condition for another iteration, if the loop has break or return.
        body: Runs the body for an item.
        get: Returns the values of the loop's variables.
        set_: Assigns the values of the loop's variables.
        names: Names of the loop's variables.

    Raises:
        ValueError: If a variable is undefined before the loop, or changes its shape.
        TypeError: If a variable changes its dtype or structure.
    """
    loop = _Loop(get, set_, names, go_on)
    if isinstance(iterated, LazyRange):
        loop.over_range(iterated, body)
    elif tracing.local.active and isinstance(iterated, Tensor):
        rows = iterated
        if not rows.ndim:
            raise ValueError("Cannot iterate over a scalar tensor.")
        indices = LazyRange(constant(0), rows.aval.shape[0], 1)
        loop.over_range(indices, lambda i: body(take(rows, i)))
    else:
        _python_for(iterated, go_on, body, get, set_, names)


def _python_for(
    iterated: Iterable[Any],
    go_on: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    get: Get,
    set_: Set,
    names: Sequence[str],
) -> None:
    holds: Any = True
    is_loop = isinstance(iterated, Tensor | HostObject)  # traces unroll all other loops
    place = tracing.next_place() if is_loop else ()
    with RunningLoop() as loop:
        for item in iterated:
            if is_symbolic(holds):  # a tensor ended the loop; the remaining items are conditional
                step = lambda item=item: body(item)  # noqa: E731
                if_stmt(holds, step, lambda: None, get, set_, names, len(names))
            elif is_loop:
                with tracing.within(place):
                    body(item)
            else:
                body(item)
            holds = True if go_on is None else go_on()
            if not is_symbolic(holds) and not holds:
                break
            loop.done += isinstance(iterated, Tensor)
            if not loop.may_go_on:
                break


class _Loop:
    """A loop of converted code that becomes an equation."""

    def __init__(
        self, get: Get, set_: Set, names: Sequence[str], go_on: Callable[[], Any] | None = None
    ) -> None:
        self._get, self._set, self._names, self._go_on = get, set_, names, go_on

    def over_range(self, numbers: LazyRange, body: Callable[[Any], Any]) -> None:
        """Trace the loop over a range. The next number is the loop's first variable."""

        def step(own: list[Any]) -> list[Any]:
            body(own[0])
            return [own[0] + numbers.delta]

        def test(own: list[Any]) -> Any:
            inside = numbers.holds(own[0])
            return inside if self._go_on is None else logical_and(inside, self._go_on())

        self.run(test, step, [numbers.first])

    def run(
        self,
        test: Callable[[list[Any]], Any],
        step: Callable[[list[Any]], list[Any]],
        own: list[Any],
    ) -> None:
        """Trace the loop and assign the final values of its variables.

        Args:
            test: Function that takes the loop's own variables and returns the condition.
            step: Function that takes the loop's own variables, runs the body, and returns their new
                values.
            own: Initial values of the loop's own variables.
        """
        count = len(own)
        before = self._get()
        state = LoopState(self._names, before)
        try:
            if state.undefined:
                state = self._defined(state, step, own)

            def body(leaves: list[Any]) -> list[Any]:
                self._set(state.unpacked(leaves[count:]))
                new = step(leaves[:count])
                return [*new, *state.checked(self._get())]

            def go_on(leaves: list[Any]) -> Any:
                self._set(state.unpacked(leaves[count:]))
                return scalar_bool(test(leaves[:count]))

            first = [*own, *state.leaves]
            results = staged_while(go_on, body, first, lambda _, after: after)
        except BaseException:
            self._set(before)
            raise
        self._set(state.unpacked(results[count:]))

    def _defined(self, state: LoopState, step: Any, own: list[Any]) -> LoopState:
        """Trace one iteration. Return the state with zeros for variables that the body defines."""
        part = LoopPart("first_iteration")

        def once() -> list[Any]:
            values = [part.argument(convert_to_tensor(x).aval, "loop_var") for x in own]
            self._set(state.placeholders(part))
            step(list(values))
            return list(self._get())

        try:
            found = inside(part, once)
        except UnboundLocalError as error:
            raise ValueError(f"a variable must be defined before the loop: {error}") from error
        return state.with_defined(found, lambda x: zeros(x.shape, x.dtype))
