"""The class behind `tf.function`, which traces a Python function once for each signature."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, cast, overload

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError
from tfpy._src.base.members import Listed
from tfpy._src.base.profiler_spans import recorders
from tfpy._src.core import fast_path
from tfpy._src.core.operand import HostObject
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.functions.executor import op_by_op
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.direct_call import DirectCall
from tfpy._src.functions.tf_function.restricted import RestrictedFunction
from tfpy._src.functions.tf_function.text import Lowered, as_html
from tfpy._src.functions.tf_function.traceable import Settings, Traceable, bound_method, stays_open
from tfpy._src.functions.tf_function.traced import observers, prepare, quick_key
from tfpy._src.functions.tf_function.traces import CacheInfo, Traces
from tfpy._src.functions.tf_function.untraced import Untraced

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")


class Function(Listed, Generic[P, R]):
    """A Python function that is traced and compiled on its first call with each signature.

    The shapes and dtypes of tensors and the values of other arguments form the signature. These
    values become constants of the trace. If a compiled function calls another one, the ops of the
    inner function become part of the outer program.

    Example:
        >>> import tfpy as tf
        >>> square = tf.function(lambda x: x * x)
        >>> print(square(tf.constant(3.0)).numpy(), square)
        9.0 <tfpy.function.Function <lambda>>
    """

    _package_members = frozenset(("declare", "described_functions", "traced_again"))

    def __init__(
        self,
        python_function: Callable[P, R],
        input_signature: Sequence[Nest] | None = None,
        autograph: bool = True,
        quantize: str | None = None,
        reduce_retracing: bool = False,
    ) -> None:
        functools.update_wrapper(self, python_function)
        self.python_function = python_function
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._quantize = quantize
        self._autograph = autograph
        self._reduce_retracing = reduce_retracing
        self._traceable = Traceable(python_function, self.input_signature, autograph, quantize)
        self._traces = Traces(self._traceable, reduce_retracing)
        self._bound = weakref.WeakKeyDictionary[Any, Function[..., R]]()

    def _decorate(self, decorator: Callable[[Callable[P, R]], Callable[P, R]]) -> None:
        """Decorate the Python function, under the private name of TensorFlow that Sonnet uses."""
        self.python_function = decorator(self.python_function)
        self._traceable = Traceable(
            self.python_function, self.input_signature, self._autograph, self._quantize
        )
        self._traces = Traces(self._traceable, self._reduce_retracing)

    @fast_path.of_call
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the compiled function, after tracing it if the signature is new.

        Args:
            args, kwargs: Arguments of the Python function.

        Returns:
            The result of the Python function, in which numbers and arrays are tensors.

        Raises:
            TypeError: If the arguments do not match the parameters or the `input_signature`.
        """
        local = tracing.local
        if local.active and local.active[-1].is_graph:
            function = self._traceable.converted()  # which may capture tensors of the graph
            return cast(R, local.active[-1].record(function, args, kwargs, "PartitionedCall"))
        if Settings.eagerly or (local.active and (local.replica or stays_open(args, kwargs))):
            return self._traceable.converted()(*args, **kwargs)
        tensors: list[Tensor] = []  # list[Tensor]() takes ten times as long
        key = None if kwargs or self.input_signature is not None else quick_key(args, tensors)
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
        return cast(R, serving.run(given))

    @awaitable("f.call_async(...)")
    async def call_async(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function without blocking the page.

        On the wasm and cpu backends, a long call pauses about every 20 ms between the kernels of
        the program. GPUs compute and compile in the background.

        Variables keep their old values during the call, and if it is cancelled. When it ends, they
        all receive their new values at once, which replace values that other code has assigned in
        the meantime. Concurrent awaited calls that assign Variables wait for each other. Under a
        `tf.GradientTape`, or in another compiled function, the call blocks like an ordinary call.

        Args:
            args, kwargs: Arguments of the Python function.

        Returns:
            An awaitable that resolves to the result of the call.

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
        key = None if kwargs or self.input_signature is not None else quick_key(args, tensors)
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
        """Return the trace that serves a call and the call's tensors; None means run Python.

        `key` is the call's :func:`quick_key`, and `tensors` are the tensors of the key.
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
        """Warn once that calls with these arguments run op by op."""
        if not untraced.is_known:
            untraced.is_known = True
            text = f"tf.function '{self.name}' runs op by op for these arguments: {untraced.error}"
            warnings.warn(text, stacklevel=3)

    def repeat(self, calls: Sequence[Sequence[Any]]) -> R:
        """Call the function once for each list of arguments and return the last result.

        Consecutive calls with the same signature are combined if the backend supports this, so
        each call costs little more than its computation.

        Args:
            calls: List with the positional arguments of each call, as a list.

        Returns:
            The result of the last call.

        Example:
            >>> import tfpy as tf
            >>> total = tf.Variable(0.0)
            >>> add = tf.function(lambda x: total.assign_add(x))
            >>> print(add.repeat([[1.0], [2.0], [3.0]]).numpy())
            6.0
        """
        call: Callable[..., R] = self
        if Settings.eagerly or tracing.local.active or self.input_signature is not None:
            return [call(*args) for args in calls][-1]
        tensors: list[list[Tensor]] = [[] for _ in calls]
        keys = [quick_key(args, found) for args, found in zip(calls, tensors, strict=True)]
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
        """Trace the function again for the arguments of one of its traces."""
        return self._traceable.trace(concrete.call, False)

    def declare(self, *args: Nest) -> None:
        """Use one signature, with None for some dimensions, for all calls that match it.

        With `reduce_retracing`, in contrast, calls must have differed in a dimension first.

        Args:
            *args: A `tf.TensorSpec` for each tensor, and values for the other arguments.

        Example:
            >>> import tfpy as tf
            >>> double = tf.function(lambda x: x * 2)
            >>> double.declare(tf.TensorSpec([None]))
            >>> results = double(tf.ones([2])), double(tf.ones([3]))
            >>> double.experimental_get_tracing_count()
            1
        """
        self._traces.declare(self._traceable.call(args, {}))

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """Traces of the function. The least recently used one is first."""
        return self._traces.concrete

    @property
    def described_functions(self) -> list[ConcreteFunction]:
        """One concrete function for each signature, also for the `input_signature`."""
        if self.input_signature is not None:
            self.get_concrete_function()
        return self._traces.described

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Return the traces by name, as Keras reads them from functions that it exports."""
        return {f"trace_{i}": one for i, one in enumerate(self.described_functions)}

    def get_concrete_function(self, *args: Nest, **kwargs: Nest) -> Any:
        """Return the trace for a signature, after tracing the function if necessary.

        Args:
            args, kwargs: Tensors or specs such as `tf.TensorSpec`, and values of the other
                arguments. Default: the `input_signature`.

        Returns:
            A `ConcreteFunction`. If a dimension of a spec is None, a program is compiled for each
            actual one. If there is no single trace, because a spec is one of ragged or sparse
            tensors or a shape depends on values, a `RestrictedFunction`.

        Raises:
            TypeError: If the arguments do not match the parameters or the `input_signature`.

        Example:
            >>> import tfpy as tf
            >>> double = tf.function(lambda x: x * 2)
            >>> concrete = double.get_concrete_function(tf.TensorSpec([None]))
            >>> print(concrete(tf.constant([1.0, 2.0])).numpy())
            [2. 4.]
        """
        if self.input_signature is not None and not args and not kwargs:
            args = self.input_signature
        call = self._traceable.call(args, kwargs)
        if call.has_composite_specs:
            return RestrictedFunction(self, self._traceable.signature, call)
        try:
            found = self._traces.serving(call) if call.is_static else self._traces.opened(call)
        except NotTraceableError as error:
            return RestrictedFunction(self, self._traceable.signature, call, error)
        if isinstance(found, Untraced):
            return RestrictedFunction(self, self._traceable.signature, call, found.error)
        return found

    def lower(self, *args: Nest, **kwargs: Nest) -> Lowered:
        """Return the program that the active backend runs for a signature.

        Args:
            args, kwargs: Tensors or `tf.TensorSpec`s, and values of the other arguments.
                Default: the `input_signature`, or the signature of the last call.

        Returns:
            A `Lowered`. Print its `as_text()`, or display it as a diagram in a notebook.

        Raises:
            tf.errors.NotTraceableError: If a shape depends on the values of tensors.
            ValueError: If a dimension is None in the signature and there was no call yet.

        Example:
            >>> import tfpy as tf
            >>> double = tf.function(lambda x: x * 2)
            >>> print(double.lower(tf.TensorSpec([2])).as_text().splitlines()[0])
            # 1 equation: 1 multiply
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
        """Name of the Python function."""
        return self._traceable.name

    def experimental_get_tracing_count(self) -> int:
        """Return the number of signatures for which the function has been traced.

        Returns:
            An integer. A signature counts once, even if None in it matches several shapes.

        Example:
            >>> import tfpy as tf
            >>> double = tf.function(lambda x: x * 2)
            >>> results = double(tf.ones([2])), double(tf.ones([3])), double(tf.zeros([3]))
            >>> double.experimental_get_tracing_count()
            2
        """
        return self._traces.misses

    def pretty_printed_concrete_signatures(self) -> str:
        """Describe the inputs, the output and the captured tensors of each trace.

        Returns:
            A string of several lines for each trace.

        Example:
            >>> import tfpy as tf
            >>> double = tf.function(lambda x: x * 2)
            >>> result = double(tf.ones([2]))
            >>> print(double.pretty_printed_concrete_signatures().splitlines()[1])
              x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(2,), dtype=tf.float32, name=None)
        """
        return "\n\n".join(c.pretty_printed_signature() for c in self._traces.described)

    def cache_info(self) -> CacheInfo:
        """Return how many calls reused a trace, like `cache_info` of `functools.lru_cache`.

        Returns:
            A named tuple `(hits, misses, maxsize, currsize)`; `hits` is the number of such calls.

        Example:
            >>> import tfpy as tf
            >>> double = tf.function(lambda x: x * 2)
            >>> results = double(tf.ones([2])), double(tf.zeros([2]))
            >>> double.cache_info()
            CacheInfo(hits=1, misses=1, maxsize=256, currsize=1)
        """
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
            method = bound_method(self.python_function, self._traceable.converted, instance)
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


fast_path.bind_calls(
    {
        **{"direct": DirectCall, "call_observers": observers, "recorders": recorders},
        **{"watching": op_by_op.watching, "settings": Settings, "prepare": prepare},
        "call_failed": DirectCall.failed,
    }
)
