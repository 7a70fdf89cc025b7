"""The backends cpu, wasm, webgl, webgpu and jax, their selection and settings, storage of tensors and
errors of memory, and the connection to JavaScript with facts about the page and browser."""
