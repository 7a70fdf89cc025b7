"""`tf.compat.v1.manip`: functions of `tf` that move the elements of tensors."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.
