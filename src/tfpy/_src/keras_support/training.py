"""`fit_async`, `evaluate_async`, `predict_async` and `save_async` of Keras models, for pages.

The first three are Keras's loops over batches, with turns of the event loop between steps and
awaited reads. The page stays responsive while a model trains on the main thread.
"""

from __future__ import annotations

import asyncio
import tempfile
import types
from collections.abc import Callable
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.event_loop import give_turn
from tfpy._src.backends.javascript import storage
from tfpy._src.data.ahead import DeviceBatches
from tfpy._src.distribute.input import DistributedDataset
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.keras_support.advice import advised, advised_async
from tfpy._src.keras_support.logs import numbers_of, values_of
from tfpy._src.keras_support.steps import StepRunner, keras_loops


def replace(trainer: types.ModuleType) -> None:
    """Add the awaitable methods to Keras models, and notes to the errors of the others."""
    for method in (fit_async, evaluate_async, predict_async, save_async):
        setattr(trainer.TensorFlowTrainer, method.__name__, method)
    for name in ("fit", "evaluate", "predict"):
        method = getattr(trainer.TensorFlowTrainer, name)
        setattr(trainer.TensorFlowTrainer, name, advised(method))
    # Keras compares a model's `compile` with this one to find models that override it.
    base = trainer.base_trainer.Trainer
    base.compile = advised(base.compile)
    trainer.TFEpochIterator._get_iterator = _on_device
    plain = trainer.TensorFlowTrainer._make_function

    def made(self: Any, step_function: Callable[[Any], Any]) -> Any:
        """Return the function that runs a step on the next batches of an iterator."""
        return plain(self, step_function) if self.run_eagerly else StepRunner(self, step_function)

    trainer.TensorFlowTrainer._make_function = made


def _on_device(self: Any) -> DeviceBatches | DistributedDataset:
    """Return the batches of an epoch, as an iterator of Keras's epoch iterator."""
    if isinstance(self._distributed_dataset, DistributedDataset):
        return self._distributed_dataset
    if not hasattr(self, "_elements"):
        is_whole = self.steps_per_epoch is None
        self._elements = DeviceBatches(self._distributed_dataset._node, is_whole)
    return self._elements


@awaitable("model.fit_async(...)")
@advised_async
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
    """Train the model as `fit` does, without blocking the page.

    Callbacks and results are the same as for `fit`. To stop after the current batch, cancel the
    task or set `model.stop_training = True`.

    Args:
        x: Input data, as for `fit`, or a dataset that yields batches.
        y: Target data. Default: the dataset `x` contains them.
        batch_size: Number of samples in a batch. Default: 32, or the batches of the dataset.
        epochs: Number of the last epoch.
        verbose: 0 for no output, 1 for a progress bar, 2 for one line for each epoch, or `"auto"`,
            which is usually 1.
        callbacks: List of callbacks.
        validation_split: Share of the training data to use for validation, between 0 and 1.
        validation_data: Data for validation: a dataset, or a tuple of inputs, targets and, if
            necessary, weights. Default: no validation.
        shuffle: If True, shuffle the training data before each epoch.
        class_weight: Dict from the numbers of classes to weights in the loss.
        sample_weight: Weights of the samples in the loss.
        initial_epoch: Number of the first epoch.
        steps_per_epoch: Number of batches in an epoch. Default: all batches.
        validation_steps: Number of batches for validation. Default: all batches.
        validation_batch_size: Number of samples in a batch for validation. Default: `batch_size`.
        validation_freq: Number of epochs between validations, or a list of the epochs after which
            to validate.

    Returns:
        An awaitable that resolves to a `keras.callbacks.History`.

    Example::

        history = await model.fit_async(x, y, epochs=3)
    """
    self._assert_compile_called("fit_async")
    keras = keras_loops()
    if validation_split and validation_data is None:
        (x, y, sample_weight), validation_data = keras.array_slicing.train_validation_split(
            (x, y, sample_weight), validation_split=validation_split
        )
    batches = _batches(
        self,
        x=x,
        y=y,
        sample_weight=sample_weight,
        batch_size=batch_size,
        steps_per_epoch=steps_per_epoch,
        shuffle=shuffle,
        class_weight=class_weight,
    )
    held_out = None
    if validation_data is not None:
        unpacked = keras.data_adapter_utils.unpack_x_y_sample_weight(validation_data)
        held_out = dict(zip(("x", "y", "sample_weight"), unpacked, strict=True))
        held_out["batch_size"] = validation_batch_size or batch_size
        held_out["steps_per_epoch"] = validation_steps
    callbacks = _callbacks(self, callbacks, batches, verbose, epochs, add_history=True)
    self.stop_training = False
    self.make_train_function()
    callbacks.on_train_begin()
    logs: Any = None
    for epoch in range(self._initial_epoch or initial_epoch, epochs):
        self.reset_metrics()
        callbacks.on_epoch_begin(epoch)
        last = await _over(
            batches, callbacks, "train", self.train_function, lambda: self.stop_training
        )
        logs = await numbers_of(self._get_metrics_result_or_logs(last))
        if held_out is not None and self._should_eval(epoch, validation_freq):
            found = await _tested(self, _batches(self, shuffle=False, **held_out), callbacks)
            logs.update({f"val_{name}": value for name, value in found.items()})
        callbacks.on_epoch_end(epoch, logs)
        if self.stop_training:
            break
    if isinstance(self.optimizer, keras.optimizers_module.Optimizer) and epochs > 0:
        self.optimizer.finalize_variable_values(self.trainable_weights)
    callbacks.on_train_end(logs=logs)
    return self.history


