"""``tf.autograph.experimental``."""

from tfpy.autograph.marks import do_not_convert

__all__ = ["do_not_convert"]
