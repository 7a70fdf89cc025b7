"""The texts of fragment shaders, GLSL ES 3.00.

``expression.py`` writes an expression over arrays in the words of ``language.py``, ``shader.py``
puts a whole shader together, with what it uses of ``library.py``.
"""
