"""Linear operators. Importing the package enters the rules for their products, and the functions
of `tf.linalg` that accept operators."""

from tfpy._src.library.linear_operators import (
    closed_forms as closed_forms,
    dispatched as dispatched,
)
