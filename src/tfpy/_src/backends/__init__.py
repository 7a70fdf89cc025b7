"""Backends (cpu, wasm, webgl, webgpu, jax), the registry that opens them, the storage of tensors
and the bridge to JavaScript."""
