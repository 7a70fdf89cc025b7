"""The promises of ``promises.toml``: the page made of them, and a way to choose their tests.

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
    """A row of the table, which says what its columns are."""

    name: str
    section: str
    says: str
    tests: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    measured: str = ""


def promises() -> list[Promise]:
    """All of them, in the order of their sources."""
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return [Promise(name, **row) for name, row in rows.items()]


def mark(items: Iterable[pytest.Item]) -> None:
    """Lets ``-k`` choose tests by the names of the promises that they hold."""
    held: dict[str, list[str]] = {}
    for promise in promises():
        for test in promise.tests:
            held.setdefault(test, []).append(promise.name)
    for item in items:
        item.extra_keyword_matches.update(held.get(item.nodeid.partition("[")[0], ()))


_HEAD = """\
# What is promised, and which test holds it

TensorFlow.js tells its users what to expect of the devices that their programs run on: in the
[platform guide](https://www.tensorflow.org/js/guide/platform_environment), in the announcements
of its WASM backend, and in [the paper](https://arxiv.org/abs/1901.05350), sections 3 and 4. Here
is each of these promises as it holds for tfpy, with the tests that hold it;
[The environment](environment.md) and [Debugging and profiling](debugging.md) say more.

A promise's name chooses its tests: `python build.py e2e -- -k paper_paging`. They run on
rasterisers; what only a GPU can tell was measured on one, and the figures stand here instead.

This page is made of `tests/promises.toml`: `PYTHONPATH=src:tests python -m promises --write`.
"""

_SOURCES = {
    "guide": "The platform guide",
    "announcement": "The announcements of the WASM backend",
    "paper": "The paper",
}


def page() -> str:
    """``docs/promises.md``."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield _HEAD
    for source, title in _SOURCES.items():
        yield f"## {title}\n"
        yield "| section | promise | name | held by |"
        yield "| --- | --- | --- | --- |"
        for one in promises():
            if one.name.startswith(f"{source}_"):
                held = [f"`{test}`" for test in one.tests]
                held += [f"[figures](../{one.measured})"] if one.measured else []
                yield f"| {one.section} | {one.says} | `{one.name}` | {'<br>'.join(held)} |"
        yield ""


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page(), end="")
