"""Devices (also the functions of `tf.config` for devices and their memory), strategies and replicas
(`tf.distribute`), and meshes (`tf.experimental.dtensor`)."""
