"""Programs as compiled functions: the same results as eagerly, up to rounding.

A compiled function shows only its results, so the tolerance is measured: TensorFlow runs the
program several times with small changes of each float result, and the function may differ as much
as these runs differ from each other. It may also be as near to the float64 result as the eager
result is, because shader compilers simplify ``(x + 1) - 1``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from .bounds import bound, scale
from .oracle import WIDE, Arrays, Finding, Oracle, Refusal, quiet
from .programs import Array, Call, Given, Library, Program, array_of
from .values import is_exact

RUNS = 12
SPREAD = 4.0
"""Factor by which a function's result may exceed the spread of the changed runs."""


def check_function(oracle: Oracle, program: Program) -> Finding | None:
    """Return the difference between a program's eager and compiled results, both with tfpy."""
    results = shown(program)
    given = {i: s.array for i, s in enumerate(program.statements) if isinstance(s, Given)}
    if not results or any(a.dtype.kind == "O" for a in given.values()):
        return None
    eager = _run(oracle.mine, program, given, results, lambda f: f)
    if isinstance(eager, Refusal):
        return None
    compiled = _run(oracle.mine, program, given, results, oracle.mine.lib.function)
    if isinstance(compiled, Refusal):
        theirs = _run(oracle.theirs, program, given, results, oracle.theirs.lib.function)
        if isinstance(theirs, Refusal):
            return None
        text = f"a function refuses what it computes op by op: {compiled}"
    else:
        text = _difference(oracle.theirs, program, given, results, eager, compiled)
    return Finding(program, results[-1], (), text) if text else None


def shown(program: Program) -> list[int]:
    """Return the statements that a function returns: the unread, or all and the last one twice."""
    if crc32(str(program).encode()) % 2:
        return program.unread()
    calls = [i for i, s in enumerate(program.statements) if isinstance(s, Call)]
    return [*calls, *calls[-1:]]


Wrapped = Callable[[Callable[..., Any]], Callable[..., Any]]


def _run(
    library: Library,
    program: Program,
    given: dict[int, Array],
    results: list[int],
    wrap: Wrapped,
    noise: Callable[[Call, Sequence[Any], Any], Any] = lambda call, operands, result: result,
) -> Arrays | Refusal:
    """Return the results of a program that is one function."""
    names: list[str] = []

    def function(*tensors: Any) -> list[Any]:
        values = library.run(program, dict(zip(given, tensors, strict=True)), noise)
        found = {f"v{i}{k}": t for i in results for k, t in library.leaves(values[i]).items()}
        found = {k: t for k, t in found.items() if t is not None}
        names[:] = found
        return list(found.values())

    with quiet():
        try:
            tensors = wrap(function)(*(library.given(a) for a in given.values()))
        except Exception as error:
            return Refusal(type(error).__name__, str(error))
        return {name: array_of(t) for name, t in zip(names, tensors, strict=True)}


def _difference(
    library: Library,
    program: Program,
    given: dict[int, Array],
    results: list[int],
    eager: Arrays,
    compiled: Arrays,
) -> str:
    if eager.keys() != compiled.keys():
        return f"function: other results: {sorted(compiled)} for {sorted(eager)}"
    wrong = {k: text for k in eager if (text := _differs(eager[k], compiled[k]))}
    if not wrong:
        return ""
    runs = [_changed(library, program, given, results, seed) for seed in range(RUNS)]
    known = [run for run in runs if not isinstance(run, Refusal)]
    wide = {i: a.astype(WIDE.get(a.dtype.kind, a.dtype)) for i, a in given.items()}
    exact = _run(library, program, wide, results, lambda f: f)
    for key, text in wrong.items():
        others = [r[key] for r in known if key in r and r[key] is not None]
        truth = None if isinstance(exact, Refusal) else exact.get(key)
        if not _explained(eager[key], compiled[key], others, truth):
            return f"function: {text} at {key}"
    return ""


def _changed(
    library: Library, program: Program, given: dict[int, Array], results: list[int], seed: int
) -> Arrays | Refusal:
    """Run a program with every float result changed by up to its bound."""
    rng = np.random.default_rng(seed)

    def noise(call: Call, operands: Sequence[Any], result: Any) -> Any:
        if isinstance(result, list | tuple):
            parts = [noise(call, operands, r) for r in result]
            return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
        if not library.lib.is_tensor(result) or not result.dtype.is_floating:
            return result
        allowed = bound(call.name)
        arrays = [a for a in map(array_of, operands) if a is not None]
        values = result.numpy().astype(np.float64)
        off = allowed.relative * (np.abs(values) + scale(allowed.scale, arrays, call.text))
        changed = values + rng.uniform(-1, 1, values.shape) * off
        return library.lib.constant(changed, result.dtype)

    return _run(library, program, given, results, lambda f: f, noise)


def _differs(eager: Array | None, compiled: Array | None) -> str:
    assert eager is not None
    assert compiled is not None
    if eager.dtype != compiled.dtype or eager.shape != compiled.shape:
        return f"{compiled.dtype}{compiled.shape} for {eager.dtype}{eager.shape}"
    if np.array_equal(eager, compiled, equal_nan=not is_exact(eager)):
        return ""
    if not is_exact(eager) and np.allclose(compiled, eager, 2e-6, 1e-37, equal_nan=True):
        return ""
    return f"{compiled.ravel()[:8]} for {eager.ravel()[:8]}"


def _explained(eager: Any, compiled: Any, others: list[Any], truth: Array | None) -> bool:
    """Return True if rounding explains the difference between eager and compiled results.

    The function must be as near to the eager result as changed runs are to each other, or as near
    to the float64 result as the eager result is.
    """
    others = [o for o in others if o.shape == eager.shape == compiled.shape]
    if not others:
        return True  # rounding decides shapes, or TensorFlow has no kernel
    if is_exact(eager):
        stable = np.all([o == others[0] for o in others], axis=0)
        return bool((~stable | (eager == compiled)).all())
    with np.errstate(all="ignore"):
        spread = np.max([np.abs(o - others[0]) for o in others], axis=0)
        near = np.abs(compiled - eager) <= SPREAD * spread + 2e-6 * np.abs(eager)
        finite = np.all([np.isfinite(o) for o in [*others, eager]], axis=0)
        same = (compiled == eager) | (np.isnan(compiled) & np.isnan(eager))
        overflows = ~finite & ~np.all([np.isnan(o) for o in others], axis=0)
        good = same | near | overflows
        if truth is not None and truth.shape == eager.shape:
            good |= np.abs(compiled - truth) <= SPREAD * np.abs(eager - truth) + 1e-12
    return bool(good.all())
