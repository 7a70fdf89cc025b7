"""The backends cpu, wasm, webgl, webgpu and jax, their selection and settings, the storage of
tensors, errors of memory, and the connection to JavaScript, page and browser."""
