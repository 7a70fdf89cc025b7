"""`tf.queue`: queues of tuples of tensors."""
