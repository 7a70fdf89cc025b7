"""Readers and writers of TensorFlow.js's files."""
