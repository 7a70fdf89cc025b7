"""Reader and writer of TensorFlow's checkpoint files: an index and shards of bytes."""
