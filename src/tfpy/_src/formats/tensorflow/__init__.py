"""TensorFlow's graphs, SavedModels and the files of checkpoints."""
