"""Namespaces on top: image, strings, sparse, lookup, io, debugging, profiler, config, ctc, and the
names of TensorFlow.js (tfjs) and TensorFlow 1 (compat)."""