@awaitable("model.evaluate_async(...)")
@advised_async
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
    """Evaluate the model as `evaluate` does, without blocking the page.

    Args:
        x: Input data, as for `evaluate`, or a dataset that yields batches.
        y: Target data. Default: the dataset `x` contains them.
        batch_size: Number of samples in a batch. Default: 32, or the batches of the dataset.
        verbose: 0 for no output, 1 for a progress bar, 2 for one line, or `"auto"`, which is
            usually 1.
        sample_weight: Weights of the samples in the loss.
        steps: Number of batches. Default: all batches.
        callbacks: List of callbacks.
        return_dict: If True, return a dict of the loss and the metrics by name.

    Returns:
        An awaitable that resolves to the loss, or to a list of the loss and the metrics.

    Example::

        loss = await model.evaluate_async(x, y)
    """
    self._assert_compile_called("evaluate_async")
    batches = _batches(
        self,
        x=x,
        y=y,
        sample_weight=sample_weight,
        batch_size=batch_size,
        steps_per_epoch=steps,
        shuffle=False,
    )
    logs = await _tested(self, batches, _callbacks(self, callbacks, batches, verbose))
    return logs if return_dict else self._flatten_metrics_in_order(logs)


@awaitable("model.predict_async(...)")
@advised_async
async def predict_async(
    self: Any,
    x: Any,
    batch_size: int | None = None,
    verbose: Any = "auto",
    steps: int | None = None,
    callbacks: Any = None,
) -> Any:
    """Compute the outputs of the model as `predict` does, without blocking the page.

    Args:
        x: Input data, as for `predict`, or a dataset that yields batches.
        batch_size: Number of samples in a batch. Default: 32, or the batches of the dataset.
        verbose: 0 for no output, 1 for a progress bar, 2 for one line, or `"auto"`, which is
            usually 1.
        steps: Number of batches. Default: all batches.
        callbacks: List of callbacks.

    Returns:
        An awaitable that resolves to NumPy arrays with the outputs of the model.

    Example::

        y = await model.predict_async(x)
    """
    batches = _batches(self, x=x, batch_size=batch_size, steps_per_epoch=steps, shuffle=False)
    callbacks = _callbacks(self, callbacks, batches, verbose)
    self.make_predict_function()
    self.stop_predicting = False
    callbacks.on_predict_begin()
    results: list[Any] = []
    with batches.catch_stop_iteration():
        for first, last, iterator in batches:
            if not await iterator.fetch(self.steps_per_execution):
                raise StopIteration
            callbacks.on_predict_batch_begin(first)
            data = list(islice(iterator, self.steps_per_execution))
            predict = self.predict_function
            awaited = isinstance(predict, Function)
            result = await predict.call_async(data) if awaited else predict(data)
            results.append(await values_of(result))
            callbacks.on_predict_batch_end(last, {"outputs": result})
            await give_turn()
            if self.stop_predicting:
                break
    callbacks.on_predict_end()
    return keras_loops().tree.map_structure(lambda *parts: np.concatenate(parts), *results)


