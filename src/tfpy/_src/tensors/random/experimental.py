"""The names of `tf.random.experimental` for stateless functions."""

from tfpy._src.tensors.random import stateless

stateless_fold_in = stateless.fold_in
stateless_split = stateless.split
