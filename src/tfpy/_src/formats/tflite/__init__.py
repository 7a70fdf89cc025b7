"""TFLite models, read."""
