"""Backends (cpu, wasm, webgl, webgpu, jax), their registry, tensor storage, and the bridge to
JavaScript.
"""
