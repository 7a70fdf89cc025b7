"""Every awaitable of the public API warns if it is never awaited."""

from __future__ import annotations

import gc
import importlib
import inspect
import linecache
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from surface import public

import tfpy as tf
from tfpy._src.backends.awaitable import Awaitable

PRIVATE = ("keras_support.training", "functions.tf_function.concrete", "formats.graph_model")
"""Modules with awaitables that no public namespace defines: methods of models and functions."""
BEGIN = tf.ready.__code__
"""Code of all functions that the decorator `awaitable` has made."""
EXPECTED = """
call_async compile_model_async data evaluate_async fit_async load_async load_graph_model_async
load_layers_model_async next_frame predict_async ready save_async set_backend_async time_async
"""


def awaitables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the decorated functions and methods of all modules of the package."""
    for namespace in public.NAMESPACES:
        for name in public.own_names(public.module(namespace)):
            getattr(public.module(namespace), name)  # imports the module that defines it
    for name in PRIVATE:
        importlib.import_module(f"tfpy._src.{name}")
    seen: set[int] = set()
    modules = [module for name, module in sys.modules.items() if name.startswith("tfpy._src")]
    for owner in [*modules, *(c for m in modules for c in vars(m).values() if inspect.isclass(c))]:
        for name, value in vars(owner).items():
            if getattr(value, "__code__", None) is BEGIN and id(value) not in seen:
                seen.add(id(value))
                yield f"{owner.__name__.removeprefix('tfpy._src.')}.{name}", value


def call(function: Callable[..., Any]) -> Any:
    """Call the function with None for each required argument. Its body does not run."""
    parameters = inspect.signature(function).parameters.values()
    kinds = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    required = [p for p in parameters if p.default is p.empty and p.kind not in kinds]
    values = {p.name: None for p in required if p.kind is p.KEYWORD_ONLY}
    return function(*[None for _ in range(len(required) - len(values))], **values)


ALL = dict(awaitables())


def test_the_list_is_complete() -> None:
    assert set(EXPECTED.split()) <= {name.rpartition(".")[2] for name in ALL}
    assert len(ALL) >= 36


@pytest.mark.parametrize("name", ALL)
def test_a_forgotten_await_names_the_call_and_the_line(name: str) -> None:
    method = name.rpartition(".")[2]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call(ALL[name])
        gc.collect()
    (warning,) = [one for one in found if "never awaited" in str(one.message)]
    assert warning.category is RuntimeWarning
    line = linecache.getline(warning.filename, warning.lineno)
    assert (warning.filename, line.strip()) == (__file__, "call(ALL[name])")
    shown = re.fullmatch(
        r"(.*) was never awaited and has not run: write `await (.*)`", str(warning.message)
    )
    assert shown is not None
    assert shown[1] == shown[2]
    assert re.search(rf"(^|\.){method}\(.*\)$", shown[1])


def test_an_interrupted_construction_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt can arrive before the constructor has set an attribute."""
    raised: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", raised.append)
    value = Awaitable.__new__(Awaitable)
    assert not hasattr(value, "shape")
    del value
    assert raised == []
