"""The lowering from a Graph to the Program that a device runs.

Every backend shares the first half. `buffers.py` assigns buffers to values. `calls.py` finds the
call of each equation: an expression over arrays or a named kernel. `split_complex.py` and
`compose.py` help with complex numbers and fusions.

The second half is a folder per backend and makes steps of these calls: `webgl/` writes shaders,
`wasm/` writes bytecode for expressions. Finally, `donation_plan.py` and `memory.py` save memory.
The result is a Program (`program.py`). Passes ask a backend's `target.py` before they fuse
equations.

Another backend, like WebGPU, shares all files of this folder. Its own folder contains the same
parts as `webgl/`: a language (of `render.py`) and its shaders, the steps of each kernel, and a
target.
"""
