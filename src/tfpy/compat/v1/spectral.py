"""`tf.compat.v1.spectral`: the Fourier transforms of `tf.signal`."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.
