"""tfpy's side of ``page/loads.mjs``: loading graph models."""

from __future__ import annotations

from typing import Any

import js

import tfpy as tf

_files: dict[str, bytes] = {}


def hold(files: Any) -> None:
    """Keep the bytes of a model's files, by their paths, for :func:`held`."""
    _files.clear()
    _files.update({path: data.to_bytes() for path, data in files.entries()})


async def held() -> tuple[float, float]:
    """Return when loading from memory began and ended."""
    return await _timed(_files)


async def fetched(address: str) -> tuple[float, float]:
    """Return when loading from an address began and ended."""
    return await _timed(address)


async def _timed(source: Any) -> tuple[float, float]:
    now = js.performance.now
    start = now()
    await tf.load_graph_model_async(source)
    return start, now()
