"""The cache of a function's traces: one trace per signature, made on demand."""

from __future__ import annotations

import functools
import logging
import threading
import types
import weakref
from collections import OrderedDict, deque
from pathlib import Path
from typing import Any, NamedTuple

from tfpy._src.backends import registry
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.compiler.ir.sizes import is_open
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.open import OpenConcreteFunction
from tfpy._src.functions.tf_function.signature import Call
from tfpy._src.functions.tf_function.traceable import Traceable
from tfpy._src.functions.tf_function.untraced import Untraced

_log = logging.getLogger("tensorflow")

_CALLS = 10  # number of recent calls that are considered
_MANY = 5  # number of traces among these that causes a warning
_MAX_WARNINGS = 2  # per function

_TEXT = """%d out of the last %d calls of the tf.function '%s' traced it again. \
Tracing is expensive. Create a tf.function once, outside of loops. Pass numbers that change as \
tensors, because each Python value has its own trace. Each shape has its own trace as well; an \
input_signature with None in place of a size serves all sizes"""


class Retracing:
    """A detector of excessive retracing, by TensorFlow's rule of five traces in ten calls."""

    def __init__(self) -> None:
        self._at = deque[int]()
        self._calls = 0
        self._warnings = 0

    def note(self, name: str, calls: int) -> None:
        """Record that a function was traced, and warn about frequent traces.

        Args:
            name: Name of the function.
            calls: Number of calls since the last trace, including the one that traced.
        """
        self._calls += calls
        call = self._calls
        self._at.append(call)
        while call - self._at[0] >= _CALLS:
            self._at.popleft()
        if len(self._at) >= _MANY and self._warnings < _MAX_WARNINGS:
            self._warnings += 1
            _log.warning(_TEXT, len(self._at), call - self._at[0] + 1, name)


_detectors: weakref.WeakKeyDictionary[types.CodeType, Retracing] = weakref.WeakKeyDictionary()
"""Detectors by the code of a program's function, because a loop may make a function repeatedly."""
_PACKAGE = f"{Path(__file__).parents[3]}/"


def _detector(function: Any) -> Retracing:
    """Return the detector for a Python function."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if not isinstance(code, types.CodeType) or code.co_filename.startswith(_PACKAGE):
        return Retracing()
    return _detectors.setdefault(code, Retracing())


_MAX_TRACES = 256  # per function; the least recently used trace is dropped


class CacheInfo(NamedTuple):
    """Number of calls that reused a trace, number of traces made, and size of the cache."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


