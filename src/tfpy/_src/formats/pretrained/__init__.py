"""Models of KerasHub in GGUF files, in folders of Hugging Face, and with adapters of PEFT."""
