"""Models of GGUF files and of folders of Hugging Face as models of KerasHub."""
