"""Readers of TensorFlow's graphs, in Protocol Buffers and in TensorFlow.js's JSON."""
