"""Places in a browser, for programs that run outside."""

from __future__ import annotations

import asyncio

import pytest

import tfpy as tf
from tfpy._src.backends.javascript import storage


def test_urls_of_places() -> None:
    assert storage.is_place("indexeddb://a")
    assert storage.is_place("downloads://a.keras")
    assert not any(map(storage.is_place, ["a.keras", "/tmp/indexeddb://a", "https://a", b"x"]))


@pytest.mark.parametrize("url", ["indexeddb://a", "downloads://a"])
def test_there_is_no_browser(url: str) -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=f"{url} is a place in a browser"):
        asyncio.run(storage.write(url, "a.keras", b""))


def test_models_are_in_a_browser() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=r"runs outside\. Use a path"):
        asyncio.run(tf.io.list_models_async())
    with pytest.raises(tf.errors.UnimplementedError, match="indexeddb://a is a place"):
        asyncio.run(tf.io.remove_model_async("indexeddb://a"))
    with pytest.raises(ValueError, match=r"must begin with 'indexeddb://', got '/tmp/a'. Remove"):
        asyncio.run(tf.io.remove_model_async("/tmp/a"))
