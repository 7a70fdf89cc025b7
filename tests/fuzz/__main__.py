"""``build.py fuzz``: random programs against TensorFlow."""

from __future__ import annotations

import argparse
import sys

from . import campaign

BACKENDS = ("cpu", "wasm", "wasm-code", "webgl")


def main() -> int:
    """Runs a campaign on each backend; 1 when something was found."""
    parser = argparse.ArgumentParser(prog="build.py fuzz")
    parser.add_argument("--only", default=".*", help="a pattern of the functions to call")
    parser.add_argument("--backend", action="append", choices=BACKENDS)
    parser.add_argument("--seed", type=int, default=0, help="the first program's number")
    parser.add_argument("--programs", type=int, help="how many (default: without end)")
    parser.add_argument("--seconds", type=float, help="for how long on each backend")
    options = parser.parse_args()
    found = 0
    for backend in options.backend or BACKENDS:
        report = campaign.run(
            backend, options.seed, options.programs, options.seconds, options.only
        )
        print(f"\n{backend}: {report}", flush=True)
        found += report.findings.total()
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
