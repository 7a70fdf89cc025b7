"""TensorFlow's own tests and programs for TensorFlow, run with TensorFlow and with tfpy.

``build.py tensorflow-tests`` and ``build.py program-tests`` run them.
"""
