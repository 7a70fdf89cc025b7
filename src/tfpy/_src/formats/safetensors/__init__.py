"""Safetensors files, which contain named arrays."""
