"""Readers and writers for model files of TensorFlow, TensorFlow.js, ONNX and TFLite, exported
programs, and `tf.raw_ops`."""
