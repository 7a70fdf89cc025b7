"""``build.py fuzz``: random programs compared with TensorFlow, corrupt Programs, flags, files."""

from __future__ import annotations

import argparse
import subprocess
import sys

from . import campaign, files, flags, mutants

BACKENDS = ("cpu", "wasm", "wasm-code", "webgl", "webgpu")


def main() -> int:
    """Run a campaign on each backend, and return the exit status 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="build.py fuzz")
    parser.add_argument("--only", default=".*", help="a pattern of the functions to call")
    parser.add_argument("what", nargs="?", choices=(*RUNS, "all"), default="programs")
    parser.add_argument("--backend", action="append", choices=(*BACKENDS, "exported"))
    parser.add_argument("--seed", type=int, default=0, help="the first program's number")
    parser.add_argument("--programs", type=int, help="how many (default: without end)")
    parser.add_argument("--seconds", type=float, help="for how long of each kind and backend")
    options = parser.parse_args()
    wanted = RUNS if options.what == "all" else [options.what]
    return int(sum([RUNS[what](options) for what in wanted]) > 0)


def _mutants(options: argparse.Namespace) -> int:
    """Return the number of findings about the runtimes' answers to corrupt Programs."""
    found = 0
    for backend in options.backend or mutants.OPEN:
        wrong = mutants.run(backend, options.seed, options.programs, options.seconds)
        found += wrong.total()
    return found


def _programs(options: argparse.Namespace) -> int:
    """Return the number of random programs that differ from TensorFlow."""
    found = 0
    for backend in options.backend or BACKENDS:
        report = campaign.run(
            backend, options.seed, options.programs, options.seconds, options.only
        )
        print(f"\n{backend}: {report}", flush=True)
        found += report.findings.total()
    return found


def _flags(options: argparse.Namespace) -> int:
    """Return the number of findings about random flags."""
    return flags.run(options.seed, options.programs, options.seconds).total()


def _files(options: argparse.Namespace) -> int:
    """Return the number of findings about corrupt files."""
    given = map(str, (options.seed, options.programs, options.seconds))
    of_keras = subprocess.run([sys.executable, "-m", "fuzz.keras_files", *given], check=False)
    found = files.run(options.seed, options.programs, options.seconds)
    return found.total() + of_keras.returncode


RUNS = {"programs": _programs, "mutants": _mutants, "flags": _flags, "files": _files}


if __name__ == "__main__":
    sys.exit(main())
