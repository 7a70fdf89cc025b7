"""Sessions with hooks: `MonitoredSession`, its scaffold and the hooks of `tf.compat.v1.train`."""
