"""What the lowerings to shaders share: WebGL2's fragments and WebGPU's compute kernels.

``expression.py`` writes an expression over arrays in the words of a shading language
(``language.py``), ``library.py`` finds what a kernel's text uses of the templates' library, and
``kernels.py`` has the steps of each named kernel that is one template with an output for each
position; ``steps.py`` is what such a step is. Products, convolutions and what else a device does in
a way of its own stand with the device.
"""
