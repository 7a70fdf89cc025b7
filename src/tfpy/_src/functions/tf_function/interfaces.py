"""`tf.types.experimental`: the classes of compiled functions, for annotations and `isinstance`."""

from __future__ import annotations

from tfpy._src.functions.tf_function.concrete import ConcreteFunction as ConcreteFunction
from tfpy._src.functions.tf_function.polymorphic import Function

PolymorphicFunction = Function
"""Class of the results of `tf.function`."""

GenericFunction = Function
"""Former name of `PolymorphicFunction`."""
