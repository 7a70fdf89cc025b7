"""Models in files: TensorFlow, TensorFlow.js, ONNX and TFLite, read and written; exported
programs; ``tf.raw_ops``."""
