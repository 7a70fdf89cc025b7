"""`tf.config.optimizer`: settings of TensorFlow's compilers. They can be set and read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

_SWITCHES = (
    "layout_optimizer", "constant_folding", "shape_optimization", "remapping",
    "arithmetic_optimization", "dependency_optimization", "loop_optimization",
    "function_optimization", "debug_stripper", "disable_model_pruning",
    "scoped_allocator_optimization", "pin_to_host_optimization", "implementation_selector",
    "auto_mixed_precision", "use_plugin_optimizers", "disable_meta_optimizer",
    "auto_mixed_precision_onednn_bfloat16", "auto_mixed_precision_mkl", "min_graph_nodes",
)  # fmt: skip


class _Settings:
    jit = ""
    options: ClassVar[dict[str, bool | int]] = {
        "disable_model_pruning": False,
        "disable_meta_optimizer": False,
    }


def get_jit() -> str:
    """Return the setting of TensorFlow's compiler XLA.

    Returns:
        `"autoclustering"` after `set_jit(True)`, otherwise an empty string.

    Example:
        >>> import tfpy as tf
        >>> tf.config.optimizer.get_jit()
        ''

    See also: `tf.config.optimizer.set_jit`.
    """
    return _Settings.jit


def set_jit(enabled: bool | str) -> None:
    """Set whether TensorFlow's compiler XLA is used. tfpy always uses its own compiler.

    Args:
        enabled: True or `"autoclustering"`, or False.

    Example:
        >>> import tfpy as tf
        >>> tf.config.optimizer.set_jit(True)
        >>> tf.config.optimizer.get_jit()
        'autoclustering'
        >>> tf.config.optimizer.set_jit(False)

    See also: `tf.function`.
    """
    _Settings.jit = "autoclustering" if enabled in (True, "autoclustering") else ""


def get_experimental_options() -> dict[str, bool | int]:
    """Return the options of TensorFlow's graph optimizer.

    Returns:
        Dict with the options that were set, and two options that are always present.

    Example:
        >>> import tfpy as tf
        >>> tf.config.optimizer.get_experimental_options()["disable_meta_optimizer"]
        False

    See also: `tf.config.optimizer.set_experimental_options`.
    """
    return {name: _Settings.options[name] for name in _SWITCHES if name in _Settings.options}


def set_experimental_options(options: Mapping[str, bool | int]) -> None:
    """Set options of TensorFlow's graph optimizer, which have no effect in tfpy.

    Args:
        options: Dict from names of options, such as `"constant_folding"`, to their values. Unknown
            names are ignored.

    Example:
        >>> import tfpy as tf
        >>> tf.config.optimizer.set_experimental_options({"constant_folding": True})
        >>> tf.config.optimizer.get_experimental_options()["constant_folding"]
        True

    See also: `tf.config.optimizer.get_experimental_options`.
    """
    _Settings.options.update(options)
