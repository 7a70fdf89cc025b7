"""TensorFlow's graphs, SavedModels, and checkpoint files."""