class Traces:
    """The traces of one function, which may be called from several threads.

    Args:
        function: The function to trace.
        reduces: If True, signatures that differ in sizes share one signature with open sizes.
    """

    def __init__(self, function: Traceable, reduces: bool) -> None:
        self._function = function
        self._reduces = reduces
        self._by_call: OrderedDict[Any, ConcreteFunction | Untraced] = OrderedDict()
        self.by_avals: dict[Any, ConcreteFunction] = {}
        """Traces by the quick key of `Function`, which counts its own hits."""
        self._open: dict[Any, OpenConcreteFunction] = {}
        """Signatures with open sizes. Their traces for actual sizes are in `_by_call`."""
        self._unshared: set[Any] = set()
        """Keys of calls with traces that serve only the Variables of the call."""
        self._lock = threading.RLock()
        """Lock that is held while the function is traced."""
        self._made_variables = False
        self.hits = self.misses = 0
        self._retracing = _detector(function.function)
        self._noted = 0
        """Number of calls that the detector knows."""
        _all.add(self)

    def serving(self, call: Call) -> ConcreteFunction | Untraced:
        """Return the trace for calls like this one, and make it if it is the first."""
        with self._lock:
            found = self._known(call)
            if found is not None:
                self.hits += 1
                return found
            opened = self._open_for(call)
            if opened is None:
                self._note_trace(is_part=is_open(tuple(aval.shape for aval in call.avals)))
            made = self._made(call) if opened is None else opened.sized(call.avals)
            is_shared = isinstance(made, ConcreteFunction) and made.is_shared
            self._by_call[call.key, () if is_shared else call.identities] = made
            if len(self._by_call) > _MAX_TRACES:
                self._by_call.popitem(last=False)
                self.by_avals.clear()
            return made

    def _known(self, call: Call) -> ConcreteFunction | Untraced | None:
        """Return the trace that serves a call, or None, and mark it as the last used one.

        The key of a trace is the key of its call. A trace that serves only certain Variables also
        has their identities in its key.
        """
        for key in ((call.key, call.identities), (call.key, ())):
            found = self._by_call.get(key)
            if isinstance(found, ConcreteFunction) and found.is_shared:
                if not found.can_bind(call):
                    continue
                found = self._by_call[key] = found.bound(call)
            if found is not None:
                self._by_call.move_to_end(key)
                return found
        return None

    def opened(self, call: Call) -> OpenConcreteFunction:
        """Return the described concrete function for a signature with open sizes.

        Raises:
            NotTraceableError: If a shape depends on values.
        """
        with self._lock:
            return self._opened(call).described()

    def declare(self, call: Call) -> None:
        """Use a signature with open sizes for all calls that it covers."""
        with self._lock:
            if not call.is_static:
                self._opened(call)

    def _open_for(self, call: Call) -> OpenConcreteFunction | None:
        """Return the signature with open sizes for a call, or None if the call is traced alone."""
        given = self._function.specified()
        if given is not None:
            whole = given.is_static or given.has_composite_specs
            return None if whole else self._opened(given)
        for opened in self._open.values():
            if opened.serves(call):
                return opened
        if self._reduces:
            relaxed = call.relaxed([found.call for found in self._by_call.values()])
            return None if relaxed.is_static else self._opened(relaxed)
        return None

    def _opened(self, call: Call) -> OpenConcreteFunction:
        key = call.key, call.identities
        found = self._open.get(key)
        if found is None:
            self._note_trace()
            found = self._open[key] = OpenConcreteFunction(
                self._function.name, self._function.signature, call, self._made
            )
        return found

    def _note_trace(self, is_part: bool = False) -> None:
        """Count a new signature.

        Args:
            is_part: True for a call with open sizes, which is part of the trace of another
                function. That function is traced for several actual sizes, which the program cannot
                avoid, so the call does not count as retracing.
        """
        self.misses += 1
        if not is_part:
            calls = self.hits + self.misses
            self._retracing.note(self._function.name, calls - self._noted)
            self._noted = calls

    def _made(self, call: Call) -> ConcreteFunction | Untraced:
        try:
            concrete = self._traced(call, not self._made_variables)
            if concrete.made:
                # As in TensorFlow, a function that makes Variables must not make them again.
                self._made_variables = True
                concrete.initialize([tensor for _, tensor in call.tensors])
                concrete = self._traced(call, False)
        except NotTraceableError as error:
            return Untraced(self._function.run, call, error)
        return concrete

    def _traced(self, call: Call, allows_variables: bool) -> ConcreteFunction:
        """Trace a call, in a form that serves other Variables as well if the function allows it."""
        if call.variables and not call.is_sized and call.key not in self._unshared:
            concrete = self._function.trace(call, allows_variables, is_shared=True)
            if concrete.made or concrete.can_bind(call):
                return concrete
            self._unshared.add(call.key)
        return self._function.trace(call, allows_variables)

    def forget_lost(self) -> None:
        """Drop the traces that need values that were lost with their device.

        The next call traces the function again, which recreates its constants.
        """
        with self._lock:
            lost = [key for key, found in self._by_call.items() if found.has_lost]
            for key in lost:
                del self._by_call[key]
            if lost:
                self.by_avals.clear()
            for opened in self._open.values():
                opened.forget_lost()

    @property
    def last(self) -> ConcreteFunction | Untraced | None:
        """Trace that was used last."""
        return next(reversed(self._by_call.values()), None)

    @property
    def concrete(self) -> list[ConcreteFunction]:
        """Traces that are compiled, without those that run op by op, least recently used first."""
        return [c for c in self._by_call.values() if isinstance(c, ConcreteFunction)]

    @property
    def described(self) -> list[ConcreteFunction]:
        """One trace for each signature."""
        whole = [c for c in self.concrete if not c.call.is_sized]
        return [*(o for o in self._open.values() if o.is_described), *whole]

    def info(self) -> CacheInfo:
        """Return hits and misses, like `functools.lru_cache`."""
        return CacheInfo(self.hits, self.misses, _MAX_TRACES, len(self._by_call))


_all = weakref.WeakSet[Traces]()


def _forget_lost() -> None:
    for traces in list(_all):
        traces.forget_lost()


registry.after_activation.append(_forget_lost)
