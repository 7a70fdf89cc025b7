"""What ``tf.function`` makes: traces a Python function per signature, runs what was compiled."""

from __future__ import annotations

import functools
import inspect
import warnings
import weakref
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, cast, overload

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.base import tracing
from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite, HostObject, Wrapper
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.conforming import conform
from tfpy._src.functions.tf_function.description import parameters_of, structured
from tfpy._src.functions.tf_function.signature import Call, spread
from tfpy._src.functions.tf_function.text import Lowered, as_html
from tfpy._src.functions.tf_function.traceable import Settings, Traceable
from tfpy._src.functions.tf_function.traces import CacheInfo, Traces
from tfpy._src.functions.tf_function.untraced import Untraced


class CompositeConcreteFunction:
    """A ``tf.function`` restricted to arguments of given specs, some of ragged or sparse tensors.

    A trace knows the partitions and indices of such tensors, so each value has a trace of its own,
    and what the function returns is not known before a call.

    Args:
        function: The ``tf.function``.
        signature: Its parameters.
        call: Specs and Python values by parameter.
    """

    def __init__(
        self, function: Callable[..., Any], signature: inspect.Signature, call: Call
    ) -> None:
        self._function, self._signature, self._call = function, signature, call
        self.name = getattr(function, "name", "function")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function.

        Raises:
            TypeError: If an argument does not fit its spec, or a Python value is another one.
        """
        given = self._signature.bind_partial(*args, **kwargs).arguments
        arguments = dict(self._call.arguments)
        for name, spec in arguments.items():
            has_specs = any(isinstance(leaf, TypeSpec) for leaf in nest.flatten(spec))
            value = given.get(name, spec)
            if has_specs and name not in given:
                raise TypeError(f"{self.name} is missing the argument '{name}', {spec!r}")
            if not has_specs and value is not spec and value != spec:
                raise TypeError(
                    f"{self.name} was specified for {name}={spec!r}, got {value!r}; call the "
                    "tf.function for other Python values"
                )
            arguments[name] = conform(name, value, spec)
        positional, named = spread(self._signature, arguments)
        return self._function(*positional, **named)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments, with specs of the tensors."""
        return structured(parameters_of(self._signature, self._call.arguments))


