"""`tf.train.TrackableView`: the objects that an object holds."""

from __future__ import annotations

import weakref
from typing import Any

from tfpy._src.checkpoints.objects import children, is_trackable


class TrackableView:
    """A view of the objects that checkpoints and SavedModels find in an object.

    Args:
        root: First object, such as a `tf.Module` or a Keras model, or a weak reference to it.

    Example:
        >>> import tfpy as tf
        >>> module = tf.Module()
        >>> module.layer = tf.Module()
        >>> module.layer.w = tf.Variable([1.0])
        >>> view = tf.train.TrackableView(module)
        >>> list(view.children(module)), len(view.descendants())
        (['layer'], 3)

    See also: `tf.train.Checkpoint`, `tf.saved_model.save`.
    """

    def __init__(self, root: Any) -> None:
        self._root = root if isinstance(root, weakref.ref) else weakref.ref(root)

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Return the objects that an object holds.

        Args:
            obj: The object.
            save_type: `"checkpoint"` or `"savedmodel"`.
            **kwargs: Have no effect.

        Returns:
            A dict from attribute names to objects.

        Example:
            >>> import tfpy as tf
            >>> module = tf.Module()
            >>> module.w = tf.Variable(1.0)
            >>> list(tf.train.TrackableView.children(module))
            ['w']
        """
        return children(obj)

    @property
    def root(self) -> Any:
        """First object."""
        return self._root()

    def descendants(self) -> list[Any]:
        """Return the root and all objects that are reachable from it, in breadth-first order.

        Returns:
            A list of objects.

        Example:
            >>> import tfpy as tf
            >>> len(tf.train.TrackableView(tf.Module()).descendants())
            1
        """
        found = [self.root]
        seen = {id(found[0])}
        for holder in found:
            for value in self.children(holder).values():
                if id(value) not in seen and is_trackable(value):
                    seen.add(id(value))
                    found.append(value)
        return found
