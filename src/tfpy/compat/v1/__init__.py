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
    constant_initializer as constant_initializer,
    ones_initializer as ones_initializer,
    random_normal_initializer as random_normal_initializer,
    random_uniform_initializer as random_uniform_initializer,
    truncated_normal_initializer as truncated_normal_initializer,
    zeros_initializer as zeros_initializer,
)
from tfpy._src.library.compat.matrix_initializers import (
    orthogonal_initializer as orthogonal_initializer,
)
from tfpy._src.library.compat.scaled_initializers import (
    glorot_normal_initializer as glorot_normal_initializer,
    glorot_uniform_initializer as glorot_uniform_initializer,
    uniform_unit_scaling_initializer as uniform_unit_scaling_initializer,
    variance_scaling_initializer as variance_scaling_initializer,
)
from tfpy._src.tensors.autodiff.graph_gradients import gradients as gradients
from tfpy.compat.v1 import (
    initializers as initializers,
    losses as losses,
    math as math,
    nn as nn,
    train as train,
)
