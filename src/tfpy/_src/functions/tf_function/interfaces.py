"""`tf.types.experimental`: the class of compiled functions, for annotations and `isinstance`."""

from __future__ import annotations

from typing import Any

from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.polymorphic import Function

PolymorphicFunction = Function
"""Class of the results of `tf.function`."""

GenericFunction = Function
"""Former name of `PolymorphicFunction`."""

Callable: Any = Function | ConcreteFunction
"""Classes of functions that can be called with tensors, for `isinstance`."""
