"""Options of `tf.saved_model.save` and `tf.saved_model.load`."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class VariablePolicy(enum.Enum):
    """The treatment of the devices and of the copies of Variables in a SavedModel.

    Programs of tfpy do not place Variables on devices by name, so the values have no effect.

    Attributes:
        NONE: Variables are saved without devices.
        SAVE_VARIABLE_DEVICES: Variables are saved with their devices.
        EXPAND_DISTRIBUTED_VARIABLES: The copies of distributed Variables are saved separately.

    Example:
        >>> import tfpy as tf
        >>> tf.saved_model.experimental.VariablePolicy.NONE.name
        'NONE'

    See also: `tf.saved_model.SaveOptions`.
    """

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    @classmethod
    def from_obj(cls, obj: Any) -> VariablePolicy:
        """Return the policy for a policy, its value, or None.

        Args:
            obj: Policy, value of a policy, or None.

        Returns:
            A `VariablePolicy`.

        Raises:
            ValueError: If there is no such policy.

        Example:
            >>> import tfpy as tf
            >>> tf.saved_model.experimental.VariablePolicy.from_obj(None).name
            'NONE'
        """
        if isinstance(obj, VariablePolicy):
            return obj
        key = str(obj).lower() if obj is not None else None
        for policy in cls:
            if policy.value == key:
                return policy
        raise ValueError(f"Received invalid VariablePolicy value: {obj}.")


class SaveOptions:
    """Options of `tf.saved_model.save`.

    Args:
        namespace_whitelist: Has no effect, because a model contains no operations of users.
        save_debug_info: Has no effect.
        function_aliases: Has no effect.
        experimental_debug_stripper: Has no effect.
        experimental_io_device: Has no effect.
        experimental_variable_policy: `tf.saved_model.experimental.VariablePolicy`, or its value.
        experimental_custom_gradients: If True, the custom gradients of functions are saved. If
            False, gradients of a function that tfpy loads follow from its operations.
        experimental_image_format: Must be False.
        experimental_skip_saver: Has no effect.
        experimental_sharding_callback: Has no effect.
        extra_tags: Tags of the model in addition to `"serve"`. Default: none.

    Raises:
        ValueError: If `experimental_image_format` is True, or if there is no such policy.

    Example:
        >>> import tfpy as tf
        >>> options = tf.saved_model.SaveOptions(extra_tags=["tuned"])
        >>> tf.saved_model.save(tf.Module(), "tagged", options=options)

    See also: `tf.saved_model.save`.
    """

    def __init__(
        self,
        namespace_whitelist: Sequence[str] | None = None,
        save_debug_info: bool = False,
        function_aliases: Mapping[str, Callable[..., Any]] | None = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: VariablePolicy | str | None = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: object = None,
        extra_tags: Sequence[str] | None = None,
    ) -> None:
        if experimental_image_format:
            raise ValueError(
                "tfpy does not write SavedModels in the image format. Omit "
                "experimental_image_format."
            )
        self.namespace_whitelist = list(namespace_whitelist or [])
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = list(extra_tags or [])


class LoadOptions:
    """Options of `tf.saved_model.load`.

    Args:
        allow_partial_checkpoint: If True, Variables without a value in the file are allowed.
        experimental_io_device: Has no effect.
        experimental_skip_checkpoint: If True, the values of Variables are not loaded. They are
            zeros.
        experimental_variable_policy: Has no effect.
        experimental_load_function_aliases: Has no effect.

    Example:
        >>> import tfpy as tf
        >>> tf.saved_model.save(tf.Module(), "plain")
        >>> options = tf.saved_model.LoadOptions(allow_partial_checkpoint=True)
        >>> loaded = tf.saved_model.load("plain", options=options)

    See also: `tf.saved_model.load`.
    """

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: VariablePolicy | str | None = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_load_function_aliases = experimental_load_function_aliases
