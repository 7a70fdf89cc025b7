"""`tf.data.Options`: TensorFlow's settings for the execution of datasets.

Datasets of tfpy run in one order on one thread, so options are stored but have no effect.
"""

from __future__ import annotations

import enum
from typing import Any


class AutoShardPolicy(enum.IntEnum):
    """Policy for dividing a dataset among workers, which is stored but has no effect.

    It is the setting `experimental_distribute.auto_shard_policy` of `tf.data.Options`.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> policy = tf.data.experimental.AutoShardPolicy.DATA
        >>> options.experimental_distribute.auto_shard_policy = policy
        >>> options.experimental_distribute.auto_shard_policy.name
        'DATA'

    See also: `tf.data.Options`.
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """Policy for saving iterators over elements that depend on external state.

    An example of such state is a generator of random numbers. The policy is the setting
    `experimental_external_state_policy` of `tf.data.Options`.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> ignore = tf.data.experimental.ExternalStatePolicy.IGNORE
        >>> options.experimental_external_state_policy = ignore
        >>> options.experimental_external_state_policy.name
        'IGNORE'

    See also: `tf.data.Options`.
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """Algorithm that chooses the sizes of buffers, which is stored but has no effect.

    It is the setting `autotune.autotune_algorithm` of `tf.data.Options`.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.autotune.autotune_algorithm = tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB
        >>> options.autotune.autotune_algorithm.name
        'HILL_CLIMB'

    See also: `tf.data.Options`.
    """

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _Settings:
    """Named settings; None for a setting that is not set."""

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
        """Return these settings, overridden by the settings that `other` sets."""
        found = type(self)()
        for name in self._names:
            own, new = getattr(self, name), getattr(other, name)
            merged = own._merged(new) if isinstance(own, _Settings) else new
            object.__setattr__(found, name, own if merged is None else merged)
        return found


class AutotuneOptions(_Settings):
    """Settings for automatic tuning, which are stored but have no effect.

    They are the attribute `autotune` of `tf.data.Options`. The settings are `autotune_algorithm`,
    `cpu_budget`, `enabled`, `initial_parallelism`, `min_parallelism` and `ram_budget`.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.autotune = tf.data.experimental.AutotuneOptions()
        >>> options.autotune.enabled = False
        >>> options.autotune.enabled
        False

    See also: `tf.data.Options`.
    """

    _names = (
        *("autotune_algorithm", "cpu_budget", "enabled", "initial_parallelism"),
        *("min_parallelism", "ram_budget"),
    )


class DistributeOptions(_Settings):
    """Settings for distributed datasets, which are stored but have no effect.

    They are the attribute `experimental_distribute` of `tf.data.Options`. The settings are
    `auto_shard_policy` and `num_devices`.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.experimental_distribute = tf.data.experimental.DistributeOptions()
        >>> options.experimental_distribute.num_devices = 2
        >>> options.experimental_distribute.num_devices
        2

    See also: `tf.data.Options`.
    """

    _names = ("auto_shard_policy", "num_devices")

    def _default(self, name: str) -> Any:
        return AutoShardPolicy.AUTO if name == "auto_shard_policy" else None


class OptimizationOptions(_Settings):
    """Settings for the optimization of datasets, which are stored but have no effect.

    They are the attribute `experimental_optimization` of `tf.data.Options`. The settings are
    `apply_default_optimizations`, `filter_fusion`, `filter_parallelization`, `inject_prefetch`,
    `map_and_batch_fusion`, `map_and_filter_fusion`, `map_fusion`, `map_parallelization`,
    `noop_elimination`, `parallel_batch`, `seq_interleave_prefetch` and `shuffle_and_repeat_fusion`.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.experimental_optimization = tf.data.experimental.OptimizationOptions()
        >>> options.experimental_optimization.map_parallelization = True
        >>> options.experimental_optimization.map_parallelization
        True

    See also: `tf.data.Options`.
    """

    _names = (
        *("apply_default_optimizations", "filter_fusion", "filter_parallelization"),
        *("inject_prefetch", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion"),
        *("map_parallelization", "noop_elimination", "parallel_batch", "seq_interleave_prefetch"),
        "shuffle_and_repeat_fusion",
    )


class ServiceOptions(_Settings):
    """Settings for TensorFlow's data service, which are stored but have no effect.

    They are the attribute `experimental_service` of `tf.data.Options`. The only setting is
    `pinned`.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.experimental_service = tf.data.experimental.ServiceOptions()
        >>> options.experimental_service.pinned = True
        >>> options.experimental_service.pinned
        True

    See also: `tf.data.Options`.
    """

    _names = ("pinned",)


class ThreadingOptions(_Settings):
    """Settings for threads, which are stored but have no effect.

    They are the attribute `threading` of `tf.data.Options`. The settings are
    `max_intra_op_parallelism` and `private_threadpool_size`.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.threading.private_threadpool_size = 4
        >>> data = tf.data.Dataset.range(3).with_options(options)
        >>> data.options().threading.private_threadpool_size
        4

    See also: `tf.data.Options`.
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
"""Deprecated names of settings."""


class Options(_Settings):
    """Settings for the execution of a dataset, which are stored but have no effect.

    The settings are attributes, as in TensorFlow. Most are None if they were not set; the
    attributes `autotune` and `threading`, for example, are groups of settings.

    Example:
        >>> import tfpy as tf
        >>> options = tf.data.Options()
        >>> options.deterministic = False
        >>> print(tf.data.Dataset.range(2).with_options(options).options().deterministic)
        False

    See also: `tf.data.Dataset.with_options`, `tf.data.Dataset.options`.
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
        """Combine these options with further ones, whose settings take precedence.

        Args:
            options: A `tf.data.Options`. A setting that is None in it does not replace anything.

        Returns:
            A new `tf.data.Options`.

        Example:
            >>> import tfpy as tf
            >>> options = tf.data.Options()
            >>> options.deterministic = True
            >>> tf.data.Options().merge(options).deterministic
            True
        """
        found: Options = self._merged(options)
        return found
