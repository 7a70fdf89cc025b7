"""The reader of TFLite models."""
