"""Errors for names that the public modules do not have."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

_EAGER = (
    "calls compute at once, without a Session; see tf.function for compiled functions, and "
    "tf.compat.v1 for graphs and sessions"
)

INSTEAD = {
    "Session": _EAGER,
    "placeholder": _EAGER,
    "layers": "use tf.keras.layers",
    "Model": "use tf.keras.Model",
    "Sequential": "use tf.keras.Sequential",
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
"""Missing names in `tf` of TensorFlow 1, Keras and NumPy, and the names that replace them."""


_PART = 4
"""Least number of letters with which a part of a name is recognized."""


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


class Lazy(NamedTuple):
    """Names of a module that another package defines."""

    find: Callable[[str], Any]
    """Function that returns the object of a name, and raises KeyError for an unknown name."""
    names: Callable[[], Iterable[str]]
    """Function that returns the names that `dir` lists."""


def unchanged(names: dict[str, Any], name: str, value: Any) -> Any:
    """Return the value."""
    return value


adapt: Callable[[dict[str, Any], str, Any], Any] = unchanged
"""Function that returns the object that a namespace stores under a name, given the lazy one."""


def explain(package: str, lazy: Mapping[str, Lazy]) -> None:
    """Add suggestions to the AttributeErrors of a package and its public modules.

    The dict `_LATER` of a module maps names to the modules that define them, or that they are.
    These modules are imported when the names are first used.

    Args:
        lazy: By module name, names of other packages that are imported on first use.
    """
    for module in _modules(sys.modules[package]):
        later = vars(module).get("_LATER", {})
        others = lazy.get(module.__name__, _NOTHING)
        _explain_in(module, _finder(module, later, others.find))
        if later or others is not _NOTHING:
            _list_in(module, later, others.names)


def _no_name(name: str) -> Any:
    raise KeyError(name)


_NOTHING = Lazy(_no_name, lambda: ())


def _list_in(
    module: types.ModuleType, later: Iterable[str], others: Callable[[], Iterable[str]]
) -> None:
    vars(module)["__dir__"] = lambda: sorted({*vars(module), *later, *others()})


def _finder(
    module: types.ModuleType, later: Mapping[str, str], others: Callable[[str], Any]
) -> Callable[[str], Any]:
    """Return a function that imports the names of a module on first use."""

    def found(name: str) -> Any:
        if name not in later:
            return others(name)
        holder = importlib.import_module(later[name])
        if holder.__name__ != f"{module.__name__}.{name}":
            return getattr(holder, name)
        if "__getattr__" not in vars(holder):
            _explain_in(holder, _no_name)
        return holder

    return found


def _explain_in(module: types.ModuleType, lazy: Callable[[str], Any]) -> None:
    def found(name: str) -> Any:
        if not name.startswith("_"):
            with contextlib.suppress(KeyError):
                value = vars(module)[name] = adapt(vars(module), name, lazy(name))
                if name not in vars(module).get("_LATER", ()):
                    vars(module).setdefault("_OF_OTHERS", set()).add(name)
                return value
        raise AbsentName(module, name)

    vars(module)["__getattr__"] = found


def _modules(module: types.ModuleType) -> Iterator[types.ModuleType]:
    """Yield a public module and its submodules."""
    yield module
    for name in own_names(module):
        value = vars(module).get(name)
        if isinstance(value, types.ModuleType) and value.__name__ == f"{module.__name__}.{name}":
            yield from _modules(value)


def own_names(module: types.ModuleType) -> list[str]:
    """Return the public names of a module that tfpy defines."""
    names = {*vars(module), *vars(module).get("_LATER", ())} - vars(module).get("_OF_OTHERS", set())
    return sorted(name for name in names if not name.startswith("_"))


def _public_name(module: types.ModuleType) -> str:
    return "tf" + module.__name__.removeprefix("tfpy")


def _close_names(module: types.ModuleType, wanted: str) -> list[str]:
    """Return the same name in other modules, or else similar names in this one."""
    package = sys.modules[module.__name__.partition(".")[0]]
    same = [_public_name(m) for m in _modules(package) if wanted in own_names(m)]
    if same:
        return [f"{where}.{wanted}" for where in same]
    names = own_names(module)
    here = difflib.get_close_matches(wanted, names, n=2, cutoff=0.7)
    if not here and len(wanted) >= _PART:
        here = [name for name in names if wanted.lower() in name.lower()][:2]
    return [f"{_public_name(module)}.{name}" for name in here]
