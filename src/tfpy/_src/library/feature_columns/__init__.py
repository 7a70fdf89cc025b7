"""`tf.feature_column`: descriptions of the features of structured data."""
