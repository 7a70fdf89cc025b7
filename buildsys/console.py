"""Output for the user: numbered steps, elapsed time, progress bars, the end of a failed log."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from .paths import LOGS

NINJA_PROGRESS = re.compile(r"^\[(\d+)/(\d+)\]")
LOG_LINES_SHOWN = 30
QUIET_SECONDS = 20.0  # interval between lines without a terminal
BAR_WIDTH = 30


class BuildError(Exception):
    """An error of a step. Its text explains how to fix the problem."""


before_building: list[Callable[[str], None]] = []
"""Functions that are called with the name of each step that installs, downloads or compiles
something, before the step runs. If one of them raises an exception, the step does not run."""


def building(name: str) -> None:
    """Announce such a step to the functions of `before_building`."""
    for function in before_building:
        function(name)


class _Progress:
    """A status line, which is rewritten on a terminal and printed rarely elsewhere."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.start = time.monotonic()
        self.shown = self.start
        self.terminal = sys.stdout.isatty()

    def elapsed(self) -> float:
        return time.monotonic() - self.start

    def update(self, line: str) -> None:
        now = time.monotonic()
        if now - self.shown < (0.2 if self.terminal else QUIET_SECONDS):
            return
        self.shown = now
        match = NINJA_PROGRESS.match(line)
        state = _bar(int(match[1]), int(match[2])) if match else line.strip()[:60]
        text = f"    {self.title}: {self.elapsed():5.0f} s  {state}"
        if self.terminal:
            print(f"\r{text:<110}", end="", flush=True)
        else:
            print(text, flush=True)

    def clear(self) -> None:
        if self.terminal:
            print("\r" + " " * 110 + "\r", end="", flush=True)


def _bar(done: int, total: int) -> str:
    filled = BAR_WIDTH * done // max(total, 1)
    return f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done}/{total}"


_step_count = 0


def announce(title: str) -> int:
    """Print the title of the next step, and return its number."""
    global _step_count
    _step_count += 1
    print(f"[{_step_count:2}] {title}", flush=True)
    return _step_count


@contextmanager
def step(title: str) -> Iterator[None]:
    """Number and time one piece of work."""
    number = announce(title)
    start = time.monotonic()
    yield
    print(f"[{number:2}] {title}: done in {time.monotonic() - start:.1f} s", flush=True)


def run_logged(
    argv: Sequence[object],
    log_name: str,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> None:
    """Run a command with its output in build/logs/<log_name>.log.

    Raises:
        BuildError: If the command fails. The message has the end of the log.
    """
    building(log_name)
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{log_name}.log"
    words = [str(word) for word in argv]
    progress = _Progress(log_name)
    last: deque[str] = deque(maxlen=LOG_LINES_SHOWN)
    with log.open("w", encoding="utf-8") as out:
        out.write(f"$ {shlex.join(words)}\n")
        try:
            process = subprocess.Popen(
                words, cwd=cwd, env=env, text=True, errors="replace", bufsize=1,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
        except FileNotFoundError as error:
            raise BuildError(f"{words[0]} is not installed; see: python build.py doctor") from error
        with process:
            assert process.stdout is not None
            for line in process.stdout:
                out.write(line)
                last.append(line)
                progress.update(line)
    progress.clear()
    if process.returncode:
        end = "".join(f"    | {line}" for line in last)
        raise BuildError(
            f"{Path(words[0]).name} ended with {process.returncode}; its last lines:\n"
            f"{end}    whole log: {log}"
        )


def run_shown(
    argv: Sequence[object],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> int:
    """Run a command with output for the user, and return its exit status."""
    sys.stdout.flush()
    return subprocess.run([str(word) for word in argv], cwd=cwd, env=env).returncode
