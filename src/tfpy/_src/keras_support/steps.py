"""Compiled steps of Keras's loops: what runs a step on the next batches of an iterator."""

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
    """A compiled step, for batches of one declared spec.

    Args:
        model: The model, which has a strategy.
        step_function: The step of training or evaluation.
        spec: Specs of a batch as the dataset declares them. Sizes that it leaves open are None in
            the step for each batch, also for the first one. None: only batches tell their sizes.
    """

    def __init__(self, model: Any, step_function: Callable[[Any], Any], spec: Any) -> None:
        strategy = model.distribute_strategy
        reduced = keras_loops().reduce_per_replica

        @do_not_convert
        def one_step_on_data(data: Any) -> Any:
            """Runs a single training step on a batch of data."""
            return reduced(strategy.run(step_function, args=(data,)), strategy, reduction="auto")

        compiled = function(one_step_on_data, reduce_retracing=True, jit_compile=model.jit_compile)
        if spec is not None:
            for count in sorted({1, strategy.num_replicas_in_sync}):
                compiled.declare(_of_count(spec, count))

        @do_not_convert
        def one_step_on_rows(tables: Any, rows: Any, number: Any) -> Any:
            """Runs a step on a batch that it gathers."""
            data = gather(tables, rows, number)
            if tracing.local.active:
                with tracing.init_scope():  # where the step makes its Variables
                    compiled.get_concrete_function(nest.map_structure(TensorSpec.from_tensor, data))
            return compiled(data)

        @do_not_convert
        def unseen_step_on_rows(tables: Any, rows: Any, number: Any) -> None:
            """Runs a step whose results nobody wants."""
            one_step_on_rows(tables, rows, number)

        self.compiled = compiled
        self.on_rows = function(one_step_on_rows)
        self.unseen = function(unseen_step_on_rows)
        self.other = model._autoconvert_optionals(compiled)


class StepRunner:
    """Runs a compiled step on the batches of an iterator, with little of Python about it.

    A call is an execution: one step, or ``steps_per_execution`` of them, which run in one crossing
    to the device. While nobody looks at single executions, those whose batches are there run
    together, too; the calls after it give what the last of them gave.
    """

    def __init__(self, model: Any, step_function: Callable[[Any], Any]) -> None:
        self._model = model
        self._step_function = step_function
        self._by_spec: OrderedDict[Any, CompiledStep] = OrderedDict()
        self._spec: Any = None
        self._step = self._declared(None)
        self._seconds = math.inf  # that a step takes of Python's thread
        self.is_unseen = False
        """Whether nobody looks at what single executions give."""

    def _of(self, iterator: Any) -> CompiledStep:
        """Return the step for an iterator's batches."""
        spec = getattr(iterator, "element_spec", None)
        if spec is not self._spec:
            self._spec, self._step = spec, self._declared(spec)
        return self._step

    def _declared(self, spec: Any) -> CompiledStep:
        """Return the step for batches of a spec. One step serves all specs without open sizes."""
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
        """The same on batches that are there; what takes long lets the page live meanwhile."""
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
"""Number of specs whose steps are kept; the least recently used ones go."""


def _tensor_specs(spec: Any) -> list[TensorSpec] | None:
    """Return the specs of the tensors of a batch; None if there is anything else in it."""
    leaves = [s.wrapped if isinstance(s, WrapperSpec) else s for s in nest.flatten(spec)]
    return leaves if all(isinstance(s, TensorSpec) for s in leaves) else None


def _has_open_sizes(spec: Any) -> bool:
    """Return True if a batch is of tensors with a known number of axes, some of open size."""
    leaves = _tensor_specs(spec) or ()
    return all(s.shape.rank is not None for s in leaves) and not all(s.is_static for s in leaves)


def _of_count(spec: Any, count: int) -> Any:
    """Return the specs of a batch in which values of replicas are of ``count`` replicas."""

    def known(leaf: Any) -> Any:
        if not isinstance(leaf, WrapperSpec):
            return leaf
        rows = leaf.wrapped.shape[1:]
        return leaf.kind(TensorSpec([count, *rows], leaf.wrapped.dtype))

    return nest.map_structure(known, spec)


_CLOCK = 1e-4
"""Seconds that browsers' clocks may not tell apart."""


def _is_plain(data: Any) -> bool:
    """Whether a batch is tensors alone, in a tuple."""
    kinds = set(map(type, data)) if type(data) is tuple else {object}
    return kinds <= {Tensor, PerReplica}
