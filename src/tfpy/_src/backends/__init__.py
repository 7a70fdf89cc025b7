"""The backends cpu, wasm, webgl, webgpu and jax, their selection and settings, the storage of
tensors, out-of-memory errors, and the connection to JavaScript, the page and the browser."""
