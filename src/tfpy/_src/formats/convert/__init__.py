"""The command `python -m tfpy.convert`, and `tf.models.convert`."""
