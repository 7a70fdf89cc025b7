"""`tf.types.experimental`: values that functions accept, and the class of compiled functions."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.core.typing import TensorLike as TensorLike
from tfpy._src.functions.tf_function.concrete import ConcreteFunction as ConcreteFunction
from tfpy._src.functions.tf_function.interfaces import (
    Callable as Callable,
    GenericFunction as GenericFunction,
    PolymorphicFunction as PolymorphicFunction,
)
from tfpy.types.experimental import distributed as distributed

if _typing.TYPE_CHECKING:
    from tfpy._src.checkpoints.saved_models.function_graph import FunctionType as FunctionType

_LATER = {
    "FunctionType": "tfpy._src.checkpoints.saved_models.function_graph",
}
