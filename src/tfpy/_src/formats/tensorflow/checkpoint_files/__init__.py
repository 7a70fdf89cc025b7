"""The files of TensorFlow's checkpoints: an index and shards of bytes."""
