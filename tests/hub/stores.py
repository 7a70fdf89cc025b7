"""Calls of `tf.hub` without an event loop, and the file that most tests download."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
from hub_server import HubServer

import tfpy as tf
from tfpy._src.library.hub import opening

BLOCK = 1000
"""Size of the blocks in tests."""
SIZE = 3500
DATA = np.random.default_rng(0).bytes(SIZE)


def restart(**options: Any) -> None:
    """Forget everything that is in memory, as a new program does."""
    tf.hub.configure(folder=opening._configuration.folder, **options)


def fetch(*arguments: Any, **options: Any) -> bytes:
    return Path(asyncio.run(tf.hub.fetch(*arguments, **options))).read_bytes()


def files() -> list[tf.hub.StoredFile]:
    return asyncio.run(tf.hub.list_files())


def tf_hub(server: HubServer, **options: Any) -> None:
    """Let the server stand in for the hubs."""
    restart(endpoints={"hf": server.url, "kaggle": server.url}, **options)
