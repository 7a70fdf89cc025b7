"""``tf.distribute`` for the one device that a page has."""
