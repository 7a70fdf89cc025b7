"""Analysis of the parts of Python that a function can reach: files, processes, streams, the clock.

Names are followed from function to function, and methods by their class. Code that all operations
share is excluded.
"""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

PACKAGE = "tfpy._src."
_SHARED = """
    backends base.dtypes base.errors base.flags base.tracing compiler core functions.executor
    functions.tf_function functions.trace loader tensors.autodiff tensors.variables
"""
SHARED = tuple(PACKAGE + name for name in _SHARED.split())
FUNCTIONS = frozenset(("open", "print", "input", "exec", "eval", "compile", "__import__"))
_MODULES = """
    ctypes glob http importlib js mmap nt os pathlib posix posixpath pyodide runpy shutil
    socket subprocess sys tempfile time urllib uuid webbrowser
"""
MODULES = frozenset(_MODULES.split())


def reached(function: Any) -> set[str]:
    """Return the Python functions and modules with side effects that a function can use."""
    found: set[str] = set()
    seen: set[int] = set()
    todo = [_plain(one) for one in _held(function)]
    own = {_module(one) for one in todo}
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        module = _module(value)
        root = module.partition(".")[0]
        if (name := getattr(value, "__name__", "")) and getattr(builtins, name, None) is value:
            found |= {name} & FUNCTIONS
        elif root in MODULES:
            found.add(root)
        elif module in own or (module.startswith(PACKAGE) and not module.startswith(SHARED)):
            inner, modules = _used(value)
            todo += inner
            found |= modules
    return found


def _module(value: Any) -> str:
    return str(getattr(value, "__module__", ""))


def _plain(value: Any) -> Any:
    if isinstance(value, MethodType):
        return value.__func__
    return inspect.unwrap(value) if isinstance(value, FunctionType) else value


def _used(value: Any) -> tuple[list[Any], set[str]]:
    """Return the functions and classes that a value can use, and the modules of Python."""
    if id(value) not in _known:
        used = [_plain(inner) for one in _parts(value) for inner in _held(one)]
        roots = {one.__name__.partition(".")[0] for one in used if isinstance(one, ModuleType)}
        called = [one for one in used if callable(one)]
        _known[id(value)] = called, roots & MODULES, value  # keeps the value's id in use
    return _known[id(value)][:2]


_known: dict[int, tuple[list[Any], set[str], Any]] = {}


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, type):
        yield from value.__bases__
        for member in vars(value).values():
            parts = (getattr(member, name, None) for name in ("fget", "func", "__func__"))
            yield next((part for part in parts if part is not None), member)
    elif isinstance(value, FunctionType):
        for cell in value.__closure__ or ():
            yield cell.cell_contents
        for name, attribute in _names(value.__code__):
            inner = value.__globals__.get(name, getattr(builtins, name, None))
            yield inner
            if isinstance(inner, ModuleType):
                yield getattr(inner, attribute, None)


def _held(value: Any) -> Iterator[Any]:
    """Yield the values in a value."""
    if isinstance(value, functools.partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
    else:
        yield value


def _names(code: CodeType) -> Iterator[tuple[str, str]]:
    """Yield the global names of a code object, with the attributes that it reads from them."""
    steps = [*dis.get_instructions(code)]
    for one, after in zip(steps, [*steps[1:], None], strict=True):
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            is_attribute = after is not None and after.opname in ("LOAD_ATTR", "LOAD_METHOD")
            yield one.argval, after.argval if after and is_attribute else ""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
