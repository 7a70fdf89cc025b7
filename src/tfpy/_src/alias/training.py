"""``fit_async``, ``evaluate_async`` and ``predict_async`` of Keras's models, for pages.

They are Keras's loops over batches, which give the page its turn and await what they read. So a
page stays alive while a model learns on its own thread, and no synchronous read is needed.
"""

from __future__ import annotations

import asyncio
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.core import nest
from tfpy._src.core.conversion import is_tensor
from tfpy._src.core.operand import Composite

_SLICE = 0.02
"""Seconds of work after which the page gets its turn."""


class _Turns:
    """Gives the page its turn, every so often."""

    def __init__(self) -> None:
        self._began = time.perf_counter()

    async def give(self) -> None:
        """Lets other tasks run if the last time is long ago."""
        if time.perf_counter() - self._began >= _SLICE:
            await asyncio.sleep(0)
            self._began = time.perf_counter()


async def _read(structure: Any) -> Any:
    """A nest with the values of its tensors."""
    leaves = nest.flatten(structure)
    values = [await x.data() if is_tensor(x) and not isinstance(x, Composite) else x for x in leaves]
    return nest.pack_sequence_as(structure, values)


async def _numbers(logs: Any) -> Any:
    """Metrics as Python's numbers."""
    return nest.map_structure(
        lambda v: float(v) if isinstance(v, np.ndarray | np.generic) and v.ndim == 0 else v,
        await _read(dict(logs or {})),
    )


def replace(trainer: types.ModuleType) -> None:
    """Gives Keras's models the methods that are awaited."""
    lists = trainer.callbacks_module.CallbackList
    tree = trainer.tree

    def batches_of(model: Any, **of: Any) -> Any:
        of["distribute_strategy"] = model.distribute_strategy
        of["steps_per_execution"] = model.steps_per_execution
        batches = trainer.TFEpochIterator(**of)
        model._maybe_symbolic_build(iterator=batches)
        batches.reset()
        return batches

    def callbacks_of(model: Any, callbacks: Any, **of: Any) -> Any:
        if isinstance(callbacks, lists):
            return callbacks
        return lists(callbacks, add_progbar=of["verbose"] != 0, model=model, **of)

    async def over(
        batches: Any, callbacks: Any, phase: str, run: Callable[..., Any], stopped: Callable[[], bool]
    ) -> Any:
        """Runs a function of each batch; its last metrics."""
        turns, logs = _Turns(), {}
        begin = getattr(callbacks, f"on_{phase}_batch_begin")
        end = getattr(callbacks, f"on_{phase}_batch_end")
        with batches.catch_stop_iteration():
            for first, last, iterator in batches:
                begin(first)
                logs = run(iterator)
                end(last, await _numbers(logs) if callbacks.looks(phase) else logs)
                await turns.give()
                if stopped():
                    break
        return logs

    async def fit_async(
        self: Any,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
    ) -> Any:
        """``fit``, awaited: ``history = await model.fit_async(x, y)``.

        The arguments, the callbacks and what is learnt are those of ``fit``. Cancelling the task
        or ``model.stop_training = True`` ends it after the batch under way.
        """
        self._assert_compile_called("fit_async")
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = trainer.array_slicing.train_validation_split(
                (x, y, sample_weight), validation_split=validation_split
            )
        batches = batches_of(
            self,
            x=x,
            y=y,
            sample_weight=sample_weight,
            batch_size=batch_size,
            steps_per_epoch=steps_per_epoch,
            shuffle=shuffle,
            class_weight=class_weight,
        )
        held = None
        if validation_data is not None:
            unpack = trainer.data_adapter_utils.unpack_x_y_sample_weight
            of = dict(zip(("x", "y", "sample_weight"), unpack(validation_data), strict=True))
            size = validation_batch_size or batch_size
            held = {**of, "batch_size": size, "steps_per_epoch": validation_steps, "shuffle": False}
        callbacks = callbacks_of(
            self,
            callbacks,
            add_history=True,
            verbose=verbose,
            epochs=epochs,
            steps=batches.num_batches,
        )
        self.stop_training = False
        self.make_train_function()
        callbacks.on_train_begin()
        logs: Any = {}
        for epoch in range(self._initial_epoch or initial_epoch, epochs):
            self.reset_metrics()
            callbacks.on_epoch_begin(epoch)
            last = await over(
                batches, callbacks, "train", self.train_function, lambda: self.stop_training
            )
            logs = await _numbers(self._get_metrics_result_or_logs(last))
            if held is not None and self._should_eval(epoch, validation_freq):
                held_logs = await tested(self, batches_of(self, **held), callbacks)
                logs.update({f"val_{name}": value for name, value in held_logs.items()})
            callbacks.on_epoch_end(epoch, logs)
            if self.stop_training:
                break
        if isinstance(self.optimizer, trainer.optimizers_module.Optimizer) and epochs > 0:
            self.optimizer.finalize_variable_values(self.trainable_weights)
        callbacks.on_train_end(logs=logs)
        return self.history

    async def tested(model: Any, batches: Any, callbacks: Any) -> Any:
        """The metrics over some batches."""
        model.make_test_function()
        model.stop_evaluating = False
        callbacks.on_test_begin()
        model.reset_metrics()
        last = await over(
            batches, callbacks, "test", model.test_function, lambda: model.stop_evaluating
        )
        logs = await _numbers(model._get_metrics_result_or_logs(last))
        callbacks.on_test_end(logs)
        return logs

    async def evaluate_async(
        self: Any,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        return_dict: bool = False,
    ) -> Any:
        """``evaluate``, awaited, with its arguments and results."""
        self._assert_compile_called("evaluate_async")
        batches = batches_of(
            self,
            x=x,
            y=y,
            sample_weight=sample_weight,
            batch_size=batch_size,
            steps_per_epoch=steps,
            shuffle=False,
        )
        listed = callbacks_of(
            self, callbacks, verbose=verbose, epochs=1, steps=batches.num_batches
        )
        logs = await tested(self, batches, listed)
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    async def predict_async(
        self: Any,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
    ) -> Any:
        """``predict``, awaited, with its arguments and results."""
        batches = batches_of(
            self, x=x, batch_size=batch_size, steps_per_epoch=steps, shuffle=False
        )
        callbacks = callbacks_of(
            self, callbacks, verbose=verbose, epochs=1, steps=batches.num_batches
        )
        self.make_predict_function()
        self.stop_predicting = False
        callbacks.on_predict_begin()
        turns, found = _Turns(), []
        with batches.catch_stop_iteration():
            for first, last, iterator in batches:
                callbacks.on_predict_batch_begin(first)
                result = self.predict_function(_next(iterator, self.steps_per_execution))
                found.append(await _read(result))
                callbacks.on_predict_batch_end(last, {"outputs": result})
                await turns.give()
                if self.stop_predicting:
                    break
        callbacks.on_predict_end()
        return tree.map_structure(lambda *parts: trainer.potentially_ragged_concat(parts), *found)

    for method in (fit_async, evaluate_async, predict_async):
        setattr(trainer.TensorFlowTrainer, method.__name__, method)


def _next(iterator: Any, count: int) -> list[Any]:
    """The next elements, as many as there are.

    Raises:
        StopIteration: when there is none.
    """
    found = [next(iterator)]
    while len(found) < count:
        try:
            found.append(next(iterator))
        except StopIteration:
            break
    return found
