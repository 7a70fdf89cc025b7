"""Every public function on every device, as ``docs/ops.md`` says: what is native or composed there
meets no step of the host, and the numbers are NumPy's.
"""

from __future__ import annotations

import functools
import sys
import types
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

TOLERANCE = 1e-3


def namespaces() -> list[Any]:
    """A case per namespace: the calls with whether they stay on the device; and their words."""
    if sys.platform == "emscripten":
        return []  # the cases come from the host
    from surface import evaluation
    from surface.calls import arguments
    from surface.report import rows

    words = Path(evaluation.__file__).read_text(encoding="utf-8")
    cases = []
    for namespace, found in groupby(rows(), lambda row: row.name.rpartition(".")[0]):
        calls = [
            (row.name, arguments(row.name), {d: row.way(d) for d in ("wasm", "webgl")})
            for row in found
        ]
        cases.append(pytest.param(calls, words, id=namespace or "tf"))
    return cases


def results(evaluation: Any, tf: Any, name: str, arguments: str) -> tuple[list[Any], set[str]]:
    """The values that a function gives, and the ops for which it left the device."""
    from tfpy.runtime import registry

    programs = registry.active_backend().programs
    function = functools.reduce(getattr, name.split("."), tf)

    def call(*args: Any, **kwargs: Any) -> Any:
        for key in [key for key, compiled in programs.items() if compiled.program == 0]:
            del programs[key]  # of the arguments
        return function(*args, **kwargs)

    result = evaluation.evaluate(f"call({arguments})", evaluation.words(tf), call=call)
    left = {key[0].name for key, compiled in programs.items() if compiled.program == 0}
    return [t.numpy() for t in evaluation.tensors(tf, result)], left


def wrong(mine: list[Any], wanted: list[Any]) -> str:
    """What differs, or nothing."""
    for a, b in zip(mine, wanted, strict=True):
        try:
            if np.asarray(b).dtype.kind in "fc":
                np.testing.assert_allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE)
            else:
                np.testing.assert_array_equal(a, b)
        except AssertionError as error:
            return str(error)
    return ""


@pytest.mark.parametrize(("calls", "words"), namespaces())
@run_in_browser(backends=("wasm", "webgl"), timeout=400)
def test_calls(tf: Any, backend: str, calls: Any, words: str) -> None:
    evaluation = types.ModuleType("evaluation")
    exec(words, evaluation.__dict__)
    problems = []
    for name, arguments, ways in calls:
        mine, left = results(evaluation, tf, name, arguments)
        if left and ways[backend] != "host":
            problems.append(f"{name}: computed on the host: {left}")
        tf.set_backend("cpu")
        wanted, _ = results(evaluation, tf, name, arguments)
        tf.set_backend(backend)
        if text := wrong(mine, wanted):
            problems.append(f"{name}({arguments}): {text}")
    assert not problems, "\n".join(problems)
