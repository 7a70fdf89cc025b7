"""Random work on each backend for a long time: ``python build.py soak``.

No value may be wrong, no size may grow, and the page may report no error. A finding names its step
and its seed, with which it can be repeated.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.soak_page import go
from tfpy.testing import run_in_browser
from tfpy.testing.environments import BACKENDS, BROWSERS, ENVIRONMENTS
from tfpy.testing.mark import browser_test_of
from tfpy.testing.sessions import Material, Sessions

OPS = Path(__file__).with_name("soak_ops.py")
TURN_SECONDS = 20.0
"""Duration of one request to the page."""
BUDGET = 2**24
"""Memory budget of a GPU at the beginning, in bytes."""
GROWING = ("python", "pyodide", "javascript", "heapBytes")
"""Sizes that indicate a leak if they grow. The page counts the objects that are held."""
MAY_GROW = 1.5
"""Allowed ratio of the largest sizes in the second and the first half of the turns."""
SETTLED = 6000
"""Number of steps before growth is checked, because caches fill until then."""
FEWEST = 6
"""Number of turns that are necessary to detect growth."""


def soak(
    sessions: Sessions, browser: str, backend: str, seed: int, steps: int, seconds: float
) -> Iterator[dict[str, Any]]:
    """Yield the report of the page after each turn.

    Raises:
        AssertionError: If the soak finds an error.
    """
    software = ENVIRONMENTS["software"]
    flags = {**software.flags, "TFPY_GPU_MEMORY_BUDGET": BUDGET}
    environment = replace(software, flags=flags)  # other tests have other pages
    marked = run_in_browser(
        environment=environment, check_leaks=False, timeout=6 * TURN_SECONDS + 60
    )(go)
    mark = browser_test_of(marked)
    assert mark is not None
    until, done = time.monotonic() + seconds, 0
    given = {"ops": OPS.read_text(), "seed": seed}
    sizes: list[dict[str, int]] = []
    while done < steps and (left := until - time.monotonic()) > 0:
        turn = {"steps": steps - done, "seconds": min(left, TURN_SECONDS)}
        answer = sessions.run(browser, backend, mark, go, {**given, **turn})
        if answer["outcome"] != "passed":
            raise AssertionError(answer["text"])
        if answer["problems"]:
            raise AssertionError("\n".join(["the console of the page:", *answer["problems"]]))
        found = answer["result"]
        done = found["step"]
        if done >= SETTLED:
            sizes.append(found["sizes"])
        yield found
    check_growth(sizes)


def check_growth(sizes: Sequence[Mapping[str, int]]) -> None:
    """Check the sizes after each turn of a settled page, if there were enough turns.

    Raises:
        AssertionError: If a size grows.
    """
    if len(sizes) < FEWEST:
        return
    half = len(sizes) // 2
    for name in GROWING:
        middle, last = (
            max(one.get(name, 0) for one in part) for part in (sizes[:half], sizes[half:])
        )
        if last > MAY_GROW * middle:
            raise AssertionError(f"{name} grows: {middle}, then {last}")


def main() -> int:
    """Soak each backend. Return 1 if an error was found, else 0."""
    parser = argparse.ArgumentParser(prog="build.py soak", description=__doc__)
    parser.add_argument("site", type=Path, help="folder of the site, from build.py")
    parser.add_argument("--backend", nargs="+", choices=BACKENDS, default=list(BACKENDS))
    parser.add_argument("--browser", choices=BROWSERS, default="chromium")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=10**9, help="maximum number of steps")
    parser.add_argument("--seconds", type=float, default=600, help="duration on each backend")
    options = parser.parse_args()
    failed = 0
    for backend in options.backend:
        sessions = Sessions(Material(options.site))
        try:
            turns = soak(
                sessions, options.browser, backend, options.seed, options.steps, options.seconds
            )
            for found in turns:
                print(backend, found["step"], found["sizes"], flush=True)
            print(f"{backend}, seed {options.seed}: no errors found. {found['done']}")
        except (AssertionError, TimeoutError, RuntimeError) as error:
            failed += 1
            print(f"{backend}, seed {options.seed}:\n{error}")
        finally:
            sessions.close()
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