@awaitable("model.save_async(filepath)")
async def save_async(self: Any, filepath: Any, overwrite: bool = True, **options: Any) -> None:
    """Save the model as `save` does, without blocking the page.

    The weights and the state of the optimizer are awaited before they are written, so this method
    also works on the webgpu backend of browsers in which Python cannot wait.

    In a page, the model can be saved outside of Python's file system. The URL `indexeddb://name`
    saves it in the browser's storage, where it remains after the page is closed.
    `downloads://name` offers it to the user as a download.

    Args:
        filepath: Path of the file to write, with the extension `.keras` or `.h5`, or a URL. A URL
            without extension has the format of `.keras`.
        overwrite: If False, ask before an existing file is overwritten. A stored model is always
            overwritten.
        options: Further arguments of `save`.

    Raises:
        ValueError: If the path has a different extension.
        tf.errors.ResourceExhaustedError: If the model exceeds the storage of the browser.
        tf.errors.PermissionDeniedError: If the browser does not permit the page to store files.
        tf.errors.UnimplementedError: If a URL is passed outside of a browser.

    Example::

        await model.save_async("/tmp/model.keras")
        await model.save_async("indexeddb://model")  # load it: tf.models.load_async

    See also: `tf.keras.Model.save`, `tf.models.load_async`, `tf.io.list_models_async`.
    """
    optimizer = getattr(self, "optimizer", None)
    owned = [*self.variables, *(optimizer.variables if optimizer is not None else ())]
    read = [variable.value.tensor.storage for variable in owned]
    absent = [held for held in read if held.host is None]
    arrays = await asyncio.gather(*(held.to_host_async() for held in absent))
    for held, array in zip(absent, arrays, strict=True):
        held.host = array
    try:
        if not storage.is_place(filepath):
            self.save(filepath, overwrite=overwrite, **options)
            return
        name, data = _written(self, filepath, options)
    finally:
        for held in absent:
            held.host = None
    await storage.write(filepath, name, data)


def _written(model: Any, url: str, options: dict[str, Any]) -> tuple[str, bytes]:
    """Return the filename and the bytes of a model that is saved at a URL."""
    path = PurePosixPath(url.partition("://")[2])
    if not path.name:
        raise ValueError(
            f"save_async: the URL {url!r} has no name. Write a URL such as 'indexeddb://flowers'."
        )
    if not path.suffix:
        path = path.with_suffix(".keras")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, path.name)
        model.save(file, **options)
        return path.name, file.read_bytes()


def _batches(model: Any, **of: Any) -> Any:
    """Return Keras's iterator over batches that are fetched before they are used."""
    of["distribute_strategy"] = model.distribute_strategy
    of["steps_per_execution"] = model.steps_per_execution
    batches = keras_loops().TFEpochIterator(**of)
    elements = batches._get_iterator()
    batches._get_iterator = elements.fetching
    model._maybe_symbolic_build(iterator=batches)
    batches.reset()
    return batches


def _callbacks(
    model: Any, callbacks: Any, batches: Any, verbose: Any, epochs: int = 1, **more: Any
) -> Any:
    """Return Keras's list of the callbacks."""
    kind = keras_loops().callbacks_module.CallbackList
    if isinstance(callbacks, kind):
        return callbacks
    more |= {"verbose": verbose, "epochs": epochs, "steps": batches.num_batches, "model": model}
    return kind(callbacks, add_progbar=verbose != 0, **more)


async def _over(
    batches: Any,
    callbacks: Any,
    phase: str,
    run: Callable[[Any], Any],
    is_stopped: Callable[[], bool],
) -> Any:
    """Run a function on each batch and return its last result."""
    logs: Any = {}
    begin = getattr(callbacks, f"on_{phase}_batch_begin")
    end = getattr(callbacks, f"on_{phase}_batch_end")
    with batches.catch_stop_iteration():
        for first, last, iterator in batches:
            if not await iterator.fetch(batches.steps_per_execution):
                raise StopIteration  # Keras interprets this as the end of the data
            begin(first)
            logs = await run.call_async(iterator) if isinstance(run, StepRunner) else run(iterator)
            end(last, await numbers_of(logs) if callbacks.looks(phase) else logs)
            await give_turn()
            if is_stopped():
                break
    return logs


async def _tested(model: Any, batches: Any, callbacks: Any) -> Any:
    """Return the metrics over some batches."""
    model.make_test_function()
    model.stop_evaluating = False
    callbacks.on_test_begin()
    model.reset_metrics()
    last = await _over(
        batches, callbacks, "test", model.test_function, lambda: model.stop_evaluating
    )
    logs = await numbers_of(model._get_metrics_result_or_logs(last))
    callbacks.on_test_end(logs)
    return logs
