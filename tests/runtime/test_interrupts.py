"""Interrupts are delayed until the end of a section or a finalizer."""

# ruff: noqa: PT012  # what comes after the interrupt is what is tested

from __future__ import annotations

import signal
import threading
import types
from collections.abc import Generator, Iterator

import pytest

from tfpy._src.backends import interrupts
from tfpy._src.backends.interrupts import held, let_in


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupts.install()
    yield
    signal.signal(signal.SIGINT, before)


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def test_a_section_is_done_whole() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), held:
        with held:
            interrupt()
            done.append("inner")
        done.append("outer")
    assert done == ["inner", "outer"]
    with held:
        pass  # the interrupt comes once


def test_an_error_in_a_section_is_the_context() -> None:
    with pytest.raises(KeyboardInterrupt) as caught, held:
        interrupt()
        raise ValueError("of the section")
    assert isinstance(caught.value.__context__, ValueError)
    assert held.depth == 0


def test_sections_of_other_threads_may_end_during_a_long_part() -> None:
    begun, long, ended = (threading.Event() for _ in range(3))

    def other() -> None:
        with held:
            begun.set()
            assert long.wait(10)
        ended.set()

    thread = threading.Thread(target=other)
    with held:
        thread.start()
        assert begun.wait(10)
        with let_in():
            long.set()
            assert ended.wait(10)
    thread.join()
    assert held.depth == 0


def test_a_long_part_of_a_section_lets_it_in() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), held:
        with let_in():
            interrupt()
            done.append("part")
        done.append("section")
    assert done == []
    with pytest.raises(KeyboardInterrupt), held:
        interrupt()
        with let_in():
            done.append("part")
    assert done == []
    assert held.depth == 0


def test_a_finalizer_is_done_whole() -> None:
    """Check that an interrupt is raised after a finalizer.

    An exception inside the finalizer would be lost.
    """
    done = []

    class Freed:
        def __del__(self) -> None:
            interrupt()
            done.append("freed")

    freed = Freed()
    with pytest.raises(KeyboardInterrupt):
        del freed
        done.append("too late")
    assert done == ["freed"]


def test_a_finalizer_at_the_end_of_a_function() -> None:
    class Freed:
        def __del__(self) -> None:
            interrupt()

    def last() -> None:
        _ = Freed()

    done = []
    with pytest.raises(KeyboardInterrupt):
        last()
        done.append("too late")
    assert done == []


def test_a_finalizer_without_a_caller() -> None:
    def waiting() -> Generator[None]:
        yield

    frame = types.FunctionType(waiting.__code__.replace(co_name="__del__"), {})().gi_frame
    assert frame.f_back is None
    interrupts._on_interrupt(signal.SIGINT, frame)
    with pytest.raises(KeyboardInterrupt), held:
        pass


def test_the_programs_own_handler_is_asked() -> None:
    heard = []
    signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    interrupts.install()
    interrupts.install()
    with held:
        interrupt()
        assert heard == []
    assert heard == [signal.SIGINT]
    interrupt()
    assert len(heard) == 2


def test_a_program_that_ignores_them_does_so_still() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupts.install()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_delayed_interrupt_has_a_frame() -> None:
    frames: list[types.FrameType | None] = []
    interrupts.held.handler = lambda _, frame: frames.append(frame)
    with held:
        interrupt()
    (frame,) = frames
    while frame is not None and frame.f_code.co_name != "test_a_delayed_interrupt_has_a_frame":
        frame = frame.f_back
    assert frame is not None
