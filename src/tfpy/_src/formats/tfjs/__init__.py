"""Models of TensorFlow.js: layers-models and graph-models, read and written."""
