"""The translation of numeric functions in `shaders/wgsl/library`, which are written once, to GLSL.

They use only features that the languages share, except for the spelling of types, declarations and
a few built-in functions. A `let` or `var` without a type is a float.
"""

from __future__ import annotations

import re

_TYPES = {"f32": "float", "i32": "int", "u32": "uint", "vec4<f32>": "vec4"}
_DECLARATION = re.compile(r"\b(?:let|var) (\w+)(?:: (\w+))? = ")
_FUNCTION = re.compile(r"^fn (\w+)\((.*?)\) -> (\S+) \{", re.MULTILINE)
_PARAMETER = re.compile(r"(\w+): (\S+)")
_STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_MEMBER = re.compile(r"(\w+): (\w+),")
_ARRAY = re.compile(r"^const (\w+) = array<(\w+), (\d+)>", re.MULTILINE)
_CALLS = {
    "bitcast<f32>(": "as_float(",
    "bitcast<i32>(": "floatBitsToInt(",
    "bitcast<u32>(": "floatBitsToUint(",
}
"""`as_float` and `select` are functions of the GLSL library."""


def from_wgsl(text: str) -> str:
    """Return the same definitions in GLSL."""
    text = _STRUCT.sub(lambda m: f"struct {m[1]} {{\n{_MEMBER.sub(_member, m[2])}}};", text)
    text = _FUNCTION.sub(_function, text)
    text = _ARRAY.sub(lambda m: f"const {_glsl(m[2])} {m[1]}[{m[3]}] = {_glsl(m[2])}[{m[3]}]", text)
    text = _DECLARATION.sub(lambda m: f"{_glsl(m[2] or 'f32')} {m[1]} = ", text)
    for name, glsl in _CALLS.items():
        text = text.replace(name, glsl)
    return re.sub(r"\b(?:vec4<f32>|[fiu]32\b)", lambda m: _TYPES[m[0]], text)


def _glsl(kind: str) -> str:
    return _TYPES.get(kind, kind)


def _member(match: re.Match[str]) -> str:
    return f"{_glsl(match[2])} {match[1]};"


def _function(match: re.Match[str]) -> str:
    parameters = [
        f"{_glsl(kind)} {x}" for x, kind in _PARAMETER.findall(match[2].replace(",", " "))
    ]
    return f"{_glsl(match[3])} {match[1]}({', '.join(parameters)}) {{"
