"""The command ``build.py onnx-tests``, which runs the cases of the package onnx with tfpy."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections import Counter

from onnx_suite import left_out
from onnx_suite.cases import Case, cases


def main() -> int:
    """Run cases. Return the exit status, which is 1 if a case that is not excluded fails."""
    parser = argparse.ArgumentParser(prog="build.py onnx-tests")
    parser.add_argument("names", nargs="*", help="only cases with one of these in their names")
    names = parser.parse_args().names
    counts: Counter[str] = Counter()
    for case in cases().values():
        if not names or any(name in case.name for name in names):
            counts[_outcome(case)] += 1
    for outcome, count in sorted(counts.items(), key=lambda pair: -pair[1]):
        print(f"{count:6} {outcome}")
    return int(counts["FAILED"] > 0)


def _outcome(case: Case) -> str:
    why = left_out.reason(case.name)
    if why:
        return f"excluded: {why}"
    try:
        case.check()
    except Exception:
        print(f"--- {case.name}\n{traceback.format_exc(limit=-3)}")
        return "FAILED"
    return "passed"


if __name__ == "__main__":
    sys.exit(main())
