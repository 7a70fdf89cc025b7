"""The networks of the benchmark, for any module with TensorFlow's names."""
