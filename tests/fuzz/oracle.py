"""Execution of programs with tfpy, with each statement compared with TensorFlow."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .bounds import ELEMENT, HALVES, Bound, bound, scale, truncated
from .left_open import left_open
from .programs import Array, Call, Given, Library, Program, Ref, array_of
from .values import is_exact

Arrays = dict[str, Array | None]
"""Arrays of a result by path."""

TINY = float(np.finfo(np.float32).tiny)
HUGE = float(np.finfo(np.float32).max) * (1 - 1e-3)
OVERFLOWS = 1e35
"""Size of terms that may overflow when they are added."""
WIDE: dict[str, Any] = {"f": np.float64, "V": np.float64, "c": np.complex128}
AS_GOOD = 4.0
"""Factor of TensorFlow's own error, measured in float64, within which a result is acceptable."""

NOT_TRACEABLE = "NotTraceableError"
"""Error of loops and conditionals with shapes that depend on values (see docs/functions.md)."""
NO_KERNEL = re.compile(
    r"NotFound|Unimplemented|Could not find device|no .*kernel|not (yet )?(support|implemented)|"
    r"only supports|dimension \d+ must have length of at least|"
    r"unsupported|OpKernel|list of allowed values|(No g|G)radient (not )?defined|gradient registry|"
    r"_\w+Grad\(\) takes \d+ positional arguments",
    re.IGNORECASE,
)
"""Errors of TensorFlow for valid calls, which tfpy may compute.

For example, TensorFlow does not pad empty tensors for Fourier transforms, and some of its gradient
functions reject the arguments that they are called with.
"""

WRONG_ARGUMENT = {
    *("FailedPreconditionError", "InvalidArgumentError", "TypeError", "UnimplementedError"),
    "ValueError",
}
"""Equivalent error classes. TensorFlow's class depends on the layer that detects the error."""
ACCIDENTS = {
    *("AssertionError", "AttributeError", "IndexError", "InternalError", "KeyError"),
    *("OverflowError", "StagingError", "UnboundLocalError", "ZeroDivisionError"),
}
"""Errors caused by bugs of TensorFlow, for which tfpy raises a proper error.

The bugs are in Python, or in a kernel that did not expect an error (``tf.truncatemod`` by 0).
"""


@dataclass(frozen=True)
class Refusal:
    """An error that a call raised."""

    error: str
    text: str

    def __str__(self) -> str:
        return f"{self.error}: {self.text[:300]}"


Outcome = Arrays | Refusal


@dataclass(frozen=True)
class Finding:
    """A statement with a result that differs from TensorFlow's."""

    program: Program
    statement: int
    operands: tuple[Array, ...]
    difference: str

    @property
    def kind(self) -> str:
        """Return a key that is equal for findings with the same cause."""
        statement = self.program.statements[self.statement]
        assert isinstance(statement, Call)
        return f"{statement.name}: {self.difference.split(':')[0]}"

    def alone(self) -> Program | None:
        """Return a program of this statement alone, on its actual operands, if they are known."""
        if not self.operands:
            return None
        call = self.program.statements[self.statement]
        assert isinstance(call, Call)
        arrays = dict(zip(call.operands, self.operands, strict=True))
        refs = {ref: Ref(i) for i, ref in enumerate(arrays)}
        operands = tuple(refs[ref] for ref in call.operands)
        return Program((*map(Given, arrays.values()), Call(call.name, call.text, operands)))


