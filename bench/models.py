"""tfpy's side of ``page/models.mjs``: models that packages ship, loaded and run."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import numpy as np

import tfpy as tf

models: dict[str, Any] = {}
given: dict[str, Any] = {}
made: dict[str, list[np.ndarray[Any, Any]]] = {}


def _input(shape: list[int], dtype: Any) -> Any:
    """Return numbers from 0 to 1, or from 0 to 255, as the page makes them."""
    values = (np.arange(np.prod(shape), dtype=np.int64) * 7919 % 1009) / 1009
    values = values if dtype.is_floating else np.floor(255 * values)
    return tf.constant(values.astype(dtype.as_numpy_dtype).reshape(shape))


async def load(name: str, address: str, how: str) -> float:
    """Return the milliseconds of loading. The files should be in the browser's cache.

    Args:
        name: Name of the model.
        address: Address of its file.
        how: Description of its inputs from the page, as JSON.
    """
    start = time.perf_counter()
    models[name] = model = await tf.models.load_async(address)
    taken = (time.perf_counter() - start) * 1e3
    facts = json.loads(how)
    shape, fills = facts["shape"], facts.get("fills", {})
    given[name] = {
        spec.name: _input(shape, spec.dtype)
        if fills.get(spec.name) is None
        else tf.fill(shape, tf.constant(fills[spec.name], spec.dtype))
        for spec in model.inputs
    }
    return taken


async def sample(name: str) -> float:
    """Return the milliseconds of a run, until the caller has all outputs."""
    start = time.perf_counter()
    found = models[name].predict(given[name])
    found = found if isinstance(found, list) else [found]
    made[name] = list(await asyncio.gather(*(y.data() for y in found)))
    return (time.perf_counter() - start) * 1e3


def outputs(name: str) -> str:
    """Return the sum and the number of elements of each output, as JSON."""
    return json.dumps([[float(np.abs(y).sum()), int(y.size)] for y in made[name]])
