"""A program with statements of each class that ``build.py program-tests`` prints."""

import os

import tensorflow as tf

x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
print(tf.reduce_sum(x))


@tf.function
def squared(a):
    if tf.reduce_sum(a) > 0.0:
        return a * a
    return a


tf.reduce_mean(squared(x))
noise = os.urandom(8)
sizes = tf.size(x, out_type=tf.int64)
different = "tfpy" if hasattr(tf, "browser") else "TensorFlow"
