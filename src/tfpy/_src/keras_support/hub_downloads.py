"""Downloads of `huggingface_hub` and `kagglehub` to the store of `tf.hub`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.base.errors import NotFoundError
from tfpy._src.library.hub import opening
from tfpy._src.library.hub.api import fetch
from tfpy._src.library.hub.store import place_of


def hf_hub_download(repo_id: str, filename: str) -> str:
    """Return the path of a file of Hugging Face.

    Raises:
        NotFoundError: If the hub does not list it.
        RuntimeError: If Python cannot wait for the download here.
    """
    return _path(f"hf://{repo_id}", filename)


def snapshot_download(repo_id: str, **_: Any) -> str:
    """Return the path of a folder with all files of a model of Hugging Face.

    Raises:
        RuntimeError: If Python cannot wait for the download here.
    """
    handle = f"hf://{repo_id}"
    place, store = place_of(handle), opening.opened()
    listing = store.known_listing(place.folder) if store is not None else None
    if store is not None and listing and all(store.path(place.file(path)) for path in listing):
        return str(Path(store.storage.root, place.local))
    return wait(fetch(handle), _advice(handle))


def model_download(handle: str, path: str) -> str:
    """Return the path of a file of Kaggle.

    Raises:
        ValueError: If the hub does not list it.
        RuntimeError: If Python cannot wait for the download here.
    """
    try:
        return _path(f"kaggle://{handle}", path)
    except NotFoundError as error:
        raise ValueError(f"{path} is not present in the model files: {error.message}") from error


def _path(handle: str, path: str) -> str:
    """Return the path of a file, without waiting if this program has fetched it."""
    place, store = place_of(handle).file(path), opening.opened()
    listing = store.known_listing(place.folder) if store is not None else None
    if store is not None and listing is not None:
        if path not in listing:
            raise NotFoundError(None, "tf.hub", f"{handle} does not contain {path!r}")
        if (found := store.path(place)) is not None:
            return found
    return wait(fetch(place.address), _advice(handle))


def _advice(handle: str) -> str:
    return f"write `await tf.hub.fetch({handle!r})` before this call"
