"""The tables of tested browsers, generated from the test matrix."""

from __future__ import annotations

from e2e.matrix import AXES, IMPOSSIBLE, State, answers, holds, lacking, states
from tfpy.testing.environments import BROWSERS

from .tables import table

TITLES = {"chromium": "Chromium", "firefox": "Firefox", "webkit": "WebKitGTK"}


def tables() -> str:
    """Return tables of the tested GPUs, and of the tested modules of the wasm backend."""
    gpus = (
        (gpu, _chosen({"GPU": gpu}), *(_threads({"GPU": gpu, "browser": b}) for b in BROWSERS))
        for gpu in AXES["GPU"]
    )
    modules = (
        (
            simd,
            page,
            *(_modules({"WebAssembly": simd, "page": page, "browser": b}) for b in BROWSERS),
        )
        for simd in AXES["WebAssembly"]
        for page in AXES["page"]
    )
    return "\n".join(
        [
            table(("GPU", "backend", *TITLES.values()), gpus),
            table(("WebAssembly", "page", *TITLES.values()), modules),
        ]
    )


def _chosen(part: State) -> str:
    """Return the backend that is active where wasm opens."""
    state = next(s for s in _with(part) if answers(s)["wasm"].opens)
    return next(f"`{name}`" for name, answer in answers(state).items() if answer.opens)


def _threads(part: State) -> str:
    """Return the places where a state is tested, or the reason why it is not tested."""
    found = dict.fromkeys(state["thread"] for state in _with(part))
    return f"{', '.join(found)}{_note(part)}" if found else _missing(part)


def _modules(part: State) -> str:
    """Return the module that the wasm backend loads, which may be a different one in workers."""
    found = {s["thread"]: answers(s)["wasm"] for s in _with(part)}
    if not found:
        return _missing(part)
    texts = [f"`{a.pattern}`" if a.opens else "none" for a in found.values()]
    words = texts[0] if len(set(texts)) == 1 else f"{texts[0]}, in workers {texts[1]}"
    return f"{words}{_note(part)}"


def _with(part: State) -> list[dict[str, str]]:
    return [state for state in states() if holds(part, state)]


def _missing(part: State) -> str:
    return next(f"– ({reason})" for impossible, reason in IMPOSSIBLE if holds(impossible, part))


def _note(part: State) -> str:
    """A mark where a flag of tfpy stands in for what the browser cannot be started without."""
    return "" if set(lacking(part)) <= set(BROWSERS[part["browser"]].abilities) else "¹"
