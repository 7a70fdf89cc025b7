"""Collections of a graph: lists of Variables, losses and other objects by name."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from typing import Any


class GraphKeys:
    """Names of the collections that functions of TensorFlow 1 use.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.GraphKeys.TRAINABLE_VARIABLES
        'trainable_variables'

    See also: `tf.compat.v1.get_collection`.
    """

    ACTIVATIONS = "activations"
    ASSET_FILEPATHS = "asset_filepaths"
    BIASES = "biases"
    CONCATENATED_VARIABLES = "concatenated_variables"
    COND_CONTEXT = "cond_context"
    EVAL_STEP = "eval_step"
    GLOBAL_STEP = "global_step"
    GLOBAL_VARIABLES = "variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    LOCAL_RESOURCES = "local_resources"
    LOCAL_VARIABLES = "local_variables"
    LOSSES = "losses"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    QUEUE_RUNNERS = "queue_runners"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    READY_OP = "ready_op"
    REGULARIZATION_LOSSES = "regularization_losses"
    RESOURCES = "resources"
    SAVEABLE_OBJECTS = "saveable_objects"
    SAVERS = "savers"
    SUMMARIES = "summaries"
    SUMMARY_OP = "summary_op"
    TABLE_INITIALIZERS = "table_initializer"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    TRAIN_OP = "train_op"
    UPDATE_OPS = "update_ops"
    VARIABLES = "variables"
    WEIGHTS = "weights"
    WHILE_CONTEXT = "while_context"


class Collections:
    """The methods of a graph for its collections."""

    collections: dict[Hashable, list[Any]]

    def add_to_collection(self, name: Hashable, value: Any) -> None:
        """Append an object to a collection.

        Args:
            name: Name of the collection, such as an attribute of `tf.compat.v1.GraphKeys`.
            value: Object.
        """
        self.collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Append an object to several collections.

        Args:
            names: Name of a collection, or an iterable of names.
            value: Object.
        """
        is_one = isinstance(names, str) or not isinstance(names, Iterable)
        for name in [names] if is_one else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection(self, name: Hashable, scope: str | None = None) -> list[Any]:
        """Return the objects of a collection.

        Args:
            name: Name of the collection.
            scope: Regular expression. Only objects whose names begin with a match are returned.
                Default: all objects.

        Returns:
            List, which can be changed without an effect on the graph.
        """
        found = self.collections.get(name, [])
        if scope is None:
            return [*found]
        pattern = re.compile(scope)
        return [x for x in found if hasattr(x, "name") and pattern.match(x.name)]

    def get_collection_ref(self, name: Hashable) -> list[Any]:
        """Return the list of a collection itself.

        Args:
            name: Name of the collection.

        Returns:
            List. Changes of the list change the collection.
        """
        return self.collections.setdefault(name, [])

    def clear_collection(self, name: Hashable) -> None:
        """Remove the objects of a collection.

        Args:
            name: Name of the collection.
        """
        self.collections.pop(name, None)

    def get_all_collection_keys(self) -> list[Hashable]:
        """Return the names of the collections that contain objects.

        Returns:
            List of names.
        """
        return [name for name in self.collections if isinstance(name, str)]
