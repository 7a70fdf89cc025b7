"""`tf.compat.v1.dtypes`: dtypes, and functions that convert to them."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.
