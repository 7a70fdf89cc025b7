"""GGUF files, which contain the weights and tokenizers of language models."""
