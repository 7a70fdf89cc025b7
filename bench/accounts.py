"""The share of a call's time that a profile accounts for, in Chromium.

PYTHONPATH=src:. python -m bench.accounts build/site --backend wasm --traces FOLDER
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

from bench.pages import records
from tfpy.testing.environments import BACKENDS

COLUMNS = "{:9}{:19}{:>10}{:>10}{:>10}{:>9}{:>11}{:>9}{:>10}"


async def measure(options: argparse.Namespace) -> None:
    """Open the page, and print each record when it arrives."""
    query: dict[str, Any] = {"backend": ",".join(options.backend)}
    query |= {"work": ",".join(options.work)} if options.work else {}
    query |= {"trace": 1} if options.traces else {}
    async for record in records(options.site, "profile", query):
        show(record, options.traces)


def show(record: dict[str, Any], traces: Path | None) -> None:
    """Print a row, and write the trace of the record to a file."""
    if "failure" in record:
        raise SystemExit(record["failure"])
    if traces:
        traces.mkdir(parents=True, exist_ok=True)
        file = traces / f"{record['backend']} {record['work']}.trace.json"
        file.write_text(json.dumps(record.pop("trace")))
    kernel_ms = record["kernel_ms"]
    print(
        COLUMNS.format(
            record["backend"],
            record["work"],
            *(f"{record[key]:.2f}" for key in ("plain_ms", "profiled_ms")),
            "–" if kernel_ms is None else f"{kernel_ms:.2f}",
            record["kernels"],
            *(f"{record[key]:.2%}" for key in ("accounted", "least_accounted", "first_accounted")),
        ),
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.accounts", description=__doc__)
    parser.add_argument("site", type=Path, help="folder of the site")
    parser.add_argument("--backend", nargs="+", choices=BACKENDS, default=BACKENDS)
    parser.add_argument("--work", nargs="+", help="measure only these works")
    parser.add_argument("--traces", type=Path, metavar="FOLDER", help="folder for the traces")
    options = parser.parse_args()
    heads = ("plain", "profiled", "kernels", "runs", "accounted", "least", "first")
    print(COLUMNS.format("backend", "work", *heads))
    asyncio.run(measure(options))


if __name__ == "__main__":
    main()
