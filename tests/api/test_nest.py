"""``tf.nest``: TensorFlow's order, types and errors."""

from __future__ import annotations

import types
from collections import Counter, OrderedDict, UserList, defaultdict, deque, namedtuple
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare, error, same
from hypothesis import given, settings, strategies as st

import tfpy

Point = namedtuple("Point", "x y")
Pair = namedtuple("Pair", "x y")
Twin = namedtuple("Point", "x y")


class Field:
    def __init__(self, name: str) -> None:
        self.name = name


class Attrs:
    """A class in the format of ``attrs``."""

    __attrs_attrs__ = (Field("b"), Field("a"))

    def __init__(self, b: Any, a: Any) -> None:
        self.b, self.a = b, a

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attrs) and (self.b, self.a) == (other.b, other.a)

    __hash__ = None  # type: ignore[assignment]


NESTS = [
    1,
    None,
    "ab",
    b"ab",
    {1, 2},
    np.arange(3),
    [],
    (),
    {},
    [1, (2, [3])],
    range(3),
    deque([1, 2]),
    UserList([1, [2]]),
    Point(1, (2, 3)),
    Attrs(1, [2, 3]),
    {"b": 1, "a": [2, 3]},
    OrderedDict(b=1, a=2),
    defaultdict(list, b=1, a=2),
    Counter("aab"),
    {"b": 1, "a": 2}.keys(),
    {"b": 1, "a": 2}.values(),
    {"b": 1, "a": 2}.items(),
    {2: "b", 1: ("a",)},
]


@pytest.mark.parametrize("nest", NESTS)
def test_taken_apart_and_put_together(nest: Any) -> None:
    leaves = tensorflow.nest.flatten(nest)
    assert tfpy.nest.is_nested(nest) == tensorflow.nest.is_nested(nest)
    found = tfpy.nest.flatten(nest)
    assert len(found) == len(leaves)
    assert all(a is b or a == b for a, b in zip(found, leaves, strict=True))
    numbers = [10 * i for i, _ in enumerate(leaves)]
    _equal(*(lib.nest.pack_sequence_as(nest, numbers) for lib in (tfpy, tensorflow)))
    _equal(*(lib.nest.map_structure(lambda x: (x,), nest) for lib in (tfpy, tensorflow)))


def _equal(mine: Any, wanted: Any) -> None:
    assert type(mine) is type(wanted)
    assert mine == wanted
    if isinstance(wanted, dict):
        assert list(mine) == list(wanted)


_PAIRS = [
    ([1], (1,)),
    ([1], 1),
    (1, [1]),
    (1, None),
    ((), []),
    ((1, 2), "ab"),
    ([1, 2], [1]),
    ([(1, 2), [3]], [[1, 2], 3]),
    ([[1], (1, 2)], [1, [1, 2]]),
    ({"a": 1}, [1]),
    ({"a": 1}, {"b": 1}),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"a": 1}, OrderedDict(a=1)),
    (defaultdict(int, a=1), {"a": 1}),
    (types.MappingProxyType({"a": 1}), {"a": 1}),
    ({"b": 1, "a": [2]}, {"b": [1], "a": 2}),
    ({"b": 1, "a": 2}, {"a": 1, "b": 2}),
    ({"a": 1}.values(), [1]),
    (range(2), [1, 2]),
    (Point(1, 2), Twin(1, 2)),
    (Point(1, 2), Pair(1, 2)),
    (Point(1, 2), (1, 2)),
    (Attrs(1, [2]), Attrs(3, [4])),
    (Attrs(1, [2]), [1, [2]]),
]


@pytest.mark.parametrize("check_types", [True, False])
@pytest.mark.parametrize("pair", _PAIRS)
def test_structures_compared(pair: tuple[Any, Any], check_types: bool) -> None:
    _same_outcome(lambda lib: lib.nest.assert_same_structure(*pair, check_types=check_types))


def _same_outcome(program: Any) -> None:
    mine, wanted = map(_outcome, (program, program), (tfpy, tensorflow))
    assert type(mine) is type(wanted), f"{mine!r} for {wanted!r}"
    if not isinstance(wanted, Exception):
        _equal(mine, wanted)


def _outcome(program: Any, lib: Any) -> Any:
    try:
        return program(lib)
    except (TypeError, ValueError) as error:
        return error


@pytest.mark.parametrize(
    ("structure", "leaves"),
    [
        ([1, 2], [1]),
        ([1, 2], [1, 2, 3]),
        (1, [1, 2]),
        (1, [5]),
        (1, 5),
        (1, []),
        ([1], 5),
        ([1], None),
        ([1, 2], (3, 4)),
        ([1, 2], "ab"),
        ([1, 2], range(2)),
        ([], [1]),
        ({"b": 0, 1: 1}, [1, 2]),
    ],
)
def test_packing(structure: Any, leaves: Any) -> None:
    _same_outcome(lambda lib: lib.nest.pack_sequence_as(structure, leaves))


def test_mapping() -> None:
    def add(x: Any, y: Any) -> Any:
        return x + y

    for program in (
        lambda lib: lib.nest.map_structure(3, [1]),
        lambda lib: lib.nest.map_structure(lambda: 1),
        lambda lib: lib.nest.map_structure(add, [1, (2,)], [3, (4,)]),
        lambda lib: lib.nest.map_structure(add, [1, 2], (3, 4)),
        lambda lib: lib.nest.map_structure(add, [1, 2], (3, 4), check_types=False),
        lambda lib: lib.nest.map_structure(add, {"b": 1, "a": 2}, {"a": 4, "b": 10}),
        lambda lib: lib.nest.map_structure(add, {"b": 1, "a": 2}, [3, 4], check_types=False),
        lambda lib: lib.nest.map_structure(add, [1, 2], {"b": 3, "a": 4}, check_types=False),
    ):
        _same_outcome(program)


