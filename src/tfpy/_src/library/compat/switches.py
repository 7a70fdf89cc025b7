"""`tf.compat.v1`: functions that switch behavior of TensorFlow 1 on or off.

Variables, control flow and comparisons always behave as in TensorFlow 2. The functions only store
what they are asked for.
"""

from __future__ import annotations

_enabled = {"resource_variables": True, "control_flow_v2": True}


def enable_resource_variables() -> None:
    """Use the Variables of TensorFlow 2, which tfpy always does.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.enable_resource_variables()
        >>> tf.compat.v1.resource_variables_enabled()
        True

    See also: `tf.compat.v1.disable_resource_variables`.
    """
    _enabled["resource_variables"] = True


def disable_resource_variables() -> None:
    """Ask for the Variables of TensorFlow 1. tfpy keeps those of TensorFlow 2.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.disable_resource_variables()
        >>> tf.compat.v1.resource_variables_enabled()
        False
        >>> tf.compat.v1.enable_resource_variables()

    See also: `tf.compat.v1.enable_resource_variables`.
    """
    _enabled["resource_variables"] = False


def resource_variables_enabled() -> bool:
    """Return whether the Variables of TensorFlow 2 are wanted.

    Returns:
        True, unless `tf.compat.v1.disable_resource_variables` was called.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.resource_variables_enabled()
        True
    """
    return _enabled["resource_variables"]


def enable_control_flow_v2() -> None:
    """Use the control flow of TensorFlow 2, which tfpy always does.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.enable_control_flow_v2()
        >>> tf.compat.v1.control_flow_v2_enabled()
        True

    See also: `tf.compat.v1.disable_control_flow_v2`.
    """
    _enabled["control_flow_v2"] = True


def disable_control_flow_v2() -> None:
    """Ask for the control flow of TensorFlow 1. tfpy keeps that of TensorFlow 2.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.disable_control_flow_v2()
        >>> tf.compat.v1.control_flow_v2_enabled()
        False
        >>> tf.compat.v1.enable_control_flow_v2()

    See also: `tf.compat.v1.enable_control_flow_v2`.
    """
    _enabled["control_flow_v2"] = False


def control_flow_v2_enabled() -> bool:
    """Return whether the control flow of TensorFlow 2 is wanted.

    Returns:
        True, unless `tf.compat.v1.disable_control_flow_v2` was called.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.control_flow_v2_enabled()
        True
    """
    return _enabled["control_flow_v2"]


def enable_tensor_equality() -> None:
    """Compare tensors by value, which tfpy always does.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.enable_tensor_equality()
        >>> (tf.constant([1, 2]) == tf.constant([1, 3])).numpy().tolist()
        [True, False]
    """


def enable_v2_tensorshape() -> None:
    """Return the sizes in a `tf.TensorShape` as integers, which tfpy always does.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.enable_v2_tensorshape()
        >>> tf.TensorShape([2, 3])[0]
        2
    """
