"""The results of asynchronous public functions, which raise an error if they are not awaited."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Awaitable as Awaited, Callable, Coroutine, Generator
from typing import Any, NoReturn, ParamSpec, TypeVar

from tfpy._src.base.source_locations import warn

P = ParamSpec("P")
T = TypeVar("T")

_VALUES_HAVE = """
    abs add and call complex contains float floordiv ge getitem gt index int invert iadd imul
    isub iter itruediv le len lshift lt matmul mod mul neg or pos pow radd rand rfloordiv rmatmul
    rmod rmul ror round rpow rshift rsub rtruediv rxor setitem sub truediv xor array
"""


class Awaitable(Coroutine[Any, Any, T]):
    """A coroutine that knows its call.

    Using it like its result is a TypeError, and there is a warning if it is never awaited.
    """

    _call = "the function"
    _begun = True  # until __init__ ends, which an interrupt can prevent

    def __init__(self, awaited: Awaited[T], call: str) -> None:
        self._call = call
        self._steps: Any = awaited.__await__()
        self._begun = False

    def __await__(self) -> Generator[Any, Any, T]:
        self._begun = True
        steps: Generator[Any, Any, T] = self._steps
        return steps

    def send(self, value: Any) -> Any:
        self._begun = True
        return self._steps.send(value)

    def throw(self, *error: Any) -> Any:
        self._begun = True
        return self._steps.throw(*error)

    def close(self) -> None:
        self._begun = True
        self._steps.close()

    def __del__(self) -> None:
        if not self._begun:
            self._steps.close()  # without Python's own warning, which does not name the call
            warn(f"{self._call} was never awaited and has not run: write `await {self._call}`")

    def _mend(self) -> str:
        return f"{self._call} returns its value when it is awaited: write `await {self._call}`"

    def __repr__(self) -> str:
        return f"<{self._mend()}>"

    def __bool__(self) -> bool:
        """Return True for asyncio, which tests a task's coroutine when it prints the task."""
        if str(sys._getframe(1).f_globals.get("__name__")).startswith("asyncio."):
            return True
        self.close()
        raise TypeError(self._mend())

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"no {name}: {self._mend()}")


def _refusal(name: str) -> Callable[..., NoReturn]:
    def refuse(self: Awaitable[Any], *args: Any, **kwargs: Any) -> NoReturn:
        self.close()
        raise TypeError(self._mend())

    refuse.__name__ = name
    return refuse


for _name in _VALUES_HAVE.split():
    setattr(Awaitable, f"__{_name}__", _refusal(f"__{_name}__"))


_begun: set[asyncio.Future[Any]] = set()


def begun(coroutine: Coroutine[Any, Any, T]) -> asyncio.Future[T]:
    """Start the coroutine as a task that runs to its end even if no one awaits it."""
    task = asyncio.ensure_future(coroutine)
    _begun.add(task)
    task.add_done_callback(_begun.discard)
    return task


async def outcome(coroutine: Coroutine[Any, Any, T]) -> tuple[T | None, Exception | None]:
    """Return the result of a coroutine, or its error.

    Pyodide also reports the error of a coroutine that `run_sync` runs to the event loop. For
    JupyterLite, a cell that catches the error would then still fail.
    """
    try:
        return await coroutine, None
    except Exception as error:
        return None, error


def awaitable(
    call: str,
) -> Callable[[Callable[P, Coroutine[Any, Any, T]]], Callable[P, Coroutine[Any, Any, T]]]:
    """Decorate an asynchronous public function.

    Args:
        call: The call as a program writes it, for errors.

    Example:
        >>> import tfpy as tf
        >>> tf.constant(1.0).data() + 1.0
        Traceback (most recent call last):
        ...
        TypeError: x.data() returns its value when it is awaited: write `await x.data()`
    """

    def decorate(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Any]:
        @functools.wraps(function)
        def begin(*args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, T]:
            return Awaitable(function(*args, **kwargs), call)

        return begin

    return decorate
