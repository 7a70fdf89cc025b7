"""TFLite: its files as node lists, and its operations."""