class Oracle:
    """TensorFlow and tfpy on its active backend."""

    def __init__(self, tensorflow: Any, tfpy: Any) -> None:
        self.theirs = Library(tensorflow)
        self.mine = Library(tfpy)

    def check(self, program: Program) -> Finding | None:
        """Return the first statement that differs. Later statements do not run."""
        results: list[Any] = []
        for number, statement in enumerate(program.statements):
            if isinstance(statement, Given):
                results.append(self.mine.given(statement.array))
                continue
            try:
                tensors = [self.mine.find(results[r.statement], r.path) for r in statement.operands]
            except Exception:  # both libraries rejected the statement that it reads
                results.append(None)
                continue
            arrays = tuple(_read(t) for t in tensors)
            if any(a is None for a in arrays):
                results.append(None)
                continue
            result, outcome = self._outcome(self.mine, statement, tensors)
            results.append(result)
            if text := self.judge(statement, arrays, outcome):  # type: ignore[arg-type]
                return Finding(program, number, arrays, text)  # type: ignore[arg-type]
        return None

    def judge(self, call: Call, operands: Sequence[Array], mine: Outcome) -> str:
        """Return the error in the result of a call on these operands, or ""."""
        if any(_subnormal(a) for a in operands):
            return ""  # TensorFlow treats them as zeros
        if left_open(call.name, call.text, operands):
            return ""
        if isinstance(mine, Refusal) and mine.error == NOT_TRACEABLE:
            return ""
        _, theirs = self._outcome(self.theirs, call, _tensors(self.theirs, call, operands))
        if isinstance(theirs, Refusal):
            if isinstance(mine, Refusal):
                return _other_class(mine, theirs)
            if NO_KERNEL.search(str(theirs)):
                return ""
            if theirs.error in ACCIDENTS or call.text.startswith("vectorized("):
                return ""  # a bug of TensorFlow, or a call without vectorization
            if call.text.startswith("guarded(") and not operands[0].size:
                return ""  # a branch that is known not to run is not traced
            if _is_empty(mine) or isinstance(self._on_cpu(call, operands), Refusal):
                return ""  # nothing is computed, or devices do not check values
            return f"computes what TensorFlow refuses: {theirs}"
        if isinstance(mine, Refusal):
            if mine.error in WRONG_ARGUMENT and _loops_over_nothing(call, operands):
                return ""  # TensorFlow detects while running what a trace knows
            return f"refuses what TensorFlow computes: {mine}"
        if mine.keys() != theirs.keys():
            return f"other results: {sorted(mine)} for {sorted(theirs)}"
        truth: Arrays | None = None
        for path, wanted in theirs.items():
            found = mine[path]
            text = differs(call, operands, found, wanted, None)
            if text and truth is None:
                truth = self._truth(call, operands)
            if text and path in truth:  # type: ignore[operator]
                text = differs(call, operands, found, wanted, truth[path])  # type: ignore[index]
            if text:
                return f"{text} at result{path}"
        return ""

    def _truth(self, call: Call, operands: Sequence[Array]) -> Arrays:
        """Return the results in float64, or an empty dictionary if TensorFlow fails."""
        wide = [a.astype(WIDE.get(a.dtype.kind, a.dtype)) for a in operands]
        text = call.text.replace(".numpy().tolist()", "")  # Python's floats would become float32
        text = re.sub(r"tf\.eye\((-?\d+)\)", r"tf.eye(\1, dtype=tf.float64)", text)
        if re.fullmatch(r"signal\..*(window|weight_matrix)", call.name) and "dtype" not in text:
            text = f"{text[:-1]}, dtype=tf.float64)"
        call = replace(call, text=text)
        with quiet():
            try:
                result = self.theirs.call(call, _tensors(self.theirs, call, wide))
                leaves = self.theirs.leaves(result)
            except Exception:
                return {}
        return {k: None if t is None else np.asarray(t.numpy()) for k, t in leaves.items()}

    def _on_cpu(self, call: Call, operands: Sequence[Array]) -> Outcome:
        tfpy = self.mine.lib
        backend = tfpy.get_backend()
        tfpy.set_backend("cpu")
        try:
            return self._outcome(self.mine, call, _tensors(self.mine, call, operands))[1]
        finally:
            tfpy.set_backend(backend)

    @staticmethod
    def _outcome(library: Library, call: Call, tensors: Sequence[Any]) -> tuple[Any, Outcome]:
        with quiet():
            try:
                result = library.call(call, tensors)
                return result, {k: _read(t) for k, t in library.leaves(result).items()}
            except Exception as error:
                return None, Refusal(type(error).__name__, str(error))


def _tensors(library: Library, call: Call, operands: Sequence[Array]) -> list[Any]:
    """Return one tensor for each operand, and the same tensor for an operand that is read twice."""
    arrays = dict(zip(call.operands, operands, strict=True))
    made = {ref: library.given(array) for ref, array in arrays.items()}
    return [made[ref] for ref in call.operands]


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress warnings of overflow and similar."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


_read = array_of


def _subnormal(array: Array) -> bool:
    if is_exact(array):
        return False
    parts = array.astype(np.complex128)
    sizes = np.abs([parts.real, parts.imag])
    return bool(((sizes > 0) & (sizes < TINY)).any())


def _is_empty(outcome: Arrays) -> bool:
    return all(array is None or array.size == 0 for array in outcome.values())


def _loops_over_nothing(call: Call, operands: Sequence[Array]) -> bool:
    return call.text.startswith(("looped(", "mapped(")) and not operands[0].shape[0]


