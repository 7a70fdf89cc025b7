"""Compute the outputs of families with the library that is imported as TensorFlow."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import keras_hub
import numpy as np

from .cases import SEED, Case, cases

Outputs = dict[str, np.ndarray]
RANK = 2
"""Rank of the matrices that LoRA adds."""
SAMPLERS: dict[str, Callable[[], Any]] = {
    "greedy": keras_hub.samplers.GreedySampler,
    "top-k": lambda: keras_hub.samplers.TopKSampler(k=5, seed=SEED),
    "top-p": lambda: keras_hub.samplers.TopPSampler(p=0.7, seed=SEED),
    "random": lambda: keras_hub.samplers.RandomSampler(seed=SEED),
    "beam": lambda: keras_hub.samplers.BeamSampler(num_beams=2),
    "contrastive": lambda: keras_hub.samplers.ContrastiveSampler(k=3, alpha=0.3),
}
TOKENS_AND_MASKS = ("token_ids", "padding_mask")
"""Ends of the names of the outputs to compare. Models return their input images as well."""
ALL_SAMPLERS = ("bart", "gemma", "gpt2", "llama3")
"""Families with all samplers. The others use the first three, because compilation takes long."""


def measure(folder: str, file: str, only: str, *families: str) -> None:
    """Write the outputs of families to a file.

    They are written after each family, so that an interrupted run keeps them.

    Args:
        folder: Folder with KerasHub and its tests.
        file: The file, in NumPy's format npz.
        only: Names of measurements, with commas between them, or "" for all.
        *families: Names of families.
    """
    outputs: Outputs = {}
    for family in families:
        for name, compute in _measurements(Path(folder), family):
            if only and name not in only.split(","):
                continue
            try:
                made = compute()
            except Exception as error:
                outputs[f"{family}/{name}/error"] = np.array(f"{type(error).__name__}: {error}")
                continue
            for place, leaf in enumerate(keras.tree.flatten(made)):
                outputs[f"{family}/{name}/{place}"] = keras.ops.convert_to_numpy(leaf)
        np.savez(file, **outputs)  # type: ignore[arg-type]
        print(family, flush=True)


def _measurements(folder: Path, family: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield names of measurements and the functions that compute their outputs."""
    try:
        found = cases(folder, family)
    except Exception as error:
        yield "forward", functools.partial(_raise, error)
        return
    for case in found:
        if case.generates:
            yield from _generating(case)
        else:
            yield "forward", lambda case=case: _forward(_made(case), case)
            yield "LoRA", lambda case=case: _with_lora(case)
            for mode in ("int8", "int4"):
                yield mode, lambda case=case, mode=mode: _quantized(case, mode)


def _raise(error: Exception) -> None:
    raise error


def _generating(case: Case) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the samplers of a language model."""
    model = functools.cache(lambda: _made(case))
    names = SAMPLERS if case.family in ALL_SAMPLERS else list(SAMPLERS)[:3]
    for name in names:
        yield name, lambda name=name: _generated(model(), case.inputs, SAMPLERS[name]())


def _made(case: Case) -> Any:
    """Return a model with weights that do not depend on the library.

    A backbone gets new layers, because arguments may be layers, such as encoders of images.
    """
    keras.utils.set_random_seed(SEED)
    model = case.kind(**case.arguments)
    if not case.generates:
        model = case.kind.from_config(model.get_config())
    _assign(model.weights)
    return model


def _assign(weights: list[Any], scale: float = 0.3) -> None:
    """Assign random numbers to weights. Variances must be positive."""
    for place, weight in enumerate(weights):
        if "float" not in str(weight.dtype):
            continue
        numbers = np.random.default_rng(place).normal(size=weight.shape, scale=scale)
        weight.assign(abs(numbers) + 0.5 if "variance" in weight.path else numbers)


def _forward(model: Any, case: Case) -> Any:
    return model(keras.tree.map_structure(keras.ops.convert_to_tensor, case.inputs))


def _with_lora(case: Case) -> Any:
    """Return outputs with LoRA, or [] if the backbone has no layers for it."""
    model = _made(case)
    if not hasattr(model, "enable_lora"):
        return []
    model.enable_lora(RANK)
    _assign(added := [weight for weight in model.weights if "lora" in weight.path])
    return _forward(model, case) if added else []


def _quantized(case: Case, mode: str) -> Any:
    """Return outputs of a quantized model."""
    model = _made(case)
    _forward(model, case)  # it builds layers that quantization expects to be built
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.quantize(mode)
    return _forward(model, case)


def _generated(model: Any, inputs: Any, sampler: Any) -> Any:
    """Return the tokens that a language model generates after the first half of a prompt.

    The model runs eagerly on TensorFlow, because its compilation takes long.
    """
    model.preprocessor = None
    model.compile(loss=None, sampler=sampler, run_eagerly="tfpy" not in sys.modules)
    masks = [name for name in ("decoder_padding_mask", "padding_mask") if name in inputs]
    lengths = np.array(inputs[masks[0]]).sum(axis=1, keepdims=True)
    half = np.arange(np.shape(inputs[masks[0]])[1]) < np.maximum(lengths // 2, 1)
    found = model.generate({**inputs, masks[0]: half}, stop_token_ids=None)
    return {name: found[name] for name in found if name.endswith(TOKENS_AND_MASKS)}
