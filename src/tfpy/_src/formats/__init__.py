"""Readers and writers for model files of TensorFlow, TensorFlow.js, ONNX and TFLite with their
encodings and operations, and for GGUF and safetensors files, exported programs, and
`tf.raw_ops`."""
