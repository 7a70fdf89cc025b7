"""``build.py fuzz``: random programs against TensorFlow; broken Programs, flags and files."""

from __future__ import annotations

import argparse
import subprocess
import sys

from . import campaign, files, flags, mutants

BACKENDS = ("cpu", "wasm", "wasm-code", "webgl", "webgpu")


def main() -> int:
    """Runs a campaign on each backend; the exit status is 1 when something was found."""
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
    """How much is wrong with the runtimes' answers to broken Programs."""
    found = 0
    for backend in options.backend or mutants.OPEN:
        wrong = mutants.run(backend, options.seed, options.programs, options.seconds)
        found += wrong.total()
    return found


def _programs(options: argparse.Namespace) -> int:
    """How many random programs differ from TensorFlow."""
    found = 0
    for backend in options.backend or BACKENDS:
        report = campaign.run(
            backend, options.seed, options.programs, options.seconds, options.only
        )
        print(f"\n{backend}: {report}", flush=True)
        found += report.findings.total()
    return found


def _flags(options: argparse.Namespace) -> int:
    """How much is wrong with what random flags do."""
    return flags.run(options.seed, options.programs, options.seconds).total()


def _files(options: argparse.Namespace) -> int:
    """How much is wrong with what broken files do."""
    given = map(str, (options.seed, options.programs, options.seconds))
    of_keras = subprocess.run([sys.executable, "-m", "fuzz.keras_files", *given], check=False)
    found = files.run(options.seed, options.programs, options.seconds)
    return found.total() + of_keras.returncode


RUNS = {"programs": _programs, "mutants": _mutants, "flags": _flags, "files": _files}


if __name__ == "__main__":
    sys.exit(main())
