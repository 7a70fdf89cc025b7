"""The packages that the site has for Keras."""
