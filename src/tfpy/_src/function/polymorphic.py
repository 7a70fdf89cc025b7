"""What ``tf.function`` makes: traces a Python function per signature, runs what was compiled."""

from __future__ import annotations

import functools
import inspect
import threading
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, Self, TypeVar, overload

from tfpy._src import tracing
from tfpy._src.control.tensor_array import TensorArray
from tfpy._src.core import nest
from tfpy._src.core.conversion import is_operand
from tfpy._src.core.operand import Composite, HostObject
from tfpy._src.core.tensor import Tensor
from tfpy._src.errors import NotTraceableError
from tfpy._src.function.concrete import ConcreteFunction
from tfpy._src.function.open import OpenConcreteFunction
from tfpy._src.function.retracing import Retracing
from tfpy._src.function.signature import Call, bind, conform, quick_key, spread
from tfpy._src.function.text import Lowered
from tfpy._src.function.untraced import Untraced
from tfpy._src.runtime.awaitable import awaitable

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")

_MAX_TRACES = 256  # of one function; the least recently used goes

_BITS = {None: 0, "int8": 8, "int4": 4}
"""For ``quantize``, in how many bits products with weights are computed where that can be."""


CONVERTERS: list[Callable[..., Any]] = [lambda function: function]
"""The last one opens a function's control flow to tensors; ``tfpy.autograph`` adds its own."""


class CacheInfo(NamedTuple):
    """How often a function ran what it had, and how often it traced."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


class _Settings:
    eagerly = False


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes every ``tf.function`` run as plain Python, for debugging."""
    _Settings.eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """What :func:`run_functions_eagerly` was told."""
    return _Settings.eagerly


