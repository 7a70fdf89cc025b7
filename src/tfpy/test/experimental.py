"""`tf.test.experimental`: waiting for devices."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.testing.environment import sync_devices as sync_devices
