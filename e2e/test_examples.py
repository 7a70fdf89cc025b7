"""The examples of public names print the documented output on every device of a browser."""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import sys
import tempfile
from typing import Any

import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.environments import BACKENDS

ELSEWHERE = {
    "register_kernel": "concerns the cpu backend only",
    "compat.v1.app.run": "needs the flags of a program",
    "compat.v1.to_bfloat16": "needs the package ml-dtypes",
    "experimental.numpy.unicode_": "a class of NumPy with NumPy's example",
}
"""Names whose examples do not run in the page, with the reasons."""

EXAMPLES: list[Any] = []

if sys.platform != "emscripten":  # the browser receives them from the host
    from surface import public

    EXAMPLES = [
        (name, [(step.source, step.want, step.exc_msg) for step in steps])
        for name, steps in public.examples().items()
        if name not in ELSEWHERE
    ]


def wrong(steps: Any) -> str:
    """Return the first difference from the documented output, or ""."""
    program = {"__name__": "__main__"}
    for number, (source, want, error) in enumerate(steps):
        printed = io.StringIO()
        file = f"<step {number}>"
        linecache.cache[file] = len(source), None, source.splitlines(True), file
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(source, file, "single"), program)
        except Exception as raised:
            if error is None or type(raised).__name__ not in error:
                return f"{source}{type(raised).__name__}: {raised}"
        else:
            if printed.getvalue() != want.replace("<BLANKLINE>\n", "\n"):
                return f"{source}{printed.getvalue()}is not\n{want}"
    return ""


@pytest.mark.parametrize("examples", [pytest.param(EXAMPLES, id="shared")])
@run_in_browser(backends=BACKENDS)
def test_examples(tf: Any, backend: str, examples: Any) -> None:
    """Run each example on one of the backends."""
    examples = examples[BACKENDS.index(backend) :: len(BACKENDS)]
    before = os.getcwd()
    os.chdir(tempfile.mkdtemp())  # for files that examples write
    try:
        found = [f"{name}: {said}" for name, steps in examples if (said := wrong(steps))]
    finally:
        os.chdir(before)
    assert not found, "\n".join(found)
