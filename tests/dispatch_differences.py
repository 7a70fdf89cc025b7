"""Compare random programs with and without the dispatch extension.

`PYTHONPATH=src:tests:. python tests/dispatch_differences.py FIRST LAST STEPS` compares the programs
of the seeds from FIRST to LAST, in a Python with the packages of the tests.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import zip_longest

from buildsys.paths import ROOT

PATH = ":".join(str(ROOT / name) for name in ("src", "tests", "."))
CODE = "import sys, dispatch_program; dispatch_program.main(int(sys.argv[1]), int(sys.argv[2]))"


def output(seed: int, steps: int, before: str) -> tuple[list[str], int]:
    """Return the output of a program and the number of its calls that took the fast path.

    Args:
        seed: Seed of the program.
        steps: Number of its steps.
        before: Code that runs before it.
    """
    words = [sys.executable, "-c", before + CODE, str(seed), str(steps)]
    env = {**os.environ, "PYTHONPATH": PATH, "PYTHONHASHSEED": "0"}
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    _, ops, calls = done.stderr.splitlines()[-1].split()
    lines = done.stdout.splitlines()
    assert sum(line.startswith("state ") for line in lines) > 0
    return lines, int(ops) + int(calls)


def compare(seed: int, steps: int) -> tuple[list[str], int]:
    """Return the differences of a program's outputs and the number of its fast calls."""
    found, fast = output(seed, steps, "import compiled_dispatch; ")
    expected, slow = output(seed, steps, "")
    assert slow == 0
    pairs = enumerate(zip_longest(found, expected, fillvalue="nothing"))
    return [f"step {i}: {x}\n  Python: {y}" for i, (x, y) in pairs if x != y], fast


def main(first: int, last: int, steps: int) -> None:
    """Print the differences of all programs. The exit status is 1 if there are any."""
    failures = 0
    for seed in range(first, last + 1):
        differences, fast = compare(seed, steps)
        print(f"seed {seed}: {fast} fast calls, {len(differences)} differences", flush=True)
        if differences:
            print("\n".join(differences[:3]))
            failures += 1
    raise SystemExit(min(failures, 1))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
