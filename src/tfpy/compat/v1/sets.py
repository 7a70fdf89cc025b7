"""`tf.compat.v1.sets`: the functions of `tf.sets` under older names."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.
