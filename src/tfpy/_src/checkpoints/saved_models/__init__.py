"""SavedModels: `tf.saved_model.save` and `tf.saved_model.load`."""