class Function(Generic[P, R]):
    """A Python function that is traced and compiled at its first call with each signature.

    Tensors are told apart by shape and dtype; Python values, by value, are constants of a trace.
    Called while another function is traced, its equations become part of that one's.

    Raises:
        ValueError: for a ``quantize`` that there is not.
    """

    def __init__(
        self,
        python_function: Callable[P, R],
        input_signature: Any = None,
        autograph: bool = True,
        quantize: str | None = None,
        reduce_retracing: bool = False,
    ) -> None:
        if quantize not in _BITS:
            raise ValueError(f"tf.function: quantize is 'int8', 'int4' or None, not {quantize!r}")
        functools.update_wrapper(self, python_function)
        self.python_function = python_function
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._autograph = autograph
        self._quantize = quantize
        self._reduce_retracing = reduce_retracing
        self._name = getattr(python_function, "__name__", type(python_function).__name__)
        self._signature = inspect.signature(python_function)
        self._traces: OrderedDict[Any, ConcreteFunction | Untraced] = OrderedDict()
        self._by_avals: dict[Any, ConcreteFunction] = {}
        """Traces by the :func:`~signature.quick_key` of their calls."""
        self._lock = threading.RLock()
        """Held while it is traced: several threads may call it."""
        self._open: dict[Any, OpenConcreteFunction] = {}
        """Signatures with open sizes, whose traces for actual ones are among the above."""
        self._made_variables = False
        self._hits = self._misses = 0
        self._retracing = Retracing(self._name)
        self._bound = weakref.WeakKeyDictionary[Any, Function[..., R]]()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs the compiled function, tracing it first if the signature is new.

        Raises:
            TypeError: when the arguments do not fit the parameters or the input_signature.
        """
        if _Settings.eagerly or (tracing.local.active and _stays_open(args, kwargs)):
            return self._converted()(*args, **kwargs)
        found, given = self._serving(args, kwargs)
        if found is None:
            return self._converted()(*args, **kwargs)
        if isinstance(found, Untraced):
            if tracing.local.active:
                return self._run_python(found.call.replaced(given))
            self._tell(found)
        result: R = found.run(given)
        return result

    @awaitable("f.call_async(...)")
    async def call_async(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """A call, awaited: the page reacts and paints while it computes.

        What computes on the page's own thread (wasm, NumPy) does so in slices of some 20 ms,
        between the steps of the program: a step is never cut. GPUs compute beside that thread, and
        what they run for the first time is compiled beside it, too.

        Variables have their old values until the call ends, and then all of their new ones; where
        it is cancelled they keep the old ones. Calls that assign Variables wait for one another.
        What else the program assigns meanwhile to a Variable that the call assigns, too, is lost.
        While a tape or a trace follows it, it is a plain call.

        Returns:
            What the call gives.

        Raises:
            TypeError: as the call does.

        Example:
            >>> import asyncio
            >>> import tfpy as tf
            >>> double = tf.function(lambda x: x * 2.0)
            >>> print(asyncio.run(double.call_async(tf.constant(3.0))).numpy())
            6.0
        """
        if _Settings.eagerly or tracing.local.active:
            return self(*args, **kwargs)
        found, given = self._serving(args, kwargs)
        if found is None:
            return self._converted()(*args, **kwargs)
        if isinstance(found, Untraced):
            self._tell(found)
        result: R = await found.run_async(given)
        return result

    def _serving(
        self, args: Any, kwargs: Any
    ) -> tuple[ConcreteFunction | Untraced | None, list[Tensor]]:
        """What runs a call, None for the Python function itself, and the tensors that it takes."""
        key, tensors = None, list[Tensor]()
        if not kwargs and self.input_signature is None:
            key = quick_key(args, tensors)
            known = self._by_avals.get(key)
            if known is not None:
                self._hits += 1
                return known, tensors
        if any(isinstance(x, HostObject) for x in (*args, *kwargs.values())):
            return None, []
        call = self._call(args, kwargs)
        found = self._found(call)
        if key is not None and isinstance(found, ConcreteFunction):
            self._by_avals[key] = found
        return found, [t for _, t in call.tensors]  # type: ignore[misc]

    def _tell(self, untraced: Untraced) -> None:
        """Warns once of calls that are run op by op."""
        if not untraced.is_known:
            untraced.is_known = True
            text = f"tf.function '{self._name}' runs op by op for these arguments: {untraced.error}"
            warnings.warn(text, stacklevel=3)

    def repeat(self, calls: Sequence[Sequence[Any]]) -> R:
        """Calls it with one list of arguments after the other; what the last call gives.

        Calls that one trace serves run in one crossing to the device, where it can: a call costs
        little then besides its computation.
        """
        call: Callable[..., R] = self
        if _Settings.eagerly or tracing.local.active or self.input_signature is not None:
            return [call(*args) for args in calls][-1]
        tensors: list[list[Tensor]] = [[] for _ in calls]
        keys = [quick_key(args, found) for args, found in zip(calls, tensors, strict=True)]
        for key, places in groupby(range(len(calls)), keys.__getitem__):
            alike = list(places)
            known = self._by_avals.get(key)
            if known is None:
                result = [call(*calls[i]) for i in alike][-1]
            else:
                self._hits += len(alike)
                result = known.repeat([tensors[i] for i in alike])
        return result

    def _call(self, args: Any, kwargs: Any) -> Call:
        arguments = bind(self._signature, args, kwargs)
        if self.input_signature is not None:
            specs = self._specs()
            for name, spec in specs.items():
                arguments[name] = conform(name, arguments[name], spec)
            self._check_defaults(arguments, specs)
        return Call(arguments)

    def _specs(self) -> dict[str, Any]:
        """The input_signature by parameter; ``*args`` takes what is left of it.

        Raises:
            TypeError: when it does not fit the parameters.
        """
        assert self.input_signature is not None
        try:
            return dict(self._signature.bind(*self.input_signature).arguments)
        except TypeError as error:
            raise TypeError(
                f"input_signature of '{self._name}' has {len(self.input_signature)} entries, but "
                f"the function takes ({', '.join(self._signature.parameters)})"
            ) from error

    def _check_defaults(self, arguments: dict[str, Any], specs: Mapping[str, Any]) -> None:
        """What the input_signature does not tell is what it is by default."""
        for name in arguments.keys() - specs.keys():
            parameter = self._signature.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL and arguments[name]:
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `too many positional arguments`: "
                    f"'*{name}' is not in the input_signature of '{self._name}'"
                )
            default = parameter.default
            if default is inspect.Parameter.empty or arguments[name] is default:
                continue
            if is_operand(default) or arguments[name] != default:
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `Can not cast "
                    f"{arguments[name]!r} to Literal[{default!r}]`: '{name}' is not in the "
                    "input_signature and keeps its default"
                )

    def _found(self, call: Call) -> ConcreteFunction | Untraced:
        """What runs calls like this one, made if it is the first."""
        with self._lock:
            found = self._traces.get(call.key)
            if found is not None:
                self._hits += 1
                self._traces.move_to_end(call.key)
                return found
            opened = self._open_for(call)
            if opened is None:
                self._note_trace()
            made = self._made(call) if opened is None else opened.sized(call.avals)
            self._traces[call.key] = made
            if len(self._traces) > _MAX_TRACES:
                self._traces.popitem(last=False)
                self._by_avals.clear()
            return made

    def _open_for(self, call: Call) -> OpenConcreteFunction | None:
        """The signature with open sizes that serves a call, if there is or should be one."""
        if self.input_signature is not None:
            given = self._call(self.input_signature, {})
            return None if given.is_static else self._opened(given)
        for opened in self._open.values():
            if opened.serves(call):
                return opened
        if self._reduce_retracing:
            relaxed = call.relaxed([found.call for found in self._traces.values()])
            return None if relaxed.is_static else self._opened(relaxed)
        return None

    def _note_trace(self) -> None:
        """Counts a signature that is new."""
        self._misses += 1
        self._retracing.note(self._hits + self._misses)

    def _opened(self, call: Call) -> OpenConcreteFunction:
        found = self._open.get(call.key)
        if found is None:
            self._note_trace()
            found = self._open[call.key] = OpenConcreteFunction(call, self._made)
        return found

    def _made(self, call: Call) -> ConcreteFunction | Untraced:
        try:
            concrete = self._trace(call, not self._made_variables)
            if concrete.made:
                # As in TensorFlow: what makes Variables must not make them again.
                self._made_variables = True
                concrete.initialize([tensor for _, tensor in call.tensors])
                concrete = self._trace(call, False)
        except NotTraceableError as error:
            return Untraced(self._run_python, call, error)
        return concrete

    def _trace(self, call: Call, allows_variables: bool) -> ConcreteFunction:
        bits = _BITS[self._quantize]
        return ConcreteFunction(
            self._name, self._run_python, self._signature, call, allows_variables, bits
        )

    def traced_again(self, concrete: ConcreteFunction) -> ConcreteFunction:
        """Another trace like one of this function's."""
        return self._trace(concrete.call, False)

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The traces that it has, least recently used first."""
        return [c for c in self._traces.values() if isinstance(c, ConcreteFunction)]

    def _run_python(self, arguments: dict[str, Any]) -> Any:
        args, kwargs = spread(self._signature, arguments)
        return self._converted()(*args, **kwargs)

    def _converted(self) -> Callable[..., Any]:
        """The Python function, its control flow open to tensors."""
        convert = self._autograph and not _Settings.eagerly
        return CONVERTERS[-1](self.python_function) if convert else self.python_function

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """The trace for these tensors, ``tf.TensorSpec`` or Python values.

        Raises:
            NotTraceableError: when a shape depends on values, so that calls run op by op.

        Returns:
            A :class:`ConcreteFunction`. Where a spec leaves sizes open, it traces the function
            again for each size that it meets.
        """
        if self.input_signature is not None and not args and not kwargs:
            args = self.input_signature
        call = self._call(args, kwargs)
        if not call.is_static:
            with self._lock:
                return self._opened(call).described()
        found = self._found(call)
        if isinstance(found, Untraced):
            raise found.error
        return found

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """What the active backend runs for these arguments; print its ``as_text()``.

        Without arguments: for those of the signature, or of the last trace.

        Raises:
            ValueError: without arguments, before anything was traced.
        """
        if not args and not kwargs and self.input_signature is None and self._traces:
            found = next(reversed(self._traces.values()))
            if isinstance(found, Untraced):
                raise found.error
            return found.lower()
        lowered: Lowered = self.get_concrete_function(*args, **kwargs).lower()
        return lowered

    @property
    def name(self) -> str:
        """The Python function's name."""
        return self._name

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function was traced."""
        return self._misses

    def pretty_printed_concrete_signatures(self) -> str:
        """What each trace takes, gives and captures."""
        traces: list[ConcreteFunction] = [o for o in self._open.values() if o.is_described]
        traces += [
            c
            for c in self._traces.values()
            if isinstance(c, ConcreteFunction) and not c.call.is_sized
        ]
        return "\n\n".join(c.pretty_printed_signature() for c in traces)

    def cache_info(self) -> CacheInfo:
        """Hits and misses of the traces kept, as ``functools.lru_cache`` reports them."""
        return CacheInfo(self._hits, self._misses, _MAX_TRACES, len(self._traces))

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Self: ...

    @overload
    def __get__(
        self: Function[Concatenate[S, Q], R], instance: S, owner: Any = None
    ) -> Function[Q, R]: ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        found = self._bound.get(instance)
        if found is None:
            method = _method(self.python_function, self._converted, instance)
            found = Function(
                method,
                self.input_signature,
                quantize=self._quantize,
                reduce_retracing=self._reduce_retracing,
            )
            self._bound[instance] = found
        return found

    def __repr__(self) -> str:
        return f"<tfpy.function.Function {self._name}>"


def _stays_open(args: Any, kwargs: Any) -> bool:
    """Whether a call in a trace has arguments that belong to that trace without being tensors."""
    return any(isinstance(x, TensorArray | Composite) for x in nest.flatten((args, kwargs)))


def _method(
    function: Callable[..., Any], converted: Callable[[], Callable[..., Any]], instance: Any
) -> Callable[..., Any]:
    """The method of an instance, which it does not keep alive; ``converted`` gives its function."""
    reference = weakref.ref(instance)

    @functools.wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        return converted()(reference(), *args, **kwargs)

    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[1:]
    method.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return method