P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")


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
        functools.update_wrapper(self, python_function)
        self.python_function = python_function
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._quantize = quantize
        self._reduce_retracing = reduce_retracing
        self._traceable = Traceable(python_function, self.input_signature, autograph, quantize)
        self._traces = Traces(self._traceable, reduce_retracing)
        self._bound = weakref.WeakKeyDictionary[Any, Function[..., R]]()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs the compiled function, tracing it first if the signature is new.

        Raises:
            TypeError: when the arguments do not fit the parameters or the input_signature.
        """
        local = tracing.local
        if Settings.eagerly or (local.active and (local.replica or _stays_open(args, kwargs))):
            return self._traceable.converted()(*args, **kwargs)
        tensors: list[Tensor] = []  # list[Tensor]() takes Python ten times as long
        key = None if kwargs or self.input_signature is not None else _quick_key(args, tensors)
        known = self._traces.by_avals.get(key)
        if known is not None and not local.active:
            self._traces.hits += 1
            found: R = known.traced(tensors)
            return found
        serving, given = self._serving(args, kwargs, key, tensors)
        if serving is None:
            return self._traceable.converted()(*args, **kwargs)
        if isinstance(serving, Untraced):
            if local.active:
                return cast(R, self._traceable.run(serving.call.replaced(given)))
            self._tell(serving)
        result: R = serving.run(given)
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
        if Settings.eagerly or tracing.local.active:
            return self(*args, **kwargs)
        tensors: list[Tensor] = []
        key = None if kwargs or self.input_signature is not None else _quick_key(args, tensors)
        found, given = self._serving(args, kwargs, key, tensors)
        if found is None:
            return self._traceable.converted()(*args, **kwargs)
        if isinstance(found, Untraced):
            self._tell(found)
        result: R = await found.run_async(given)
        return result

    def _serving(
        self, args: Any, kwargs: Any, key: Any, tensors: list[Tensor]
    ) -> tuple[ConcreteFunction | Untraced | None, list[Tensor]]:
        """Return what runs a call, or None for the Python function, and the call's tensors.

        Args:
            key: The call's :func:`_quick_key`.
            tensors: The tensors that belong to the key.
        """
        known = self._traces.by_avals.get(key)
        if known is not None:
            self._traces.hits += 1
            return known, tensors
        if any(isinstance(x, HostObject) for x in (*args, *kwargs.values())):
            return None, []
        call = self._traceable.call(args, kwargs)
        found = self._traces.serving(call)
        if key is not None and isinstance(found, ConcreteFunction):
            self._traces.by_avals[key] = found
        return found, cast(list[Tensor], [t for _, t in call.tensors])

    def _tell(self, untraced: Untraced) -> None:
        """Warns once of calls that are run op by op."""
        if not untraced.is_known:
            untraced.is_known = True
            text = f"tf.function '{self.name}' runs op by op for these arguments: {untraced.error}"
            warnings.warn(text, stacklevel=3)

    def repeat(self, calls: Sequence[Sequence[Any]]) -> R:
        """Calls it with one list of arguments after the other; what the last call gives.

        Calls that one trace serves run in one crossing to the device, where it can: a call costs
        little then besides its computation.
        """
        call: Callable[..., R] = self
        if Settings.eagerly or tracing.local.active or self.input_signature is not None:
            return [call(*args) for args in calls][-1]
        tensors: list[list[Tensor]] = [[] for _ in calls]
        keys = [_quick_key(args, found) for args, found in zip(calls, tensors, strict=True)]
        for key, places in groupby(range(len(calls)), keys.__getitem__):
            alike = list(places)
            known = self._traces.by_avals.get(key)
            if known is None:
                result = [call(*calls[i]) for i in alike][-1]
            else:
                self._traces.hits += len(alike)
                result = known.traced.repeat([tensors[i] for i in alike])
        return result

    def traced_again(self, concrete: ConcreteFunction) -> ConcreteFunction:
        """Another trace like one of this function's."""
        return self._traceable.trace(concrete.call, False)

    def declare(self, *args: Any) -> None:
        """Leave open, in calls that specs cover, the sizes that the specs leave open.

        The first of these calls is traced so, too; ``reduce_retracing`` leaves sizes open once
        calls have differed in them.
        """
        self._traces.declare(self._traceable.call(args, {}))

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The traces that it has, least recently used first."""
        return self._traces.concrete

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """The trace for these tensors, ``tf.TensorSpec`` or Python values.

        Raises:
            NotTraceableError: when a shape depends on values, so that calls run op by op.

        Returns:
            A :class:`ConcreteFunction`. Where a spec leaves sizes open, it traces the function
            again for each size that it meets. For specs of ragged or sparse tensors, a
            :class:`CompositeConcreteFunction`.
        """
        if self.input_signature is not None and not args and not kwargs:
            args = self.input_signature
        call = self._traceable.call(args, kwargs)
        if call.has_composite_specs:
            return CompositeConcreteFunction(self, self._traceable.signature, call)
        if not call.is_static:
            return self._traces.opened(call)
        found = self._traces.serving(call)
        if isinstance(found, Untraced):
            raise found.error
        return found

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """What the active backend runs for these arguments; print its ``as_text()``.

        Without arguments: for those of the signature, or of the last trace.

        Raises:
            ValueError: without arguments, before anything was traced.
        """
        found = self._traces.last
        if not args and not kwargs and self.input_signature is None and found is not None:
            if isinstance(found, Untraced):
                raise found.error
            return found.lower()
        lowered: Lowered = self.get_concrete_function(*args, **kwargs).lower()
        return lowered

    @property
    def name(self) -> str:
        """The Python function's name."""
        return self._traceable.name

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function was traced."""
        return self._traces.misses

    def pretty_printed_concrete_signatures(self) -> str:
        """What each trace takes, gives and captures."""
        return "\n\n".join(c.pretty_printed_signature() for c in self._traces.described)

    def cache_info(self) -> CacheInfo:
        """Hits and misses of the traces kept, as ``functools.lru_cache`` reports them."""
        return self._traces.info()

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
            method = _method(self.python_function, self._traceable.converted, instance)
            found = Function(
                method,
                self.input_signature,
                quantize=self._quantize,
                reduce_retracing=self._reduce_retracing,
            )
            self._bound[instance] = found
        return found

    def _repr_html_(self) -> str:
        return as_html(self.name, self.concrete_functions)

    def __repr__(self) -> str:
        return f"<tfpy.function.Function {self.name}>"


def _quick_key(values: Sequence[Any], tensors: list[Tensor]) -> Any:
    """Return a key that is equal for lists of arguments that one trace serves.

    It is None unless the arguments are tensors, arrays, Python numbers, strings and None, in
    tuples, lists and dicts: only :class:`Call` can tell others apart.

    Args:
        tensors: Takes the tensors among them, and those of the arrays, in the order of
            :attr:`Call.tensors`.
    """
    key: list[Any] = []
    for value in values:
        kind = type(value)
        if kind is Tensor:
            tensors.append(value)
            key.append(value.aval)
        elif value is None or kind in _CONSTANTS:
            key.append(value)
        elif kind is np.ndarray:
            tensors.append(convert_to_tensor(value))
            key.append(tensors[-1].aval)
        elif isinstance(value, Wrapper):
            tensors.append(value.wrapped)
            key.append((kind, value.wrapped.aval))
        elif kind in _PLAIN_NESTS:
            names = tuple(sorted(value)) if kind is dict else ()
            inner = _quick_key([value[name] for name in names] if names else value, tensors)
            if inner is None:
                return None
            key.append((kind, names, inner))
        else:
            return None
    return tuple(key)


_CONSTANTS = frozenset([bool, int, float, str])
_PLAIN_NESTS = frozenset([tuple, list, dict])


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
    vars(method)["__signature__"] = signature.replace(parameters=parameters)
    return method
