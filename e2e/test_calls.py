"""Every public function on every device, as listed in ``docs/ops.md``.

A function that is native or composed on a device runs no step on the host, and its results equal
NumPy's. Functions that TensorFlow.js computes wrong, and gradients that it lacks, are checked as
well.
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

NAMESPACES: list[Any] = []
BUGS: list[Any] = []
GRADIENTS: list[Any] = []
OPERATIONS: list[Any] = []
WORDS = ""

if sys.platform != "emscripten":  # the browser receives the cases from the host
    from raw import calls
    from raw.converter import CONVERTER
    from surface import evaluation, tfjs
    from surface.calls import arguments
    from surface.report import ways_on_page

    WORDS = Path(evaluation.__file__).read_text(encoding="utf-8")
    _ways = ways_on_page()  # tests/surface/test_report.py checks this page
    for _namespace, _names in groupby(_ways, lambda name: name.rpartition(".")[0]):
        _calls = [(name, arguments(name), _ways[name]) for name in _names]
        NAMESPACES.append(pytest.param(_calls, WORDS, id=_namespace or "tf"))
    BUGS = [(name, tfjs.ours(call)) for name, call in tfjs.BUGS.items()]
    OPERATIONS = [(name, calls.ours(name)) for name in CONVERTER if name in calls.SAMPLES]
    GRADIENTS = [(name, tfjs.ours(call)) for name, call in tfjs.MISSING_GRADIENTS.items()]


def module(words: str) -> Any:
    """Return ``surface.evaluation`` as a module made from its source."""
    made = types.ModuleType("evaluation")
    exec(words, made.__dict__)
    return made


def host_entries() -> list[Any]:
    """Return the keys of the executor's cache that its backend does not compute."""
    from tfpy._src.backends import registry

    programs = registry.active_backend().programs
    return [key for key, compiled in programs.items() if compiled.program == 0]


def forget_host_entries() -> None:
    from tfpy._src.backends import registry

    for key in host_entries():
        del registry.active_backend().programs[key]


def on_cpu(tf: Any, backend: str, function: Any) -> Any:
    """Return the result of a function on the cpu backend."""
    tf.set_backend("cpu")
    try:
        return function()
    finally:
        tf.set_backend(backend)


def wrong(mine: list[Any], wanted: list[Any]) -> str:
    """Return the first difference as text, or ""."""
    for a, b in zip(mine, wanted, strict=True):
        try:
            if np.asarray(b).dtype.kind in "fc":
                np.testing.assert_allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE)
            else:
                np.testing.assert_array_equal(a, b)
        except AssertionError as error:
            return str(error)
    return ""


@pytest.mark.parametrize(("calls", "words"), NAMESPACES)
@run_in_browser(backends=("wasm", "webgl", "webgpu"), timeout=400)
def test_calls(tf: Any, backend: str, calls: Any, words: str) -> None:
    said = module(words)
    problems = []
    for name, text, ways in calls:
        function = functools.reduce(getattr, name.split("."), tf)

        def call(*args: Any, function: Any = function, **kwargs: Any) -> Any:
            forget_host_entries()  # entries that the arguments caused
            return function(*args, **kwargs)

        def run(text: str = text, call: Any = call) -> list[Any]:
            result = said.evaluate(f"call({text})", said.words(tf), call=call)
            return [t.numpy() for t in said.tensors(tf, result)]

        mine = run()
        left = {key[0].name for key in host_entries()}
        if left and ways[backend] != "host":
            problems.append(f"{name}: computed on the host: {left}")
        if text := wrong(mine, on_cpu(tf, backend, run)):
            problems.append(f"{name}: {text}")
    assert not problems, "\n".join(problems)


def problems_of(
    tf: Any, backend: str, cases: Any, results: Any, on_host: Any = lambda op: False
) -> list[str]:
    """Return the problems of calls: results that differ from NumPy's, ops that ran on the host.

    Args:
        results: Function that returns the results of a call, given its source.
        on_host: Function that returns True if the host may compute an op.
    """
    problems = []
    for name, call in cases:
        forget_host_entries()
        mine = results(call)
        if left := {key[0].name for key in host_entries() if not on_host(key[0].name)}:
            problems.append(f"{name}: computed on the host: {left}")
        if text := wrong(mine, on_cpu(tf, backend, functools.partial(results, call))):
            problems.append(f"{name}: {text}")
    return problems


def results_by(tf: Any, words: str) -> Any:
    """Return a function that evaluates the source of a call and returns the results."""
    said = module(words)

    def results(call: str) -> list[Any]:
        return [t.numpy() for t in said.tensors(tf, said.evaluate(call, said.words(tf)))]

    return results


@pytest.mark.parametrize("words", [WORDS], ids=["tfjs"])
@pytest.mark.parametrize("cases", [BUGS], ids=["bugs"])
@run_in_browser(backends=("wasm", "webgl", "webgpu"), timeout=400)
def test_bugs_of_tensorflow_js(tf: Any, backend: str, cases: Any, words: str) -> None:
    problems = problems_of(tf, backend, cases, results_by(tf, words))
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("words", [WORDS], ids=["tfjs"])
@pytest.mark.parametrize("cases", [GRADIENTS], ids=["gradients"])
@run_in_browser(backends=("wasm", "webgl", "webgpu"), timeout=400)
def test_gradients_that_tensorflow_js_lacks(tf: Any, backend: str, cases: Any, words: str) -> None:
    from tfpy._src.compiler.ops import OPS

    said = module(words)

    def gradients(call: str) -> list[Any]:
        found = said.gradients(tf, call)
        return [tf.convert_to_tensor(g).numpy() for g in found if g is not None]

    problems = problems_of(
        tf, backend, cases, gradients, on_host=lambda op: OPS[op].family == "linalg"
    )
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("words", [WORDS], ids=["tfjs"])
@pytest.mark.parametrize("cases", [OPERATIONS], ids=["operations"])
@run_in_browser(backends=("webgl", "webgpu"), timeout=400)
def test_operations_of_tensorflow_js_models(tf: Any, backend: str, cases: Any, words: str) -> None:
    """Check the operations of the TensorFlow.js converter.

    ``tests/wasm`` checks them on the wasm backend.
    """
    results = results_by(tf, words)
    problems = problems_of(tf, backend, cases, results, on_host=lambda op: True)
    assert not problems, "\n".join(problems)