@same
def test_composites(tf: Any) -> Any:
    ragged = tf.ragged.constant([[[1.0, 2.0]], [[], [3.0]]])
    sparse = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]))
    whole = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([2, 1]))
    nest = {"z": [slices, whole], "b": ragged, "a": (sparse, 7)}
    flat = tf.nest.flatten(nest, expand_composites=True)
    again = tf.nest.pack_sequence_as(nest, flat, expand_composites=True)
    tf.nest.assert_same_structure(nest, again, expand_composites=True)
    double = tf.nest.map_structure(
        lambda x: x * 2 if tf.is_tensor(x) and x.dtype == tf.float32 else x,
        nest,
        expand_composites=True,
    )
    return len(tf.nest.flatten(nest)), flat, again, double


@pytest.mark.parametrize("other", ["1", "tf.ragged.constant([[[1.0]]])",
                                   "tf.ragged.constant([[1]])", "tf.ragged.constant([[2.0]])",
                                   "tf.sparse.from_dense([[1.0]])"])  # fmt: skip
@pytest.mark.parametrize("expand", [True, False])
def test_composites_compared(other: str, expand: bool) -> None:
    def program(tf: Any) -> None:
        ragged = tf.ragged.constant([[1.0], []])
        found = eval(other, {"tf": tf})
        tf.nest.assert_same_structure([ragged], [found], expand_composites=expand)

    _same_outcome(program)


_LEAF = st.none() | st.integers(0, 9) | st.text("ab", max_size=2)
_KEYS = st.text("abc", min_size=1, max_size=2)


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, max_size=3)
    mappings = st.dictionaries(_KEYS, inner, max_size=3)
    return st.one_of(
        several,
        several.map(tuple),
        several.map(deque),
        mappings,
        mappings.map(OrderedDict),
        mappings.map(lambda m: defaultdict(int, m)),
        st.builds(Point, inner, inner),
    )


_NESTS = st.recursive(_LEAF, _grown, max_leaves=12)


@settings(max_examples=200, deadline=None)
@given(nest=_NESTS)
def test_any_nest(nest: Any) -> None:
    leaves = tfpy.nest.flatten(nest)
    assert leaves == tensorflow.nest.flatten(nest)
    _equal(tfpy.nest.pack_sequence_as(nest, leaves), nest)
    mine, wanted = (lib.nest.map_structure(repr, nest) for lib in (tfpy, tensorflow))
    compare(repr(mine), repr(wanted), 0, "map_structure")


@settings(max_examples=300, deadline=None)
@given(first=_NESTS, second=_NESTS, check_types=st.booleans())
def test_any_two_nests(first: Any, second: Any, check_types: bool) -> None:
    _same_outcome(
        lambda lib: lib.nest.assert_same_structure(first, second, check_types=check_types)
    )


@same
def test_arguments_in_any_order(tf: Any) -> Any:
    """Check that one trace serves all mappings with the same keys."""
    traces = []

    @tf.function
    def difference(d: Any) -> Any:
        traces.append(1)
        return {"z": d["b"] - d["a"], "c": d["a"]}

    first = difference({"b": tf.constant(5.0), "a": tf.constant(2.0)})
    second = difference({"a": tf.constant(1.0), "b": tf.constant(7.0)})
    return len(traces), first, second


@same
def test_custom_gradients_of_mappings(tf: Any) -> Any:
    """Check that the gradient function receives the gradients in the order of the sorted keys."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return {"b": x * 2.0, "a": x * 3.0}, lambda da, db: 10.0 * da + 100.0 * db

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
        total = y["a"] + 2.0 * y["b"]
    return tape.gradient(total, x)


def test_tidy_spares_what_ragged_tensors_consist_of() -> None:
    kept = tfpy.tidy(lambda: {"r": tfpy.ragged.constant([[1.0], [2.0, 3.0]])})
    assert kept["r"].to_list() == [[1.0], [2.0, 3.0]]


class Masked:
    """An object that defines its items."""

    def __init__(self, mask: bool, value: Any) -> None:
        self.mask, self.value = mask, value

    def __tf_flatten__(self) -> Any:
        return (self.mask,), (self.value,)

    def __tf_unflatten__(self, metadata: Any, components: Any) -> Any:
        return Masked(metadata[0], components[0])


@same
def test_objects_that_define_their_items(tf: Any) -> Any:
    nested = {"a": Masked(True, Masked(False, 3)), "b": [1]}
    doubled = tf.nest.map_structure(lambda x: 2 * x, nested)
    dataset = tf.data.Dataset.range(2).map(lambda x: Masked(True, x + 1))
    return [
        tf.nest.is_nested(nested["a"]),
        tf.nest.flatten(nested),
        tf.nest.flatten(doubled),
        doubled["a"].value.mask,
        [(x.mask, int(x.value)) for x in dataset],
        error(lambda: tf.nest.pack_sequence_as(1, [1, 2])),
        error(lambda: tf.nest.pack_sequence_as([1], "a")),
    ]


@same
def test_composites_and_their_specs(tf: Any) -> Any:
    r = tf.ragged.constant([[1]])
    specs = [
        tf.RaggedTensorSpec([None, None], tf.int32),
        tf.RaggedTensorSpec([None, None], tf.float32),
        tf.SparseTensorSpec([None, None], tf.int32),
    ]
    same_structure = tf.nest.assert_same_structure
    return [bool(error(lambda s=s: same_structure(r, s, expand_composites=True))) for s in specs]
