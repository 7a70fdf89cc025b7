"""The promises of ``promises.toml``: their page, and a way to select their tests.

PYTHONPATH=src:tests python -m promises --write
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "promises.md"


class Promise(NamedTuple):
    """A row of the table; ``promises.toml`` explains the columns."""

    name: str
    section: str
    says: str
    tests: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    measured: str = ""


def promises() -> list[Promise]:
    """Return all promises, in the order of their sources."""
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return [Promise(name, **row) for name, row in rows.items()]


def mark(items: Iterable[pytest.Item]) -> None:
    """Let ``-k`` select tests by the names of their promises."""
    held: dict[str, list[str]] = {}
    for promise in promises():
        for test in promise.tests:
            held.setdefault(test, []).append(promise.name)
    for item in items:
        item.extra_keyword_matches.update(held.get(item.nodeid.partition("[")[0], ()))


_HEAD = """\
# Promises and their tests

The documentation of TensorFlow.js makes promises about the behavior of programs on devices, for
example that reading a tensor does not block the page. They are in its [platform
guide](https://www.tensorflow.org/js/guide/platform_environment), in the announcements of its WASM
backend, and in sections 3 and 4 of [the paper](https://arxiv.org/abs/1901.05350).

This page lists each promise in the form in which it is true for tfpy, with the tests that check it.
If you come from TensorFlow.js, it shows what you can rely on. [The environment](environment.md) and
[Debugging and profiling](debugging.md) explain the topics.

In the column "tests", the first line is the name of the promise, and the other lines are its tests.
To run the tests of a promise in browsers, pass its name: `python build.py e2e -- -k paper_paging`.
The tests run on software rasterizers instead of GPUs. Results that only a GPU can show have a link
to measurements instead.

The command `PYTHONPATH=src:tests python -m promises --write` generates this page from
`tests/promises.toml`.
"""

_SOURCES = {
    "guide": "The platform guide",
    "announcement": "The announcements of the WASM backend",
    "paper": "The paper",
}


def page() -> str:
    """Return the text of ``docs/promises.md``."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield _HEAD
    for source, title in _SOURCES.items():
        yield f"## {title}\n"
        yield "| section | promise | tests |"
        yield "| --- | --- | --- |"
        for one in promises():
            if one.name.startswith(f"{source}_"):
                held = [f"`{text}`" for text in (one.name, *one.tests)]
                held += [f"[measurements](../{one.measured})"] if one.measured else []
                yield f"| {one.section} | {one.says} | {'<br>'.join(held)} |"
        yield ""


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page(), end="")
