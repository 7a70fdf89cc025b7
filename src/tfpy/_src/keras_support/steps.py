"""Compiled steps of Keras's loops, which run on the next batches of an iterator."""

from __future__ import annotations

import math
import sys
from collections import OrderedDict
from collections.abc import Callable
from itertools import islice
from time import perf_counter
from typing import Any

from tfpy._src.backends.event_loop import SHORT, is_short
from tfpy._src.base import tracing
from tfpy._src.core import nest
from tfpy._src.core.tensor import Tensor
from tfpy._src.data.ahead import AheadIterator, gather
from tfpy._src.distribute.values import PerReplica
from tfpy._src.functions.autograph.marks import do_not_convert
from tfpy._src.functions.tf_function.api import function
from tfpy._src.functions.tf_function.signature import TensorSpec, WrapperSpec


def keras_loops() -> Any:
    """Return Keras's module of loops over batches."""
    return sys.modules["keras.src.backend.tensorflow.trainer"]


class CompiledStep:
    """A compiled step for batches with one declared spec.

    Args:
        model: Model with a strategy.
        step_function: Training or evaluation step.
        spec: Specs of a batch that the dataset declares. Sizes that are open in the spec are None
            in
            the step for every batch. If the spec is None, the sizes of the batches are used.
    """

    def __init__(self, model: Any, step_function: Callable[[Any], Any], spec: Any) -> None:
        strategy = model.distribute_strategy
        reduced = keras_loops().reduce_per_replica

        @do_not_convert
        def one_step_on_data(data: Any) -> Any:
            """Run a single step on a batch of data."""
            return reduced(strategy.run(step_function, args=(data,)), strategy, reduction="auto")

        compiled = function(one_step_on_data, reduce_retracing=True, jit_compile=model.jit_compile)
        if spec is not None:
            for count in sorted({1, strategy.num_replicas_in_sync}):
                compiled.declare(_of_count(spec, count))

        @do_not_convert
        def one_step_on_rows(tables: Any, rows: Any, number: Any) -> Any:
            """Run a step on a batch that is gathered within the function."""
            data = gather(tables, rows, number)
            if tracing.local.active:
                with tracing.init_scope():  # the step makes its Variables here
                    compiled.get_concrete_function(nest.map_structure(TensorSpec.from_tensor, data))
            return compiled(data)

        @do_not_convert
        def unseen_step_on_rows(tables: Any, rows: Any, number: Any) -> None:
            """Run a step without returning its results."""
            one_step_on_rows(tables, rows, number)

        self.compiled = compiled
        self.on_rows = function(one_step_on_rows)
        self.unseen = function(unseen_step_on_rows)
        self.other = model._autoconvert_optionals(compiled)


