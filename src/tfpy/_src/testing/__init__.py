"""`tf.test`: test cases with assertions about tensors, numeric gradients, and benchmarks."""
