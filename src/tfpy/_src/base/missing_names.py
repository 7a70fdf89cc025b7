"""Errors for names that the public modules do not have."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_EAGER = "calls compute at once, without a Session; see tf.function for compiled functions"

INSTEAD = {
    "saved_model": "tf.models.load reads SavedModels; tf.save_graph_model, tf.save_onnx and "
    "tf.export write models",
    "Session": _EAGER,
    "placeholder": _EAGER,
    "global_variables_initializer": "Variables have their values from the beginning",
    "all": "use tf.reduce_all",
    "any": "use tf.reduce_any",
    "arange": "use tf.range",
    "array": "use tf.constant",
    "asarray": "use tf.convert_to_tensor",
    "clip": "use tf.clip_by_value",
    "concatenate": "use tf.concat",
    "full": "use tf.fill",
    "hstack": "use tf.concat with axis=1",
    "log": "use tf.math.log",
    "mean": "use tf.reduce_mean",
    "prod": "use tf.reduce_prod",
    "std": "use tf.math.reduce_std",
    "sum": "use tf.reduce_sum",
    "var": "use tf.math.reduce_variance",
    "vstack": "use tf.concat with axis=0",
}
"""Missing names in `tf` of TensorFlow 1 and NumPy, and the functions that replace them."""


class AbsentName(AttributeError):
    """A module does not have the requested name. The message is computed lazily."""

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
    """Add suggestions to the AttributeErrors of a package and its public modules.

    The dict `_LATER` of a module maps names to the modules that define them, or that they are.
    These modules are imported when the names are first used.

    Args:
        lazy: By module name, functions that return names on first use, and raise KeyError for
            unknown names.
    """
    for module in _modules(sys.modules[package]):
        later = vars(module).get("_LATER")
        found = lazy.get(module.__name__)
        _explain_in(module, found if later is None else _finder(module, later, found))


def _finder(
    module: types.ModuleType, later: Mapping[str, str], others: Callable[[str], Any] | None
) -> Callable[[str], Any]:
    """Return a function that imports the names of a module on first use."""

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
    """Yield a public module and its submodules."""
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
    """Return the same name in other modules, or else similar names in this one."""
    package = sys.modules[module.__name__.partition(".")[0]]
    same = [_public_name(m) for m in _modules(package) if wanted in _names(m)]
    if same:
        return [f"{where}.{wanted}" for where in same]
    here = difflib.get_close_matches(wanted, _names(module), n=2, cutoff=0.7)
    return [f"{_public_name(module)}.{name}" for name in here]
