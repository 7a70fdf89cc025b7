"""``tf.bitwise``: exported from the op table."""
