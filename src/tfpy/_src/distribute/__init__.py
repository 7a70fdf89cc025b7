"""Devices, strategies and replicas (``tf.distribute``); tensors on meshes of devices
(``tf.experimental.dtensor``)."""
