"""Exports primitives under their TensorFlow names, as the op table says; lists what is public."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

from tfpy.core.naming import named
from tfpy.ops import OPS, Op


def function(op: Op) -> Callable[..., Any]:
    """The public function of a record: its inputs, its attributes with defaults, and ``name``."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(p, kind) for p in op.params]
    parameters += [inspect.Parameter(k, kind, default=v) for k, v in op.defaults.items()]
    parameters.append(inspect.Parameter("name", kind, default=None))
    signature = inspect.Signature(parameters)
    plain = not op.defaults

    def call(*args: Any, **kwargs: Any) -> Any:
        if plain and not kwargs and len(args) == len(op.params):
            return op(*args)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = bound.arguments
        return op(*(values[p] for p in op.params), **{k: values[k] for k in op.defaults})

    call.__signature__ = signature  # type: ignore[attr-defined]
    doc = op.doc or f"{op.name.replace('_', ' ').capitalize()}, element by element."
    return named(op.public[0].rsplit(".", 1)[-1], doc, call)


def install() -> list[str]:
    """Sets every public name of the table on its namespace module; gives those of ``tfpy`` itself.

    Raises:
        AttributeError: when a module already has a function of that name.
    """
    top = []
    for op in OPS.values():
        exported = function(op) if op.public else None
        for path in op.public:
            *namespace, name = path.split(".")
            module = sys.modules[".".join(["tfpy", *namespace])]
            if name in vars(module):
                raise AttributeError(f"{module.__name__} already has {name}")
            setattr(module, name, exported)
            if not namespace:
                top.append(name)
    return top


NAMESPACES = (
    "", "bitwise", "browser", "fused", "image", "linalg", "losses", "math", "nn", "ragged",
    "random", "random.experimental", "signal", "sparse", "spectral", "strings",
)  # fmt: skip


def functions() -> dict[str, Callable[..., Any]]:
    """Every public function under each of its names: ``{"nn.relu": <function>, ...}``."""
    found: dict[str, Callable[..., Any]] = {}
    for namespace in NAMESPACES:
        module = sys.modules[".".join(filter(None, ["tfpy", namespace]))]
        for name, value in vars(module).items():
            if not inspect.isfunction(value) or name.startswith("_"):
                continue
            made_here = inspect.unwrap(value).__module__ in (module.__name__, __name__)
            if name in getattr(module, "__all__", ()) or (made_here and namespace):
                found[f"{namespace}.{name}".lstrip(".")] = value
    return found
