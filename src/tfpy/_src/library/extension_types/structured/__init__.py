"""`tf.experimental.StructuredTensor`, with its versions of functions."""

from tfpy._src.library.extension_types.structured import dispatch as _dispatch  # noqa: F401
