"""Names of TensorFlow that Keras defines, for type checkers and editors.

`test_editors.py` compares the types with the comments, and `build.py check` runs mypy.
"""

from __future__ import annotations

import tfpy as tf

tf.keras.Sequential([tf.keras.layers.Dense(3)])  # Sequential
tf.keras.layers.Dense(3)  # Dense
tf.optimizers.Adam(0.1)  # Adam
tf.metrics.MeanSquaredError()  # MeanSquaredError
tf.initializers.GlorotUniform()  # GlorotUniform
tf.losses.Huber()  # Huber
tf.losses.compute_weighted_loss([1.0])  # Tensor
