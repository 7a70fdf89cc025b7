"""Library functions written in WGSL, translated to GLSL."""

from __future__ import annotations

import re

import pytest

from tfpy._src.compiler.lower.shaders.library import template
from tfpy._src.compiler.lower.webgl.glsl.library import SHARED, from_wgsl


def test_functions_and_declarations() -> None:
    text = """\
fn half(x: f32, n: i32) -> f32 {
    let a = x * 0.5;
    var bits: u32 = bitcast<u32>(a) >> 1u;
    for (var i: i32 = 0; i < n; i++) { bits += u32(i); }
    return select(a, bitcast<f32>(bits), bitcast<i32>(x) < 0);
}"""
    assert (
        from_wgsl(text)
        == """\
float half(float x, int n) {
    float a = x * 0.5;
    uint bits = floatBitsToUint(a) >> 1u;
    for (int i = 0; i < n; i++) { bits += uint(i); }
    return select(a, as_float(bits), floatBitsToInt(x) < 0);
}"""
    )


def test_structures_arrays_and_vectors() -> None:
    assert from_wgsl("struct Pair {\n    x: f32,\n    n: i32,\n}") == (
        "struct Pair {\n    float x;\n    int n;\n};"
    )
    assert from_wgsl("const T = array<u32, 2>(1u, 2u);") == "const uint T[2] = uint[2](1u, 2u);"
    assert from_wgsl("fn f(x: vec4<f32>) -> vec4<f32> { return vec4<f32>(x.x); }") == (
        "vec4 f(vec4 x) { return vec4(x.x); }"
    )


@pytest.mark.parametrize("name", SHARED)
def test_nothing_of_wgsl_is_left(name: str) -> None:
    text = from_wgsl(template("wgsl", f"library/{name}"))
    assert not re.findall(r"\b(?:fn|let|var|[fiu]32|bitcast|array)\b|->", text)
