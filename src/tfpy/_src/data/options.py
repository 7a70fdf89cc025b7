"""``tf.data.Options``: what TensorFlow lets a program say of how a dataset runs.

Datasets here run in one order on one thread, so that options are kept and read, and of no effect.
"""

from __future__ import annotations

import enum
from typing import Any


class AutoShardPolicy(enum.IntEnum):
    """How a distributed dataset is shared out.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> policy = tf.data.experimental.AutoShardPolicy.DATA
        >>> options.experimental_distribute.auto_shard_policy = policy
        >>> options.experimental_distribute.auto_shard_policy.name
        'DATA'
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What is done of state outside of a dataset that is saved.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> ignore = tf.data.experimental.ExternalStatePolicy.IGNORE
        >>> options.experimental_external_state_policy = ignore
        >>> options.experimental_external_state_policy.name
        'IGNORE'
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How buffers would be sized.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.autotune.autotune_algorithm = tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB
        >>> options.autotune.autotune_algorithm.name
        'HILL_CLIMB'
    """

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _Settings:
    """Named settings; None for what is not set."""

    _names: tuple[str, ...] = ()

    def __init__(self) -> None:
        for name in self._names:
            object.__setattr__(self, name, self._default(name))

    def _default(self, name: str) -> Any:
        return None

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} has no property {name}.")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def _merged(self, other: Any) -> Any:
        """These settings, with those that the other has set."""
        found = type(self)()
        for name in self._names:
            own, new = getattr(self, name), getattr(other, name)
            merged = own._merged(new) if isinstance(own, _Settings) else new
            object.__setattr__(found, name, own if merged is None else merged)
        return found


class AutotuneOptions(_Settings):
    """``options.autotune``.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.autotune = tf.data.experimental.AutotuneOptions()
        >>> options.autotune.enabled = False
        >>> options.autotune.enabled
        False
    """

    _names = (
        *("autotune_algorithm", "cpu_budget", "enabled", "initial_parallelism"),
        *("min_parallelism", "ram_budget"),
    )


class DistributeOptions(_Settings):
    """``options.experimental_distribute``.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.experimental_distribute = tf.data.experimental.DistributeOptions()
        >>> options.experimental_distribute.num_devices = 2
        >>> options.experimental_distribute.num_devices
        2
    """

    _names = ("auto_shard_policy", "num_devices")

    def _default(self, name: str) -> Any:
        return AutoShardPolicy.AUTO if name == "auto_shard_policy" else None


class OptimizationOptions(_Settings):
    """``options.experimental_optimization``.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.experimental_optimization = tf.data.experimental.OptimizationOptions()
        >>> options.experimental_optimization.map_parallelization = True
        >>> options.experimental_optimization.map_parallelization
        True
    """

    _names = (
        *("apply_default_optimizations", "filter_fusion", "filter_parallelization"),
        *("inject_prefetch", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion"),
        *("map_parallelization", "noop_elimination", "parallel_batch", "seq_interleave_prefetch"),
        "shuffle_and_repeat_fusion",
    )


class ServiceOptions(_Settings):
    """``options.experimental_service``.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.experimental_service = tf.data.experimental.ServiceOptions()
        >>> options.experimental_service.pinned = True
        >>> options.experimental_service.pinned
        True
    """

    _names = ("pinned",)


class ThreadingOptions(_Settings):
    """``options.threading`` (``tf.data.ThreadingOptions``).

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.threading.private_threadpool_size = 4
        >>> data = tf.data.Dataset.range(3).with_options(options)
        >>> data.options().threading.private_threadpool_size
        4
    """

    _names = ("max_intra_op_parallelism", "private_threadpool_size")


_PARTS = {
    "autotune": AutotuneOptions,
    "experimental_distribute": DistributeOptions,
    "experimental_optimization": OptimizationOptions,
    "experimental_service": ServiceOptions,
    "threading": ThreadingOptions,
}

_OLD = {"experimental_deterministic": "deterministic", "experimental_threading": "threading"}
"""Older names of settings."""


class Options(_Settings):
    """What a program says of how a dataset runs (``tf.data.Options``); of no effect here.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.deterministic = False
        >>> print(tf.data.Dataset.range(2).with_options(options).options().deterministic)
        False
    """

    _names = (
        *("autotune", "dataset_name", "deterministic", "experimental_distribute"),
        *("experimental_external_state_policy", "experimental_optimization"),
        *("experimental_service", "experimental_slack", "experimental_symbolic_checkpoint"),
        *("experimental_warm_start", "framework_type", "threading"),
    )

    def _default(self, name: str) -> Any:
        if name == "framework_type":
            return []
        return _PARTS[name]() if name in _PARTS else None

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(_OLD.get(name, name), value)

    def __getattr__(self, name: str) -> Any:
        if name in _OLD:
            return getattr(self, _OLD[name])
        return super().__getattr__(name)

    def merge(self, options: Options) -> Options:
        """These options, with those that the others have set."""
        found: Options = self._merged(options)
        return found
