"""``tf.random.experimental``: older names of stateless functions."""

from tfpy._src.tensors.random import stateless

stateless_fold_in = stateless.fold_in
stateless_split = stateless.split
