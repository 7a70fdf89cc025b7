"""Random flags, set, parsed and read: rejected with a clear message, or accepted as given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.backends import host_facts
from tfpy._src.backends.javascript import bridge
from tfpy._src.base.flags.environment import Environment
from tfpy._src.base.flags.table import FLAGS
from tfpy._src.base.flags.without_effect import MEANINGLESS

from . import seeds
from .values import Rng, choose

ACTS = 30
"""Number of actions on one environment."""
BACKENDS = ("webgpu", "webgl", "wasm", "cpu")
VALUES: tuple[Any, ...] = (
    *(True, False, 0, 1, -1, 2, 7, 2**31, -(2**63), 10**30, 0.5, float("nan"), float("inf")),
    *("", "auto", "never", "matmul,conv2d", "true", "\0", "é" * 300),
    *(None, [], {}, (), b"1", np.int64(3), np.bool_(True), np.zeros(1), object),
)
TEXTS = (
    "true",
    "false",
    "TRUE",
    "1",
    "-1",
    "0x10",
    "1_0",
    "１",
    "1e3",
    "",
    " 7 ",
    "auto",
    ":",
    "a:b",
)
NAMES = (*FLAGS, *MEANINGLESS)


def run(seed: int, count: int | None, seconds: float | None) -> Counter[str]:
    """Try environments. See `seeds.run`."""
    return seeds.run("flags", tried_once, seed, count, seconds)


def tried_once(rng: Rng) -> list[str]:
    """Return the actions up to an error and the error itself, or an empty list."""
    flags = Environment()
    flags.found_by(host_facts.find, bridge.wait)
    flags.get("WEBGL_VERSION")
    done: list[str] = []
    for _ in range(ACTS):
        act, text, wanted = _act(rng, flags)
        done.append(text)
        before = _all(flags)
        try:
            act()
            wrong = _wrong(flags, wanted)
        except (ValueError, RuntimeError) as error:
            if len(str(error)) < 10:
                return [*done, f"unclear: {error!r}"]
            if _all(flags) != before:
                return [*done, "flags have changed though they were refused"]
            continue
        except Exception as error:
            return [*done, f"{type(error).__name__}: {error}"]
        if wrong:
            return [*done, wrong]
    return []


def _act(rng: Rng, flags: Environment) -> tuple[Callable[[], object], str, dict[str, Any]]:
    """Return a random action, its text, and the flags that it sets."""
    kind = int(rng.integers(6))
    if kind == 0:
        name, value = _name(rng), choose(rng, VALUES)
        return lambda: flags.set(name, value), f"set({name!r}, {value!r})", {name: value}
    if kind == 1:
        several = {_name(rng): choose(rng, VALUES) for _ in range(int(rng.integers(1, 4)))}
        return lambda: flags.set_flags(several), f"set_flags({several!r})", several
    if kind == 2:
        text = ",".join(_pair(rng) for _ in range(int(rng.integers(0, 4))))
        return lambda: flags.take(text, "a text", bool(rng.integers(2))), f"take({text!r})", {}
    if kind == 3:
        name = _name(rng)
        read = choose(rng, (flags.get, flags.get_bool, flags.get_number, flags.get_string))
        return lambda: read(name), f"{read.__name__}({name!r})", {}
    if kind == 4:
        backend = choose(rng, BACKENDS)
        act = choose(rng, (flags.opened, flags.closed))
        return lambda: act(backend), f"{act.__name__}({backend!r})", {}
    return _reset(flags), "reset()", {}


def _reset(flags: Environment) -> Callable[[], object]:
    def act() -> None:
        flags.reset()
        flags.get("WEBGL_VERSION")  # the host is queried again

    return act


def _all(flags: Environment) -> dict[str, Any]:
    """Return all flags, or the error of reading them."""
    try:
        return dict(flags.get_flags())
    except Exception as error:
        return {"error": repr(error)}


def _wrong(flags: Environment, wanted: dict[str, Any]) -> str:
    for name, value in wanted.items():
        if name not in FLAGS:
            return f"{name!r} was set, which is no flag"
        found = flags.get(name)
        if found != value and not FLAGS[name].lowers:
            return f"{name} is {found!r}, set to {value!r}"
    for name, value in flags.get_flags().items():
        if type(value) not in (bool, int, str):
            return f"{name} is of type {type(value).__name__}"
        if name in wanted and not FLAGS[name].lowers and not FLAGS[name].kind.takes(value):
            return f"{name} has a value that it does not take: {value!r}"
    return ""


def _name(rng: Rng) -> Any:
    """Return the name of a flag, a misspelled name, or an unknown one."""
    name = str(choose(rng, NAMES))
    kind = rng.random()
    if kind < 0.7:
        return name
    at = int(rng.integers(len(name)))
    if kind < 0.9:
        return name[:at] + choose(rng, ("", "_", "X", ":", " ")) + name[at + 1 :]
    return choose(rng, ("", " ", None, 3, ("WEBGL_VERSION",), "WEBGL_VERSION\0"))


def _pair(rng: Rng) -> str:
    return f"{_name(rng)}{choose(rng, (':', ':', ':', '', '::'))}{choose(rng, TEXTS)}"
