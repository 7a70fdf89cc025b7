"""The kernel "attention": operands with strides, blocks of rows, rejected steps."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from passes.attention import attend

from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.kernel import KernelCall

from .node_process import RuntimeFailed
from .node_runtime import NodeRuntime

Array = np.ndarray[Any, Any]
Sizes = tuple[int, int, int, int, int, int]


def strides_of(sizes: tuple[int, ...], order: str) -> tuple[int, ...]:
    """Return the strides of a dense array with the dimensions "oirc" in this order."""
    strides, size = dict[str, int](), 1
    for axis in reversed(order):
        strides[axis] = size
        size *= sizes["oirc".index(axis)]
    return tuple(strides[axis] for axis in "oirc")


def call_of(
    rng: np.random.Generator, sizes: Sizes, order: str = "oric", **more: Any
) -> tuple[KernelCall, list[Array], Aval]:
    """Return a call with its operands. More parameters may replace the default ones."""
    outer, inner, m, n, depth, width = sizes
    shapes = {"q": (m, depth), "k": (n, depth), "v": (n, width)}
    names = [*"qkv"]
    if more.get("masked") == "true":
        shapes["mask"] = (m, n)
        names.append("mask")
    params: dict[str, Any] = dict(
        zip(("outer", "inner", "m", "n", "depth", "width"), sizes, strict=True)
    )
    params |= {"masked": "false", "scaling": "none"}
    params["factor_bits"] = int(np.float32(0.3).view(np.int32))
    for name, shape in {**shapes, "out": (m, width)}.items():
        params[f"{name}_strides"] = strides_of((outer, inner, *shape), order)
    arrays = [
        rng.normal(size=outer * inner * np.prod(shapes[name])).astype(np.float32) for name in names
    ]
    if more.get("scaling", "none") != "none":
        names.append("scale")
        arrays.append(np.array([0.7], np.float32))
    call = KernelCall("attention", tuple(names), params | more)
    return call, arrays, Aval((outer * inner * m * width,), ex.F)


def check(runtime: NodeRuntime, call: KernelCall, arrays: list[Array], out: Aval) -> None:
    got = runtime.run_kernel(call, arrays, out)
    operands = {x: a.astype(np.float64) for x, a in zip(call.inputs, arrays, strict=True)}
    np.testing.assert_allclose(got, attend(dict(call.params), operands), 1e-4, 1e-5)


@pytest.mark.parametrize(
    "sizes",
    [
        (1, 1, 1, 1, 1, 1),
        (2, 3, 5, 7, 4, 6),
        (1, 2, 128, 128, 64, 64),
        (1, 1, 700, 300, 9, 5),  # several blocks
        (1, 1, 50, 4000, 3, 11),  # sums in several parts
        (3, 1, 25, 33, 300, 17),
    ],
)
@pytest.mark.parametrize("order", ["oirc", "oric", "roic"])
def test_strides(sizes: Sizes, order: str, runtime: NodeRuntime, rng: np.random.Generator) -> None:
    check(runtime, *call_of(rng, sizes, order))


@pytest.mark.parametrize("scaling", ["none", "multiply", "divide"])
@pytest.mark.parametrize("order", ["oirc", "oicr"])
def test_masks_and_scales(
    scaling: str, order: str, runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    sizes = (2, 3, 40, 21, 8, 12)
    strides = strides_of((2, 3, 40, 21), order)
    call = call_of(rng, sizes, masked="true", scaling=scaling, mask_strides=strides)
    check(runtime, *call)


def test_what_is_broadcast_or_turned(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    more = {
        "mask_strides": (0, 0, 0, 1),
        "k_strides": (0, 21 * 8, 1, 21),
        "v_strides": (0, 0, 1, 21),
    }
    call, arrays, out = call_of(rng, (2, 3, 40, 21, 8, 12), masked="true", **more)
    check(runtime, call, arrays, out)


@pytest.mark.parametrize("m", [1, 3, 40])
@pytest.mark.parametrize("group", [1, 4])
@pytest.mark.parametrize(("n", "depth", "width"), [(21, 8, 12), (4, 5, 7), (530, 64, 64)])
def test_shared_keys_and_rows_that_see_none(
    m: int,
    group: int,
    n: int,
    depth: int,
    width: int,
    runtime: NodeRuntime,
    rng: np.random.Generator,
) -> None:
    heads = 8
    more: dict[str, Any] = {
        "k_strides": strides_of((2, heads // group, n, depth), "oric"),
        "v_strides": strides_of((2, heads // group, n, width), "oric"),
        "mask_strides": (m * n, 0, n, 1),
    }
    sizes = (2, heads, m, n, depth, width)
    if group > 1:
        more["group"] = group
    for blind in ({}, {"blind": "zero"}):
        call, arrays, out = call_of(rng, sizes, "oric", masked="true", **more, **blind)
        arrays[3] = np.where(rng.random(arrays[3].shape) < 0.6, 0, -1e9).astype(np.float32)
        rows = arrays[3].reshape(2, heads, m, n)
        rows[..., 0] = 0
        rows[0, 0, 0] = -3e38
        for at in (1, 2):
            arrays[at] = arrays[at][: len(arrays[at]) // group]
        check(runtime, call, arrays, out)


@pytest.mark.parametrize("order", ["oric", "oirc", "iorc"])
@pytest.mark.parametrize("group", [1, 2, 3, 5])
@pytest.mark.parametrize(
    ("m", "n", "depth", "width"), [(1, 35, 6, 35), (1, 64, 64, 64), (2, 17, 3, 18), (8, 9, 12, 2)]
)
def test_few_rows(
    order: str,
    group: int,
    m: int,
    n: int,
    depth: int,
    width: int,
    runtime: NodeRuntime,
    rng: np.random.Generator,
) -> None:
    shared = 3
    sizes = (2, shared * group, m, n, depth, width)
    more: dict[str, Any] = {
        "group": group,
        "k_strides": strides_of((2, shared, n, depth), order),
        "v_strides": strides_of((2, shared, n, width), order),
    }
    call, arrays, out = call_of(rng, sizes, order, **more)
    for at in (1, 2):
        arrays[at] = arrays[at][: len(arrays[at]) // group]
    check(runtime, call, arrays, out)


@pytest.mark.parametrize("heads_share", [True, False])
@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("visible", [1, 6, 17, 40])
def test_unused_ends_of_caches(
    visible: int, m: int, heads_share: bool, runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    n, depth = 40, 8
    more: dict[str, Any] = {
        "mask_strides": (m * n, 0, n, 1) if heads_share else (2 * m * n, m * n, n, 1)
    }
    call, arrays, out = call_of(rng, (2, 2, m, n, depth, depth), masked="true", **more)
    mask = np.where(rng.random((2, 2, m, n)) < 0.5, 0, -1e9).astype(np.float32)
    mask[..., visible:] = -1e9
    mask[..., 0] = 0
    mask[1, :, m - 1, visible - 1] = 0
    arrays[3] = (mask[:, 0] if heads_share else mask).ravel()
    check(runtime, call, arrays, out)
    expected = runtime.run_kernel(call, arrays, out)
    for at in (1, 2):  # order "oric": position, head
        arrays[at].reshape(2, n, 2, depth)[:, visible:] = np.nan
    np.testing.assert_array_equal(runtime.run_kernel(call, arrays, out), expected)


def test_rows_that_see_nothing_read_all_keys(
    runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    call, arrays, out = call_of(rng, (1, 1, 2, 20, 4, 4), masked="true")
    mask = np.full((2, 20), -1e9, np.float32)
    mask[0, :5] = 0
    arrays[3] = mask.ravel()
    got = runtime.run_kernel(call, arrays, out).reshape(2, 4)
    # The scores are rounded to the same number.
    np.testing.assert_allclose(got[1], arrays[2].reshape(20, 4).mean(0), 1e-5, 1e-6)


def test_masked_with_infinity(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    call, arrays, out = call_of(rng, (1, 1, 30, 30, 8, 8), "oirc", masked="true")
    arrays[3] = np.where(np.tri(30) > 0, 0, -np.inf).astype(np.float32).ravel()
    check(runtime, call, arrays, out)


@pytest.mark.parametrize(("at", "name"), list(enumerate(("q", "k", "v", "mask"))))
def test_operands_too_small(
    at: int, name: str, runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    call, arrays, out = call_of(rng, (2, 3, 10, 9, 8, 4), masked="true")
    arrays[at] = arrays[at][:-1]
    with pytest.raises(RuntimeFailed, match=name):
        runtime.run_kernel(call, arrays, out)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"out_strides": (0, 0, 0, 1)}, "dense"),
        ({"out_strides": (120, 40, 4, 2)}, "not adjacent"),
        ({"out_strides": (120, 40, 8, 1)}, "small|dense"),
        ({"q_strides": (2**31 - 1,) * 4}, "q"),
        ({"q_strides": (240, 80, -8, 1)}, "q_strides"),
        ({"q_strides": (240, 80, 8)}, "q_strides"),
        ({"outer": 2**16, "inner": 2**16}, "output"),
        ({"n": 0}, "n"),
        ({"scaling": "often"}, "scaling"),
        ({"masked": "true"}, "inputs|mask"),
        ({"group": 2}, "divisible"),
        ({"group": 0}, "group"),
        ({"blind": "one"}, "blind"),
    ],
)
def test_refused(
    more: dict[str, Any], text: str, runtime: NodeRuntime, rng: np.random.Generator
) -> None:
    call, arrays, out = call_of(rng, (2, 3, 10, 9, 8, 4))
    call = KernelCall(call.name, call.inputs, {**call.params, **more})
    with pytest.raises(RuntimeFailed, match=text):
        runtime.run_kernel(call, arrays, out)


def test_every_order_of_the_output(runtime: NodeRuntime, rng: np.random.Generator) -> None:
    for order in map("".join, itertools.permutations("oir")):
        check(runtime, *call_of(rng, (2, 3, 10, 9, 8, 4), f"{order}c"))
