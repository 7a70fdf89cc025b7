"""`tf.compat.v1.gfile`: the functions of `tf.io.gfile` under older names."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.
