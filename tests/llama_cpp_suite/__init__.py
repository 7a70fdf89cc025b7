"""Language models in GGUF files, compared with llama.cpp: `build.py llama-cpp-tests`."""