def _other_class(mine: Refusal, theirs: Refusal) -> str:
    if (
        mine.error == theirs.error
        or NO_KERNEL.search(str(theirs))
        or (mine.error in WRONG_ARGUMENT and theirs.error in WRONG_ARGUMENT | ACCIDENTS)
    ):
        return ""
    return f"other error: {mine} for {theirs}"


def differs(
    call: Call,
    operands: Sequence[Array],
    found: Array | None,
    wanted: Array | None,
    truth: Array | None,
) -> str:
    """Return the difference between a result and TensorFlow's, or ""."""
    if found is None or wanted is None:
        return "no gradient: None" if found is None and wanted is not None else ""
    if found.dtype != wanted.dtype:
        return f"dtype: {found.dtype} for {wanted.dtype}"
    if found.shape != wanted.shape:
        return f"shape: {found.shape} for {wanted.shape}"
    if call.name.startswith("guarded ") and _has_open_sums(call, operands):
        return ""  # it counts the results that are not NaN
    if is_exact(found):
        wrong = np.asarray(found != wanted)
        if truncated(call.name):
            y, w = found.astype(np.float64), wanted.astype(np.float64)
            allowed = bound(call.name)
            size = scale(allowed.scale, operands, call.text)
            wrong &= np.abs(y - w) > 1 + allowed.relative * (np.abs(w) + size)
    else:
        if truth is not None and truth.shape != wanted.shape:
            truth = None
        with np.errstate(all="ignore"):
            wrong = ~_close(call, operands, found, wanted, truth)
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    exact = "" if truth is None else f", in float64 {truth[at]!r}"
    count = f"{int(wrong.sum())} of {wrong.size}"
    return f"values: {count}, at {at} {found[at]!r} for {wanted[at]!r}{exact}"


def _close(
    call: Call,
    operands: Sequence[Array],
    found: Array,
    wanted: Array,
    truth: Array | None,
) -> Any:
    allowed = bound(call.name)
    if found.dtype.kind == "c":
        parts = [
            _close(call, operands, f(found), f(wanted), None if truth is None else f(truth))
            | (np.abs(f(found) - f(wanted)) <= allowed.relative * np.abs(wanted))
            for f in (np.real, np.imag)
        ]
        # In TensorFlow, the position in a vector decides which of the parts is infinite or NaN.
        overflowed = ~np.isfinite(found) & ~np.isfinite(wanted)
        return (parts[0] & parts[1]) | overflowed
    relative = HALVES.get(found.dtype.name, allowed.relative)
    if any(a.dtype.kind == "c" for a in operands):
        relative = max(relative, ELEMENT.relative)
    size = scale(allowed.scale, operands, call.text)
    y, w = found.astype(np.float64), wanted.astype(np.float64)
    good = (y == w) | (np.isnan(y) & np.isnan(w))
    good |= np.abs(y - w) <= relative * (np.abs(w) + size) + TINY
    good |= (np.sign(y) == np.sign(w)) & (np.abs(y) >= HUGE) & (np.abs(w) >= HUGE)
    if _sums_overflow(allowed, operands, size):
        good |= ~np.isfinite(y) | ~np.isfinite(w)
    if allowed.scale != "none":  # both overflowed to infinity, or its difference
        good |= ~np.isfinite(y) & ~np.isfinite(w) & (np.isnan(y) | np.isnan(w))
    if truth is None or truth.dtype.kind != "f":
        return good
    error = np.abs(w - truth)
    error = np.max(error, initial=0.0, where=np.isfinite(error))
    good |= np.abs(y - truth) <= relative * (np.abs(truth) + size) + AS_GOOD * error + TINY
    good |= (np.sign(y) == np.sign(truth)) & (np.abs(y) >= HUGE) & (np.abs(truth) >= HUGE)
    good |= np.isnan(y) & np.isnan(truth)
    if allowed.scale != "none":  # TensorFlow overflowed in an intermediate step
        good |= ~np.isfinite(w) & np.isfinite(truth)
    return good


def _has_open_sums(call: Call, operands: Sequence[Array]) -> bool:
    allowed = bound(call.name)
    return _sums_overflow(allowed, operands, scale(allowed.scale, operands, call.text))


def _sums_overflow(allowed: Bound, operands: Sequence[Array], size: float) -> bool:
    """Return True if terms of sums are infinite or nearly so, because then the order matters."""
    if allowed.scale not in ("operands", "product"):
        return False
    return size > OVERFLOWS or any(not is_exact(a) and not np.isfinite(a).all() for a in operands)
