"""A table of the states of an environment and the expected report of each backend.

A state is one value of each axis. ``test_matrix.py`` runs states, and ``build.py face`` generates
the facts about browsers in docs/environment.md from the table.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tfpy.testing.environments import BROWSERS, Environment, Flag

State = Mapping[str, str]
"""Value name by axis."""


@dataclass(frozen=True)
class Answer:
    """Expected report of a backend: whether it opens, and a pattern of its variant or reason."""

    opens: bool
    pattern: str


@dataclass(frozen=True)
class Value:
    """A value of an axis."""

    lacks: tuple[str, ...] = ()
    """Features that the browser is started without, or that flags of tfpy disable (STAND_INS)."""
    flags: Mapping[str, Flag] = field(default_factory=dict)
    answers: Mapping[str, Answer] = field(default_factory=dict)


_WEBGL = {"SOFTWARE_WEBGL_ENABLED": True}
_WEBGPU = {**_WEBGL, "WEBGPU_SOFTWARE_ENABLED": True}
_NO_WEBGPU = Answer(False, "WebGPU has no adapter in this browser")
_SLOWER = r"\(.+\): slower than wasm; tf\.env\(\)\.set\("

AXES: Mapping[str, Mapping[str, Value]] = {
    "GPU": {
        "WebGPU": Value(
            flags=_WEBGPU,
            answers={
                "webgpu": Answer(True, r"webgpu-float32\b.*"),
                "webgl": Answer(True, "webgl2-float32"),
            },
        ),
        "WebGL2": Value(
            lacks=("webgpu",),
            flags=_WEBGL,
            answers={"webgpu": _NO_WEBGPU, "webgl": Answer(True, "webgl2-float32")},
        ),
        "WebGL2 without float32 textures": Value(
            lacks=("webgpu", "float32"),
            flags=_WEBGL,
            answers={"webgpu": _NO_WEBGPU, "webgl": Answer(True, "webgl2-float16")},
        ),
        "software rasterizers only": Value(
            answers={
                "webgpu": Answer(False, f'fallback adapter {_SLOWER}"WEBGPU_SOFTWARE_ENABLED".*'),
                "webgl": Answer(False, f'software rasterizer {_SLOWER}"SOFTWARE_WEBGL_ENABLED".*'),
            },
        ),
        "none": Value(
            lacks=("webgpu", "webgl"),
            flags=_WEBGPU,
            answers={"webgpu": _NO_WEBGPU, "webgl": Answer(False, ".*WebGL2 is not available.*")},
        ),
    },
    "page": {"isolated": Value(), "not isolated": Value()},
    "WebAssembly": {
        "relaxed SIMD": Value(answers={"wasm": Answer(True, "relaxed")}),
        "SIMD": Value(lacks=("relaxed",), answers={"wasm": Answer(True, "simd")}),
        "no SIMD": Value(lacks=("simd",), answers={"wasm": Answer(False, "no WebAssembly SIMD.*")}),
    },
    "thread": {"main thread": Value(), "worker": Value()},
    "browser": {name: Value() for name in BROWSERS},
}
"""Values of each axis. Flags allow software rasterizers on the CPU to count as GPUs."""

STAND_INS: Mapping[str, Mapping[str, Flag]] = {
    "float32": {"WEBGL_FORCE_F16_TEXTURES": True},
    "relaxed": {"TFPY_WASM_HAS_RELAXED_SIMD_SUPPORT": False},
    "simd": {"WASM_HAS_SIMD_SUPPORT": False},
}
"""Flags that disable a feature in tfpy when the browser cannot be started without it."""

IMPOSSIBLE: tuple[tuple[State, str], ...] = (
    ({"browser": "webkit", "GPU": "WebGPU"}, "no WebGPU"),
    ({"browser": "webkit", "WebAssembly": "relaxed SIMD"}, "only a part of relaxed SIMD"),
    ({"browser": "webkit", "GPU": "software rasterizers only"}, "does not name its rasterizer"),
    *(
        ({"browser": "webkit", "GPU": gpu, "thread": "worker"}, "no WebGL in workers")
        for gpu in ("WebGL2", "WebGL2 without float32 textures")
    ),
)
"""States in which a browser never is, with the reasons."""

ONE_THREAD: tuple[State, ...] = (
    {"page": "not isolated"},
    {"browser": "firefox", "thread": "worker"},  # a worker that starts other workers may hang
)
"""States in which the wasm backend computes in one thread."""


def holds(part: State, state: State) -> bool:
    """Return True if a state has these values."""
    return part.items() <= state.items()


def states() -> Iterator[dict[str, str]]:
    """Yield every possible state."""
    for values in itertools.product(*AXES.values()):
        state = dict(zip(AXES, values, strict=True))
        if not any(holds(part, state) for part, _ in IMPOSSIBLE):
            yield state


def cover() -> list[dict[str, str]]:
    """Return a small set of states that covers every possible pair of values, found greedily."""
    found, rest = [], list(states())
    missing = set().union(*map(_pairs, rest))
    while missing:
        found.append(max(rest, key=lambda state: len(missing & _pairs(state))))
        missing -= _pairs(found[-1])
    return found


def _pairs(state: State) -> set[tuple[tuple[str, str], ...]]:
    return set(itertools.combinations(state.items(), 2))


def lacking(state: State) -> list[str]:
    """Return the features that the browser of a state lacks."""
    return [name for axis, value in state.items() for name in AXES[axis][value].lacks]


def environment(state: State) -> Environment:
    """Return the environment that puts a browser into a state."""
    switches = BROWSERS[state["browser"]].abilities
    flags = {k: v for axis, value in state.items() for k, v in AXES[axis][value].flags.items()}
    for name in lacking(state):
        flags |= {} if name in switches else STAND_INS[name]
    return Environment(
        lacks=tuple(name for name in lacking(state) if name in switches),
        isolated=state["page"] == "isolated",
        worker=state["thread"] == "worker",
        flags=flags,
    )


def answers(state: State) -> dict[str, Answer]:
    """Return the expected report of each backend in a state. The first that opens is chosen."""
    found = {b: a for axis, value in state.items() for b, a in AXES[axis][value].answers.items()}
    wasm = found["wasm"]
    if wasm.opens and not any(holds(part, state) for part in ONE_THREAD):
        found["wasm"] = Answer(True, f"{wasm.pattern}-threads")
    return {name: found[name] for name in ("webgpu", "webgl", "wasm")} | {"cpu": Answer(True, ".*")}
