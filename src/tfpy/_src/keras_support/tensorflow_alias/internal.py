"""What stands behind ``tf.__internal__`` and ``tensorflow.python``: as much as Keras reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core.conversion import get_static_value
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.distribute.strategy import get_replica_context
from tfpy._src.functions.control.control_flow import cond
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.variables.tracking import Tracked


class Trackable:
    """Base of objects that know, by name, the objects they depend on."""

    _dependencies: Mapping[str, Any] = MappingProxyType({})
    # Of the class too: Keras saves what an object has and a new one has not.

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        vars(self).setdefault("_dependencies", {})[name] = trackable
        return trackable

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return dict(self._dependencies)


class AutoTrackable(Tracked, Trackable):
    """One whose attributes are dependencies; Keras finds these by itself."""

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return vars(self) | super()._trackable_children(save_type, **kwargs)


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method: attributes that it sets are no dependencies."""
    return method


class EagerContext:
    """What is asked of TensorFlow's eager runtime."""

    def clear_kernel_cache(self) -> None:
        """Of no effect: compiled Programs are kept with the functions that they are of."""


class OpDeterminism:
    """What is asked of TensorFlow's kernels; tfpy's give the same result each time anyway."""

    enabled = False

    @classmethod
    def set(cls, enabled: bool) -> None:
        """Remembers what was asked."""
        cls.enabled = enabled


def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any],
    false_fn: Callable[[], Any],
    name: str | None = None,
) -> Any:
    """``tf.cond``, of which only one branch is traced where ``pred`` is known.

    Raises:
        TypeError: when a branch is not callable.
    """
    known = get_static_value(pred) if tracing.local.active else pred
    return cond(pred if known is None else bool(known), true_fn, false_fn)


def maybe_merge_call(fn: Callable[..., Any], strategy: Any, *args: Any, **kwargs: Any) -> Any:
    """``fn(strategy, ...)``, which sees all replicas."""
    context = get_replica_context()
    if context is None:
        return fn(strategy, *args, **kwargs)
    return context.merge_call(fn, args, kwargs)


def spec_name(spec: type[TypeSpec]) -> str:
    """The name under which a class of specs is saved."""
    return spec.__name__


def spec_class(name: str) -> type[TypeSpec]:
    """The class of specs that is saved under a name.

    Raises:
        ValueError: for a name that is not known.
    """
    if name != "TensorSpec":
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return TensorSpec
