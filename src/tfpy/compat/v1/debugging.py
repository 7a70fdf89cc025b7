"""`tf.compat.v1.debugging`: checks of values, with the arguments of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.
