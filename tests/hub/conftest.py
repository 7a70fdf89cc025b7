"""A store with small blocks, and a server with a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hub.stores import BLOCK, DATA
from hub_server import HubServer

import tfpy as tf
from tfpy._src.library.hub import download, records, storage, store


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Store files in small blocks, and do not wait between attempts."""
    for module in (records, download, storage, store):
        monkeypatch.setattr(module, "BLOCK", BLOCK)
    monkeypatch.setattr(download, "_WAIT", 0.0)
    tf.hub.configure(folder=tmp_path / "store")
    yield
    tf.hub.configure()


@pytest.fixture(scope="module")
def running() -> Iterator[HubServer]:
    with HubServer() as made:
        yield made


@pytest.fixture
def server(running: HubServer) -> HubServer:
    running.reset()
    running.files["/a/model.bin"] = DATA
    return running
