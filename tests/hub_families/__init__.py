"""Small models of each family of KerasHub, on TensorFlow and on tfpy: ``build.py hub-families``."""
