"""Corrupt Programs on the runtimes: rejected with a clear message, or run without side effects.

There must be no crash, trap or hang, no write outside the outputs, no leak, and no change of
inputs. "exported" tries corrupt files of exported programs instead, on wasm.
"""

from __future__ import annotations

import base64
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from wasm.node_process import RuntimeFailed
from wasm.node_runtime import NodeRuntime

from e2e.module_page import module_page
from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.lower import wasm, webgl, webgpu
from tfpy._src.compiler.lower.program import Program

from . import exported
from .campaign import SILENCE
from .mutate import mutated
from .sources import graphs
from .values import Rng

BATCH = {"wasm": 50, "webgl": 10, "webgpu": 10, "exported": 25}
CLEAR = {
    "exported": exported.CLEAR,
    "wasm": re.compile(
        r"(ResourceExhausted)?Error: wasm: "
        r"|InvalidArgumentError: \w+: \w+\[\d+\] = -?\d+ is not in \[0, \d+\)"
    ),
    "webgl": re.compile(r"(ResourceExhausted)?Error: (program|kernel|WebGL2|webgl)\b"),
    "webgpu": re.compile(r"(ResourceExhausted)?Error: (program|kernel|WebGPU|webgpu)\b"),
}
"""Beginnings of error messages that users understand."""


IGNORED = {
    "exported": re.compile("(?!)"),
    "wasm": re.compile("(?!)"),
    # A shader that reads beyond an array gets earlier contents of the texture. It can read nothing
    # else.
    "webgl": re.compile(r"output \d+ differs in the second run"),
    "webgpu": re.compile(r"output \d+ differs in the second run"),  # the same for buffers
}
"""Permitted findings about other values."""


class Mutant(NamedTuple):
    """The JSON text of a Program and its constants."""

    text: str
    constants: bytes


_LOWER: dict[str, Callable[[Graph], Program]] = {
    "wasm": wasm.lower,
    "webgl": webgl.lower,
    "webgpu": webgpu.lower,
}

Trials = Callable[[Sequence[Any]], list[dict[str, Any]]]


def run(backend: str, seed: int, count: int | None, seconds: float | None) -> Counter[str]:
    """Try mutants up to a number or a time limit, and return the number of each finding."""
    rng = np.random.default_rng(seed)
    sources = SOURCES[backend]()
    change: Callable[[Rng, Any], Any] = exported.broken if backend == "exported" else _broken
    tried: Counter[str] = Counter()
    found: Counter[str] = Counter()
    until = time.time() + seconds if seconds is not None else float("inf")
    with OPEN[backend]() as trials:
        while time.time() < until and (count is None or tried.total() < count):
            drawn = (sources[rng.integers(len(sources))] for _ in range(BATCH[backend]))
            batch = [change(rng, source) for source in drawn]
            try:
                verdicts = trials(batch)
            except (RuntimeFailed, TimeoutError) as error:
                print(f"\n--- one of these: {error}", *(m.text for m in batch), sep="\n")
                found[str(error)] += 1
                break
            for mutant, verdict in zip(batch, verdicts, strict=True):
                tried["ran" if verdict["ran"] else "refused"] += 1
                for text in _wrong(backend, verdict):
                    found[text] += 1
                    if found[text] == 1:
                        print(f"\n--- {text}\n{mutant.text[:4000]}", flush=True)
    print(f"{backend}: mutants {dict(tried)}, {found.total()} findings", flush=True)
    return found


def _wrong(backend: str, verdict: dict[str, Any]) -> list[str]:
    message = verdict["message"]
    unclear = message and not CLEAR[backend].match(message)
    wrong = [text for text in verdict["wrong"] if not IGNORED[backend].match(text)]
    return [*wrong, *([f"unclear: {message[:200]}"] if unclear else [])]


def _broken(rng: Rng, program: Mutant) -> Mutant:
    return Mutant(mutated(rng, program.text), program.constants)


def _programs(backend: str) -> list[Mutant]:
    """Return real Programs to start from."""
    lower = _LOWER[backend]
    found = []
    for graph in graphs(backend):
        try:
            program = lower(graph)
        except NotLowerable:
            continue
        found.append(Mutant(program.to_json(), program.constant_bytes()))
    return found


@contextmanager
def _in_node() -> Iterator[Trials]:
    runtime = NodeRuntime("simd", "auto")

    def trials(batch: Sequence[Mutant]) -> list[dict[str, Any]]:
        clock = threading.Timer(SILENCE, runtime.kill)
        clock.start()
        try:
            return list(runtime.call("trials", programs=_plain(batch)))
        finally:
            clock.cancel()

    yield trials
    runtime.kill()


@contextmanager
def _in_chromium(backend: str) -> Iterator[Trials]:
    with module_page("gpu_device.mjs") as evaluate:
        evaluate("open", backend)
        yield lambda batch: list(evaluate("trials", _plain(batch)))


OPEN: dict[str, Callable[[], AbstractContextManager[Trials]]] = {
    "wasm": _in_node,
    "webgl": partial(_in_chromium, "webgl"),
    "webgpu": partial(_in_chromium, "webgpu"),
    "exported": exported.in_node,
}
SOURCES: dict[str, Callable[[], Sequence[Any]]] = {
    **{backend: partial(_programs, backend) for backend in _LOWER},
    "exported": exported.files,
}
"""Programs or files to corrupt."""


def _plain(batch: Sequence[Mutant]) -> list[list[str]]:
    return [[m.text, base64.b64encode(m.constants).decode()] for m in batch]
