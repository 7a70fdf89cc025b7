"""`tf.data`: datasets, iterators, and the pipeline nodes that produce their elements."""
