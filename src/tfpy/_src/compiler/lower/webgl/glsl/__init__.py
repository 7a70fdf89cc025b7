"""The generation of fragment shaders in GLSL ES 3.00.

`expression.py` writes an expression over arrays with `language.py`. `shader.py` assembles a whole
shader, with the definitions that it uses from `library.py`.
"""
