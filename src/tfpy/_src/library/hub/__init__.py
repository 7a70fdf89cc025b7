"""A store of model files, which are downloaded once: `tf.hub`."""
