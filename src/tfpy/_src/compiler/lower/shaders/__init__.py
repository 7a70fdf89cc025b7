"""The common parts of the lowerings to shaders: WebGL2 fragments and WebGPU compute kernels.

`expression.py` writes an expression over arrays in a shading language (`language.py`). `library.py`
finds the definitions of the templates' library that a kernel uses. `kernels.py` defines the steps
of named kernels that are one template with one output per position; `steps.py` defines such steps.
Products, convolutions and other device-specific kernels are in the folders of the devices.
"""
