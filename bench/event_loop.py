"""Time for which Keras's awaited training blocks the event loop, with split and whole steps.

PYTHONPATH=src:. python -m bench.event_loop build/site --backend wasm --work cnn mobilenet
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.pages import records
from tfpy.testing.environments import BROWSERS

COLUMNS = ("network", "split", "whole", "ratio", "kept", "kept whole", "task", "task whole")


async def measure(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the records of the page."""
    query = {"backend": options.backend, "rounds": options.rounds}
    query |= {"worker": 1} if options.worker else {}
    query |= {"work": ",".join(options.work)} if options.work else {}
    return [record async for record in records(options.site, "tasks", query, options.browser)]


def cells(work: str, rounds: list[dict[str, Any]]) -> list[Any]:
    """Return a row: the fastest time of both ways, their ratio, and the longest block of each."""
    least, kept, tasks = [], [], []
    for way in ("split", "whole"):
        found = [line[way] for line in rounds]
        least.append(min(one["ms"] for one in found))
        kept.append(max(one["longest"][0] for one in found))
        tasks.append(max(max(one.get("long_tasks") or [0]) for one in found))
    return [work, *least, f"{least[0] / least[1]:.3f}", *kept, *tasks]


def print_row(row: Sequence[Any]) -> None:
    print("".join(str(cell).rjust(12) for cell in row), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.event_loop", description=__doc__)
    parser.add_argument("site", type=Path, help="folder of the site")
    parser.add_argument("--backend", choices=("cpu", "wasm", "webgl"), default="wasm")
    parser.add_argument("--worker", action="store_true", help="train in a worker")
    parser.add_argument("--work", nargs="+", metavar="NETWORK", help="train only these networks")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--browser", choices=BROWSERS, default="chromium")
    options = parser.parse_args()
    print_row(COLUMNS)
    found = asyncio.run(measure(options))
    for work in dict.fromkeys(line["work"] for line in found):
        print_row(cells(work, [line for line in found if line["work"] == work]))
    print("Milliseconds. Kept: longest delay of a timer; task: Chromium's long tasks.")


if __name__ == "__main__":
    main()
