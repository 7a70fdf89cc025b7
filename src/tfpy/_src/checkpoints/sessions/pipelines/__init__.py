"""Input pipelines of TensorFlow 1: queues that runners fill, batches, and readers of files."""
