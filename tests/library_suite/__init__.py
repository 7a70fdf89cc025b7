"""``build.py libraries``: tests of libraries for TensorFlow, run on TensorFlow and on tfpy."""
