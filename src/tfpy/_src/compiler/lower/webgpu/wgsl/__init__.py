"""The texts of compute kernels, WGSL.

``language.py`` has the words, ``shader.py`` puts a whole kernel together, with what it uses of
``library.py``.
"""
