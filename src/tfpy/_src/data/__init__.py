"""`tf.data`: datasets, their iterators, and the nodes that produce elements."""
