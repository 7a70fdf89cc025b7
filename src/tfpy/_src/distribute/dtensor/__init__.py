"""Tensors that are sharded over a mesh of devices according to layouts (`tf.experimental.dtensor`).

A DTensor is an ordinary tensor whose bytes are on several devices of the jax backend; XLA shards
computations on it. On other backends, the whole tensor is on one device, and a mesh consists of the
logical devices into which the CPU is divided.
"""
