"""The site's packages for Keras."""
