"""`tf.notebook.progress`: a progress bar for a loop, with numbers that the loop reports."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

from tfpy._src.backends.event_loop import give_turn
from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.storage import Storage
from tfpy._src.display.html import escape
from tfpy._src.display.live_plot import Series, number
from tfpy._src.display.screen import Screen, in_notebook


def tqdm_bars(in_notebook: bool) -> Any:
    """Return tqdm's class of progress bars for this environment; None if there is no usable one.

    The notebook's class needs ipywidgets. A page has no terminal, so it uses the module's own bar.
    """
    if importlib.util.find_spec("tqdm") is None:
        return None
    if in_notebook:
        if importlib.util.find_spec("ipywidgets") is None:
            return None
        made: Any = importlib.import_module("tqdm.notebook").tqdm
    elif IN_BROWSER:
        return None
    else:
        made = importlib.import_module("tqdm").tqdm
    if IN_BROWSER:
        made.monitor_interval = 0  # disables the monitor thread
    return made


class TqdmBar:
    """A progress bar of tqdm.

    Args:
        bars: tqdm's class of bars.
    """

    def __init__(self, bars: Any, total: int | None, label: str) -> None:
        self._bar = bars(total=total, desc=label or None)

    def draw(self, progress: Any) -> None:
        """Show the progress."""
        shown = {name: f"{value:.4g}" for name, value in progress.values.items()}
        self._bar.set_postfix(shown, refresh=False)
        self._bar.update(progress.done - self._bar.n)

    def close(self, progress: Any) -> None:
        """Show the progress and leave the bar as it is."""
        self.draw(progress)
        self._bar.close()


T = TypeVar("T")

_EVERY = 0.2
"""Seconds between updates of the bar."""
_MANY = 100
"""Rate per second above which no decimals are shown."""
_CELLS = 24
"""Number of characters of a bar of text."""


def progress(
    iterable: Iterable[T] | AsyncIterable[T],
    total: int | None = None,
    label: str = "",
    plot: bool = False,
) -> Progress[T]:
    """Show a progress bar for a loop.

    In a page, use `async for`, so that the page stays responsive. If the package tqdm is installed,
    a terminal shows a bar of tqdm. A notebook does the same if ipywidgets is installed as well.

    Args:
        iterable: Iterable of the loop. For `async for`, it may be asynchronous.
        total: Number of elements. Default: `len(iterable)` if it is defined; otherwise the bar only
            counts the elements.
        label: Text in front of the bar.
        plot: If True, the numbers that the loop reports are also plotted as lines, in a notebook or
            a page.

    Returns:
        An iterable over the same elements. Its method `show(**values)` sets the numbers next to the
        bar; they can be Python numbers or tensors with one element.

    Example:
        >>> import tfpy as tf
        >>> w = tf.Variable(4.0)
        >>> steps = tf.notebook.progress(range(100), label="training")
        >>> for step in steps:  # doctest: +SKIP
        ...     steps.show(loss=w.assign(w * 0.9))
        training  ━━━━━━━━━━━━━━━━━━━━━━━━ 100%  100/100  1.08e+03/s  0:00  loss 0.0001062

    See also: `tf.notebook.LivePlot`.
    """
    return Progress(iterable, total, label, plot)


class Progress(Generic[T]):
    """A loop with a progress bar, as `tf.notebook.progress` returns it."""

    def __init__(
        self,
        iterable: Iterable[T] | AsyncIterable[T],
        total: int | None,
        label: str,
        plot: bool,
    ) -> None:
        self._iterable = iterable
        self.total = _length(iterable) if total is None else total
        """Number of elements; None if it is unknown."""
        self.label = label
        self.done = 0
        """Number of finished elements."""
        self.values: dict[str, float] = {}
        """Numbers next to the bar."""
        self.series = Series("step") if plot else None
        """Plotted numbers; None without a plot."""
        self._given: dict[str, Any] = {}
        self._began = time.monotonic()
        self._drawn = 0.0
        self._bar: _Bar | None = None

    def show(self, **values: Any) -> None:
        """Set the numbers next to the bar.

        Tensors are not read in each step, but only when the bar is drawn, a few times per second.

        Args:
            values: Numbers by name, or tensors with one element.
        """
        self._given.update(values)

    def __iter__(self) -> Iterator[T]:
        """Yield the elements.

        Raises:
            TypeError: If the elements are asynchronous.
            RuntimeError: If Python cannot wait here for a tensor to show.
        """
        if not isinstance(self._iterable, Iterable):
            raise TypeError("progress: the elements are asynchronous. Use `async for`.")
        self._begin()
        try:
            for element in self._iterable:
                yield element
                self.done += 1
                if self._is_due():
                    self._draw({k: _number(k, v) for k, v in self._given.items()})
            self._draw({k: _number(k, v) for k, v in self._given.items()})
        finally:
            self._end()

    async def __aiter__(self) -> AsyncIterator[T]:
        """Yield the elements. Other tasks can run between them."""
        self._begin()
        try:
            async for element in _awaited(self._iterable):
                yield element
                self.done += 1
                if self._is_due():
                    self._draw({k: await _read(k, v) for k, v in self._given.items()})
                await give_turn()
            self._draw({k: await _read(k, v) for k, v in self._given.items()})
        finally:
            self._end()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    def _begin(self) -> None:
        self.done = 0
        self._began = time.monotonic()
        self._bar = _opened(self)
        self._draw({})

    def _is_due(self) -> bool:
        """Return True if an update is due: after the first step, and then regularly."""
        return self.done == 1 or time.monotonic() - self._drawn >= _EVERY

    def _draw(self, values: Mapping[str, float]) -> None:
        assert self._bar is not None
        self.values.update(values)
        if self.series is not None and values:
            self.series.extend(self.done, values)
        self._bar.draw(self)
        self._drawn = time.monotonic()

    def _end(self) -> None:
        """Close the bar, which stays visible, even if the loop was left early."""
        assert self._bar is not None
        self._bar.close(self)


class _Bar(Protocol):
    def draw(self, progress: Progress[Any]) -> None: ...

    def close(self, progress: Progress[Any]) -> None: ...


def _opened(progress: Progress[Any]) -> _Bar:
    """Return a new bar for this environment."""
    bars = tqdm_bars(in_notebook())
    if bars is not None and progress.series is None:
        return TqdmBar(bars, progress.total, progress.label)
    shows_html = in_notebook() or (IN_BROWSER and progress.series is not None)
    return _Picture() if shows_html else _Line()


class _Picture:
    """A bar, and optionally a plot below it, as HTML."""

    def __init__(self) -> None:
        self._screen = Screen()

    def draw(self, progress: Progress[Any]) -> None:
        self._screen.show(html(progress))

    def close(self, progress: Progress[Any]) -> None:
        self.draw(progress)


class _Line:
    """A line of text that is rewritten. If this is not possible, only the last one is printed."""

    def __init__(self) -> None:
        self._rewrites = IN_BROWSER or sys.stdout.isatty()
        self._width = 0

    def draw(self, progress: Progress[Any]) -> None:
        if self._rewrites:
            self._print(progress, "")

    def close(self, progress: Progress[Any]) -> None:
        self._print(progress, "\n")

    def _print(self, progress: Progress[Any], end: str) -> None:
        line = text(progress)
        before = "\r" if self._rewrites else ""
        print(f"{before}{line.ljust(self._width)}", end=end, flush=True)
        self._width = len(line)


def text(progress: Progress[Any]) -> str:
    """Return the progress as a line of text."""
    bar = ""
    if progress.total:
        share = min(progress.done / progress.total, 1.0)
        full = round(share * _CELLS)
        bar = f"{'━' * full}{'─' * (_CELLS - full)} {share:4.0%}"
    return "  ".join(filter(None, (progress.label, bar, *_facts(progress))))


def html(progress: Progress[Any]) -> str:
    """Return the progress as HTML, with the plot of the numbers."""
    known = f'max="{progress.total}" value="{progress.done}"' if progress.total else ""
    facts = escape("  ".join(_facts(progress)))
    name = escape(progress.label or "progress")
    shown = f"{escape(progress.label)} " if progress.label else ""
    drawn = "" if progress.series is None else f"<div>{progress.series.to_svg()}</div>"
    return (
        '<div style="font-family:ui-monospace,monospace;font-size:13px;white-space:pre-wrap">'
        f'{shown}<progress {known} aria-label="{name}" style="vertical-align:middle"></progress> '
        f"{facts}{drawn}</div>"
    )


def _facts(progress: Progress[Any]) -> list[str]:
    """Return the texts next to the bar."""
    done, total, seconds = progress.done, progress.total, progress.seconds
    facts = [f"{done:,}/{total:,}" if total is not None else f"{done:,}"]
    if done and seconds:
        rate = done / seconds
        facts.append(f"{rate:,.0f}/s" if rate >= _MANY else f"{rate:.3g}/s")
        left = (total - done) * seconds / done if total is not None else 0.0
        facts.append(f"{_clock(left)} left" if left > 0 else _clock(seconds))
    return [*facts, *(f"{name} {value:.4g}" for name, value in progress.values.items())]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _length(iterable: Any) -> int | None:
    try:
        return len(iterable)
    except TypeError:  # the length is undefined or unknown
        return None


async def _awaited(iterable: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    if isinstance(iterable, AsyncIterable):
        async for element in iterable:
            yield element
    else:
        for element in iterable:
            yield element


def _number(name: str, value: Any) -> float:
    """Return a Python number, or the value of a tensor or Variable that is readable now."""
    storage = getattr(getattr(value, "held", value), "storage", None)
    if isinstance(storage, Storage) and not storage.is_readable:
        raise RuntimeError(f"progress: Python cannot wait for {name} here. Use `async for`.")
    return number(name, value)


async def _read(name: str, value: Any) -> float:
    """Return a number. The value of a tensor or Variable is awaited."""
    data = getattr(value, "data", None)
    return number(name, await data() if callable(data) else value)
