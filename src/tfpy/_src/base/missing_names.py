"""What is said of names that the public modules have not."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

INSTEAD = {
    "saved_model": "tf.models.load reads SavedModels; tf.save_graph_model, tf.save_onnx and "
    "tf.export write models",
}
"""Namespaces of TensorFlow that are not here, and what does their work."""


class AbsentName(AttributeError):
    """A module has no such name. The text is made when it is asked for: ``hasattr`` is cheap."""

    def __init__(self, module: types.ModuleType, wanted: str) -> None:
        super().__init__(wanted)
        self.module = module
        self.wanted = wanted

    def __str__(self) -> str:
        where, wanted = _public_name(self.module), self.wanted
        text = f"tfpy has no {where}.{wanted}"
        if where == "tf" and wanted in INSTEAD:
            return f"{text}; {INSTEAD[wanted]}"
        if not (close := _close_names(self.module, wanted)):
            return f"{text}; docs/ops.md lists every function"
        return f"{text}; did you mean {' or '.join(close)}?"


def explain(package: str, lazy: Mapping[str, Callable[[str], Any]]) -> None:
    """Lets a package and the public modules below it say what they have instead of other names.

    The ``_LATER`` of a module has names of it -> modules that have them, or are them, which are
    imported when the names are touched.

    Args:
        lazy: by the modules' names, what gives names that are imported when they are touched, and
            raises KeyError for those that there are not.
    """
    for module in _modules(sys.modules[package]):
        later = vars(module).get("_LATER")
        found = lazy.get(module.__name__)
        _explain_in(module, found if later is None else _finder(module, later, found))


def _finder(
    module: types.ModuleType, later: Mapping[str, str], others: Callable[[str], Any] | None
) -> Callable[[str], Any]:
    """What gives the names of a module that are imported later."""

    def found(name: str) -> Any:
        if name not in later:
            if others is None:
                raise KeyError(name)
            return others(name)
        holder = importlib.import_module(later[name])
        if holder.__name__ != f"{module.__name__}.{name}":
            return getattr(holder, name)
        _explain_in(holder, None)
        return holder

    vars(module)["__dir__"] = lambda: sorted({*vars(module), *later})
    return found


def _explain_in(module: types.ModuleType, lazy: Callable[[str], Any] | None) -> None:
    def found(name: str) -> Any:
        if lazy is not None and not name.startswith("_"):
            with contextlib.suppress(KeyError):
                value = vars(module)[name] = lazy(name)
                return value
        raise AbsentName(module, name)

    vars(module)["__getattr__"] = found


def _modules(module: types.ModuleType) -> Iterator[types.ModuleType]:
    """A public module and those below it."""
    yield module
    for name in _names(module):
        value = vars(module).get(name)
        if isinstance(value, types.ModuleType) and value.__name__ == f"{module.__name__}.{name}":
            yield from _modules(value)


def _names(module: types.ModuleType) -> list[str]:
    return [name for name in dir(module) if not name.startswith("_")]


def _public_name(module: types.ModuleType) -> str:
    return "tf" + module.__name__.removeprefix("tfpy")


def _close_names(module: types.ModuleType, wanted: str) -> list[str]:
    """The same name elsewhere, else names like it here."""
    package = sys.modules[module.__name__.partition(".")[0]]
    same = [_public_name(m) for m in _modules(package) if wanted in _names(m)]
    if same:
        return [f"{where}.{wanted}" for where in same]
    here = difflib.get_close_matches(wanted, _names(module), n=2, cutoff=0.7)
    return [f"{_public_name(module)}.{name}" for name in here]
