"""Calls: functions of the user are converted when they are called."""

from __future__ import annotations

import functools
import os
import site
import types
from functools import lru_cache
from pathlib import Path
from typing import Any

from tfpy._src.autograph.convert import converted
from tfpy._src.autograph.marks import is_marked
from tfpy._src.autograph.operators.builtins import BUILTINS


def call(function: Any) -> Any:
    """What to call in place of a callable."""
    if isinstance(function, types.FunctionType):
        return converted(function) if _is_the_users(function) else function
    if isinstance(function, types.MethodType):
        inner = function.__func__
        if isinstance(inner, types.FunctionType) and _is_the_users(inner):
            return types.MethodType(converted(inner), function.__self__)
        return function
    if isinstance(function, types.BuiltinFunctionType | type):
        return BUILTINS.get(function, function)
    if isinstance(function, functools.partial):
        return functools.partial(call(function.func), *function.args, **function.keywords)
    method = vars(type(function)).get("__call__")
    if isinstance(method, types.FunctionType) and _is_the_users(method):
        return types.MethodType(converted(method), function)
    return function


def _is_the_users(function: types.FunctionType) -> bool:
    """Neither tfpy's nor of an installed library, nor one that is not to be converted."""
    module = function.__module__ or ""
    if is_marked(function) or module == "tfpy" or module.startswith("tfpy."):
        return False
    return not _is_installed(function.__code__.co_filename)


@lru_cache(maxsize=1024)
def _is_installed(filename: str) -> bool:
    package = str(Path(__file__).parents[3])
    roots = (package, os.path.dirname(os.__file__), *site.getsitepackages())
    return filename.startswith("<frozen") or any(filename.startswith(f"{r}/") for r in roots)
