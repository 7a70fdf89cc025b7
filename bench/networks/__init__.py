"""Networks that the benchmark runs, for any module with TensorFlow's names."""
