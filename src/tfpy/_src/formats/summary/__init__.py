"""`tf.summary`: event files, which TensorBoard reads."""
