"""A process that runs programs in sequence and reports each of them in a line of JSON.

TensorFlow ends its process on some arguments. ``campaign`` then starts another worker.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("TFPY_FLAGS", "TFPY_VERIFY_PASSES:true")

import tensorflow as tf

import tfpy

from .backends import BACKENDS
from .cases import CASES
from .functions import check_function
from .generate import Generator
from .minimize import minimized
from .oracle import Finding, Oracle
from .programs import Call, Program

tf.get_logger().setLevel("ERROR")  # no warnings about retracing

SHOWN = 2
"""Maximum number of findings of one kind that are minimized and shown."""


def say(**line: Any) -> None:
    """Send a line to the campaign."""
    print(json.dumps(line), flush=True)


def work(backend: str, first: int, count: int, until: float, pattern: str, cases: bool) -> None:
    """Run ``count`` programs (without end if negative), or until the time is over."""
    oracle = Oracle(tf, tfpy)
    found: Counter[str] = Counter()
    with BACKENDS[backend]():
        for program in _programs(first, count, pattern, cases):
            if time.time() > until:
                break
            finding = check(oracle, program)
            calls = [s for s in program.statements if isinstance(s, Call)]
            say(calls=len(calls), names=sorted({c.name for c in calls}))
            if finding is not None:
                found[finding.kind] += 1
                few = found[finding.kind] <= SHOWN
                say(kind=finding.kind, **(_shown(oracle, finding) if few else {}))
    say(end=True)


def _programs(first: int, count: int, pattern: str, cases: bool) -> Iterator[Program]:
    """Yield the fixed cases, if requested, and the generated programs."""
    for case in CASES.values() if cases else ():
        say(case=True)
        yield case
    generator = Generator(tf, lambda name: re.fullmatch(pattern, name) is not None)
    for seed in itertools.count(first) if count < 0 else range(first, first + count):
        say(seed=seed)
        yield generator.program(seed)


def check(oracle: Oracle, program: Program) -> Finding | None:
    """Return the difference of a program, eagerly or as a compiled function."""
    return oracle.check(program) or check_function(oracle, program)


def _shown(oracle: Oracle, finding: Finding) -> dict[str, str]:
    """Return a finding's minimized program and the difference."""

    def found(program: Program) -> Finding | None:
        again = check(oracle, program)
        return again if again is not None and again.kind == finding.kind else None

    alone = finding.alone()
    program = alone if alone is not None and found(alone) else finding.program
    small = minimized(program, lambda p: found(p) is not None)
    return {"program": str(small), "difference": (found(small) or finding).difference}


if __name__ == "__main__":
    name, start, number, end, wanted, fixed = sys.argv[1:]
    work(name, int(start), int(number), float(end), wanted, fixed == "True")
