"""`tf.math.special`: Bessel functions of all kinds, and integrals without a closed form."""
