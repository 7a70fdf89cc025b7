"""Flags, and the choice of the wasm variant by them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tfpy as tf
from tfpy._src.runtime.backend import BackendSkipped
from tfpy._src.runtime.device import choose_variant


@pytest.fixture(autouse=True)
def default_flags() -> Iterator[None]:
    tf.env().reset()
    yield
    tf.env().reset()


def test_flags() -> None:
    flags = tf.env()
    assert flags is tf.env()
    assert flags.get("WASM_THREADS_COUNT") == 0
    flags.set("WASM_THREADS_COUNT", 3)
    assert flags.get_number("WASM_THREADS_COUNT") == 3.0
    assert flags.get_bool("SOFTWARE_WEBGL_ENABLED") is False
    flags.set("SOFTWARE_WEBGL_ENABLED", True)
    assert flags.get_bool("SOFTWARE_WEBGL_ENABLED") is True
    flags.reset()
    assert flags.get_bool("SOFTWARE_WEBGL_ENABLED") is False


def test_unknown_flags() -> None:
    for call in (lambda: tf.env().get("WEBGL_FAST"), lambda: tf.env().set("WEBGL_FAST", True)):
        with pytest.raises(ValueError, match=r"WEBGL_FAST.*WASM_THREADS_COUNT"):
            call()


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("WASM_THREADS_COUNT", -3, "a whole number from 0"),
        ("WASM_THREADS_COUNT", "many", "a whole number from 0"),
        ("WASM_THREADS_COUNT", True, "a whole number from 0"),
        ("WASM_THREADS_COUNT", 1.5, "a whole number from 0"),
        ("WASM_CODEGEN", "sometimes", "'auto' or 'always' or 'never'"),
        ("WASM_CODEGEN", None, "'auto' or 'always' or 'never'"),
        ("SOFTWARE_WEBGL_ENABLED", 1, "True or False"),
        ("WASM_HAS_SIMD_SUPPORT", "no", "True or False"),
    ],
)
def test_values_that_flags_do_not_take(name: str, value: Any, wanted: str) -> None:
    before = tf.env().get(name)
    with pytest.raises(ValueError, match=f"{name} is {wanted}, not {value!r}"):
        tf.env().set(name, value)
    assert tf.env().get(name) == before


def found(simd: bool = True, relaxed: bool = True, threads: bool = True) -> dict[str, bool]:
    return {"simd": simd, "relaxedSimd": relaxed, "threads": threads}


@pytest.mark.parametrize(
    ("relaxed", "threads", "variant"),
    [
        (True, True, "relaxed-threads"),
        (True, False, "relaxed"),
        (False, True, "simd-threads"),
        (False, False, "simd"),
    ],
)
def test_variant(relaxed: bool, threads: bool, variant: str) -> None:
    assert choose_variant(found(relaxed=relaxed, threads=threads)) == variant
    tf.env().set("WASM_HAS_RELAXED_SIMD_SUPPORT", relaxed)
    tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", threads)
    assert choose_variant(found()) == variant


def test_without_simd() -> None:
    with pytest.raises(BackendSkipped, match="SIMD"):
        choose_variant(found(simd=False))
    tf.env().set("WASM_HAS_SIMD_SUPPORT", False)
    with pytest.raises(BackendSkipped, match="SIMD"):
        choose_variant(found())
