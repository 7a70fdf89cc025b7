"""Namespaces built on tensor functions: image, strings, sparse, lookup, io, debugging, profiler,
config and ctc, samplers of classes (candidates), and the names of TensorFlow.js (tfjs) and
TensorFlow 1 (compat)."""
