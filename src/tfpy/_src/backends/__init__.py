"""The backends cpu, wasm, webgl, webgpu and jax, their registry, the storage of tensors and errors
of memory, and the connection to JavaScript, including facts about the page and the browser."""
