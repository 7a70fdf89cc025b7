"""Keras's own tests on tfpy: ``build.py keras-tests``, and a sample here and in browsers."""
