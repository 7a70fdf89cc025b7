"""Keras's own tests on tfpy: ``build.py keras-tests``, a sample of them here and in browsers."""
