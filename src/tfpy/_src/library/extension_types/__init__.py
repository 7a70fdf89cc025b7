"""`tf.experimental.ExtensionType`: classes of values with fields that contain tensors."""
