"""The reader of GGUF files, which contain the weights and tokenizers of language models."""
