"""Files of models that others trained, and files that others read."""
