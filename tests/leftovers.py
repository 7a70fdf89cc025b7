"""The state of the process that each test must leave as it found it."""

from __future__ import annotations

import sys
from copy import copy
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.base import profiler_spans
from tfpy._src.base.flags.environment import env
from tfpy._src.core import eager, tape
from tfpy._src.distribute import context
from tfpy._src.tensors.variables.distribution import scope


def _name(strategy: Any) -> str:
    return "" if strategy is None else f"{strategy} at {id(strategy):#x}"


def _flags() -> dict[str, Any]:
    """Return the flags that differ from their defaults."""
    unset = copy(env())
    unset._set = {}
    return {name: value for name, value in env()._set.items() if value != unset.get(name)}


def state() -> dict[str, Any]:
    """Return the parts of the state by their names; takes microseconds."""
    tensorflow = sys.modules.get("tensorflow")
    return {
        "the active backend": registry.active,
        "the cpu backend": registry.find_backend("cpu"),
        "the names of the backends": list(registry._entries),
        "the flags": _flags(),
        "the scopes of strategies": [*map(_name, [*context.local.scopes, scope.strategy])],
        "the runs of strategies": (len(context.local.runs), scope.running, scope.replicas),
        "the active tapes": len(tape.local.active),
        "the observers of ops": len(eager.observers),
        "the recorders of spans": len(profiler_spans.recorders),
        "the module tensorflow": tensorflow and id(tensorflow),
        "the strategy of TensorFlow": bool(tensorflow and tensorflow.distribute.has_strategy()),
    }


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return a sentence for each part that differs. A first use opens and imports."""
    return [
        f"The test changed {name} from {before[name]} to {after[name]}."
        for name in before
        if after[name] != before[name]
        and not (before[name] is None and name in ("the active backend", "the cpu backend"))
        and not (before[name] is None and name == "the module tensorflow")
    ]


def restore() -> None:
    """Reset the caching device of TensorFlow's variable scope.

    TensorFlow sets it while it traces `map_fn` or `scan`, and keeps it when their function raises.
    The next scope of a strategy then fails after TensorFlow has entered the scope.
    """
    if module := sys.modules.get("tensorflow.python.ops.variable_scope"):
        module.get_variable_scope()._caching_device = None
