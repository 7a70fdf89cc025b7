"""Keras's epsilons on a device that stores float16."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import tfpy
tfpy.as_tensorflow(replace=True)
import keras, numpy as np
import tensorflow as tf

def trained(optimizer):
    v = keras.Variable([1.0])
    for _ in range(2):
        optimizer.apply([tf.constant([3e-9])], [v])
    return float(v.numpy()[0])

adam = keras.optimizers.Adam(0.1)
assert keras.config.epsilon() == keras.backend.epsilon() == 1e-7
before = trained(adam)
worst = keras.losses.binary_crossentropy([[1.0]], [[0.0]]).numpy()
assert 15 < worst[0] < 17

tf.backend().stores_float16 = True
assert keras.config.epsilon() == keras.backend.epsilon() == 1e-4
keras.config.set_epsilon(1e-3)
assert keras.config.epsilon() == 1e-3
keras.config.set_epsilon(1e-7)
assert 9 < keras.losses.binary_crossentropy([[1.0]], [[0.0]]).numpy()[0] < 10
found = keras.optimizers.Adam(0.1)
after = trained(found)
assert 1 - after < (1 - before) / 100, (before, after)  # 1e-4 in place of 1e-7
assert found.epsilon == found.get_config()["epsilon"] == 1e-7  # as the program said
found.epsilon = 0.5
assert found.epsilon == 0.5
assert not hasattr(keras.optimizers.SGD(), "epsilon")
restored = keras.optimizers.Adam.from_config(found.get_config())
assert restored.epsilon == 0.5
"""


def test_they_follow_the_device() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
