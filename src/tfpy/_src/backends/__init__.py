"""Backends (cpu, wasm, webgl, webgpu, jax), their registry, tensor storage, and JavaScript."""
