"""The reader of safetensors files, which contain named arrays."""
