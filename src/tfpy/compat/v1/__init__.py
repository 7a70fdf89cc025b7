"""`tf.compat.v1`: functions and classes of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.core.dimension import Dimension as Dimension
from tfpy._src.core.tensor_shape import TensorShape as TensorShape
from tfpy._src.functions.control.mapping import (
    foldl as foldl,
    foldr as foldr,
    map_fn as map_fn,
    scan as scan,
)
from tfpy._src.library.compat.control import cond as cond, while_loop as while_loop
from tfpy._src.library.compat.functions import (
    assign as assign,
    assign_add as assign_add,
    assign_sub as assign_sub,
    boolean_mask as boolean_mask,
    gather as gather,
    gather_nd as gather_nd,
    pad as pad,
    sparse_concat as sparse_concat,
    where as where,
)
from tfpy._src.library.compat.initializers import (
    random_normal_initializer as random_normal_initializer,
    random_uniform_initializer as random_uniform_initializer,
)
from tfpy._src.tensors.autodiff.graph_gradients import gradients as gradients
from tfpy.compat.v1 import losses as losses, math as math, nn as nn, train as train
