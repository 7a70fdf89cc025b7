"""Concatenations of parts of one array."""

from __future__ import annotations

import pytest
from passes.fusing import kinds
from passes.sketch import Sketch, check

from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.lower import wasm, webgl, webgpu
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.passes.concatenations import replace_concatenations
from tfpy._src.compiler.passes.pipeline import optimize


def half(s: Sketch, x: int, axis: int, number: int, sign: int = 1) -> int:
    """Return a half of an array."""
    shape = s.graph.avals[x].shape
    size = tuple(n // 2 if i == axis else n for i, n in enumerate(shape))
    begin = tuple(number * n if i == axis else 0 for i, n in enumerate(size))
    cut = s("strided_slice", x, begin=begin, size=size, strides=(1,) * len(shape))
    return cut if sign == 1 else s("negative", cut)


def names(s: Sketch, value: int) -> list[str]:
    return [eqn.op.name for eqn in check(s.returns(value), replace_concatenations).eqns]


@pytest.mark.parametrize("signs", [(1, 1), (-1, 1), (1, -1), (-1, -1)])
@pytest.mark.parametrize(("shape", "axis"), [((8,), 0), ((3, 8), 1), ((2, 6, 5), 1), ((4, 3), 0)])
def test_exchanged_halves(shape: Shape, axis: int, signs: tuple[int, int]) -> None:
    s = Sketch(shape)
    halves = half(s, 0, axis, 1, signs[0]), half(s, 0, axis, 0, signs[1])
    assert "concat" not in names(s, s("concat", *halves, axis=axis))


def test_stacked_halves() -> None:
    """Test halves that are joined along a new axis, as in KerasHub."""
    s = Sketch((2, 3, 8))
    halves = (half(s, 0, 2, 1, -1), half(s, 0, 2, 0))
    stacked = [s("reshape", value, shape=(2, 3, 1, 4)) for value in halves]
    assert "concat" not in names(s, s("concat", *stacked, axis=2))


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_copies(axis: int, count: int) -> None:
    s = Sketch((2, 3, 5))
    assert names(s, s("concat", *[0] * count, axis=axis)).count("broadcast_to") == 1


def others() -> dict[str, Sketch]:
    """Return Graphs that stay as they are. The last value is their output."""
    found = {}
    for name, numbers in {"in order": (0, 1), "the same half": (1, 1)}.items():
        s = found[name] = Sketch((4, 8))
        pieces = [
            half(s, 0, 1, number, sign) for number, sign in zip(numbers, (-1, 1), strict=True)
        ]
        s("concat", *pieces, axis=1)
    s = found["two arrays"] = Sketch((4, 8), (4, 8))
    s("concat", half(s, 0, 1, 1), half(s, 1, 1, 0), axis=1)
    s = found["another axis"] = Sketch((4, 8))
    s("concat", half(s, 0, 1, 1), half(s, 0, 1, 0), axis=0)
    s = found["two axes"] = Sketch((8, 8))
    pieces = [half(s, half(s, 0, 0, number), 1, number) for number in (1, 0)]
    s("concat", *pieces, axis=1)
    s = found["thirds"] = Sketch((4, 9))
    cuts = [
        s("strided_slice", 0, begin=(0, begin), size=(4, size), strides=(1, 1))
        for begin, size in ((3, 6), (0, 3))
    ]
    s("concat", *cuts, axis=1)
    return found


@pytest.mark.parametrize("name", others())
def test_other_concatenations(name: str) -> None:
    s = others()[name]
    graph = s.returns(s.graph.eqns[-1].outputs[0])
    assert check(graph, replace_concatenations) is graph


@pytest.mark.parametrize(
    "target", [wasm.target.WasmTarget(), webgl.WebGLTarget(), webgpu.WebGPUTarget()]
)
def test_rotary_embeddings_are_one_kernel(target: Target) -> None:
    s = Sketch((1, 3, 9, 64), (1, 3, 1, 32))
    angles = s("concat", 1, 1, axis=3)
    turned = s("concat", half(s, 0, 3, 1, -1), half(s, 0, 3, 0), axis=3)
    products = s("multiply", 0, s("cos", angles)), s("multiply", turned, s("sin", angles))
    graph = optimize(s.returns(s("add", *products)), target)
    assert [name.split("(")[0] for name in kinds(graph) if name != "reshape"] == ["loop"]