class StepRunner:
    """A function that runs a compiled step on the batches of an iterator, with little overhead.

    A call is one execution: one step, or `steps_per_execution` steps, which are sent to the device
    together. If no callback needs the results of single executions, several executions also run
    together if their batches are available. The calls that follow return the last result.
    """

    def __init__(self, model: Any, step_function: Callable[[Any], Any]) -> None:
        self._model = model
        self._step_function = step_function
        self._by_spec: OrderedDict[Any, CompiledStep] = OrderedDict()
        self._spec: Any = None
        self._step = self._declared(None)
        self._seconds = math.inf  # time of a step on the main thread
        self.is_unseen = False
        """True if no callback needs the results of single executions."""

    def _of(self, iterator: Any) -> CompiledStep:
        """Return the step for the batches of an iterator."""
        spec = getattr(iterator, "element_spec", None)
        if spec is not self._spec:
            self._spec, self._step = spec, self._declared(spec)
        return self._step

    def _declared(self, spec: Any) -> CompiledStep:
        """Return the step for batches with a spec. All specs without open sizes share one step."""
        is_open = spec is not None and _has_open_sizes(spec)
        key = repr(spec) if is_open else None
        found = self._by_spec.get(key)
        if found is None:
            found = CompiledStep(self._model, self._step_function, spec if is_open else None)
            self._by_spec[key] = found
        self._by_spec.move_to_end(key)
        if len(self._by_spec) > _MAX_SPECS:
            self._by_spec.popitem(last=False)
        return found

    def __call__(self, iterator: Any) -> Any:
        step = self._of(iterator)
        if type(iterator) is AheadIterator:
            return self._ahead(step, iterator)
        batches = list(islice(iterator, self._model.steps_per_execution))
        if not batches:
            raise StopIteration
        if all(map(_is_plain, batches)):
            return step.compiled.repeat([(data,) for data in batches])
        return [step.other(data) for data in batches][-1]

    async def call_async(self, iterator: Any) -> Any:
        """Run an execution on available batches, and keep the page responsive if it takes long."""
        steps = self._model.steps_per_execution
        is_ahead = type(iterator) is AheadIterator
        if is_short(self._seconds * steps) or (is_ahead and iterator.done):
            return self(iterator)
        step = self._of(iterator)
        batches: Any = iterator.take(steps) if is_ahead else list(islice(iterator, steps))
        is_plain = _is_plain(batches[0].tables) if is_ahead else all(map(_is_plain, batches))
        for batch in batches:
            begun = perf_counter()
            if not is_plain:
                result = step.other(iterator.gathered(batch) if is_ahead else batch)
            elif is_ahead:
                result = await step.on_rows.call_async(*batch)
            else:
                result = await step.compiled.call_async(batch)
            self._seconds = perf_counter() - begun
        return result

    def _ahead(self, step: CompiledStep, iterator: AheadIterator) -> Any:
        if iterator.done:
            iterator.done -= 1
            return iterator.result
        steps = self._model.steps_per_execution
        picks = iterator.take(steps)
        if not picks:
            raise StopIteration
        if not _is_plain(picks[0].tables):
            return [step.other(iterator.gathered(pick)) for pick in picks][-1]
        if self.is_unseen and iterator.is_whole:
            most = int(SHORT / max(self._seconds, _CLOCK))
            picks += iterator.take((most // steps - 1) * steps)
        begun = perf_counter()
        if len(picks) > 1:
            step.unseen.repeat(picks[:-1])
        result = step.on_rows(*picks[-1])
        self._seconds = (perf_counter() - begun) / len(picks)
        iterator.done, iterator.result = -(-len(picks) // steps) - 1, result
        return result


_MAX_SPECS = 64
"""Maximum number of specs with cached steps. The least recently used ones are dropped."""


def _tensor_specs(spec: Any) -> list[TensorSpec] | None:
    """Return the specs of a batch's tensors, or None if the batch contains other values."""
    leaves = [s.wrapped if isinstance(s, WrapperSpec) else s for s in nest.flatten(spec)]
    return leaves if all(isinstance(s, TensorSpec) for s in leaves) else None


def _has_open_sizes(spec: Any) -> bool:
    """Return True if a batch has only tensors of known rank, and some of their sizes are open."""
    leaves = _tensor_specs(spec) or ()
    return all(s.shape.rank is not None for s in leaves) and not all(s.is_static for s in leaves)


def _of_count(spec: Any, count: int) -> Any:
    """Return the specs of a batch in which values per replica have `count` replicas."""

    def known(leaf: Any) -> Any:
        if not isinstance(leaf, WrapperSpec):
            return leaf
        rows = leaf.wrapped.shape[1:]
        return leaf.kind(TensorSpec([count, *rows], leaf.wrapped.dtype))

    return nest.map_structure(known, spec)


_CLOCK = 1e-4
"""Assumed resolution of browser clocks, in seconds."""


def _is_plain(data: Any) -> bool:
    """Return True if a batch is a tuple of tensors only."""
    kinds = set(map(type, data)) if type(data) is tuple else {object}
    return kinds <= {Tensor, PerReplica}
