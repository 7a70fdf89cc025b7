"""``tf.function`` and control flow."""
