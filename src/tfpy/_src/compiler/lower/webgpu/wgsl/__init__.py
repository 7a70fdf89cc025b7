"""The generation of compute kernels in WGSL.

`language.py` defines the language. `shader.py` assembles a whole kernel, with the definitions that
it uses from `library.py`.
"""
