"""The reader of TFLite files, and the implementations of their operations."""
