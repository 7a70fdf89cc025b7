"""Readers and writers for model files of TensorFlow, TensorFlow.js, ONNX and TFLite, including the
operations of each format; exported programs; and `tf.raw_ops`."""
