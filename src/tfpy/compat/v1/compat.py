"""`tf.compat.v1.compat`: conversions between str and bytes."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.
