"""The parts of `tf.__internal__` and `tensorflow.python` that Keras uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from tfpy._src.base import tracing
from tfpy._src.core.conversion import get_static_value
from tfpy._src.core.type_spec import TypeSpec
from tfpy._src.distribute.current import get_replica_context
from tfpy._src.distribute.device_spec import DeviceSpec
from tfpy._src.functions.control.control_flow import cond
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.variables.tracking import Tracked


class Trackable:
    """The base of objects that track the objects on which they depend, by name."""

    _dependencies: Mapping[str, Any] = MappingProxyType({})
    # Defined on the class as well, because Keras saves attributes that a new instance lacks.

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        vars(self).setdefault("_dependencies", {})[name] = trackable
        return trackable

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return dict(self._dependencies)


class AutoTrackable(Tracked, Trackable):
    """An object with attributes that are dependencies. Keras finds them itself."""

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return vars(self) | super()._trackable_children(save_type, **kwargs)


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method unchanged."""
    return method


class EagerContext:
    """The part of TensorFlow's eager context that Keras and other libraries use."""

    device_spec = DeviceSpec()
    """Device of a `tf.device` block. Kernels run on the active backend in every block."""

    def executing_eagerly(self) -> bool:
        """Return True unless a function is traced."""
        return tracing.executing_eagerly()

    def clear_kernel_cache(self) -> None:
        """Do nothing: compiled Programs are freed with their functions."""


class OpDeterminism:
    """TensorFlow's setting for deterministic kernels. Kernels of tfpy are always deterministic."""

    enabled = False

    @classmethod
    def set(cls, enabled: bool) -> None:
        """Store the setting."""
        cls.enabled = enabled


def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any],
    false_fn: Callable[[], Any],
    name: str | None = None,
) -> Any:
    """Call `tf.cond`, but trace only one branch if the value of `pred` is known.

    Raises:
        TypeError: If a branch is not callable.
    """
    known = get_static_value(pred) if tracing.local.active else pred
    return cond(pred if known is None else bool(known), true_fn, false_fn)


def maybe_merge_call(fn: Callable[..., Any], strategy: Any, *args: Any, **kwargs: Any) -> Any:
    """Call `fn(strategy, ...)` so that it sees all replicas."""
    context = get_replica_context()
    if context is None:
        return fn(strategy, *args, **kwargs)
    return context.merge_call(fn, args, kwargs)


def spec_name(spec: type[TypeSpec]) -> str:
    """Return the name under which a class of specs is saved."""
    return spec.__name__


def spec_class(name: str) -> type[TypeSpec]:
    """Return the class of specs that is saved under a name.

    Raises:
        ValueError: If the name is unknown.
    """
    if name != "TensorSpec":
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return TensorSpec
