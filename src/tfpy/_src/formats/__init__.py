"""Readers and writers for model files of TensorFlow, TensorFlow.js, ONNX and TFLite with their
encodings and operations, exported programs, and `tf.raw_ops`."""
