"""Functions of `tf.nn` that few networks use, such as isotonic regression and volume patches."""
