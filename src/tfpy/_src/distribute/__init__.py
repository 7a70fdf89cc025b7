"""Devices, strategies and replicas (`tf.distribute`), and meshes (`tf.experimental.dtensor`)."""
