"""``tf.experimental.dtensor``: tensors that are spread over a mesh of devices, by their layouts.

A DTensor is an ordinary tensor whose bytes lie on several devices of a backend that has them;
what is computed of it is spread by that backend's compiler. On the others a mesh has one device.
"""
