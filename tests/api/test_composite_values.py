"""Values that libraries describe by their own specs, and conversions that they register."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest
import tensorflow
from api.same import error, same
from tensorflow.python.util import nest as theirs

import tfpy
from tfpy._src.core.composite_tensor import CompositeTensor, convert_variables_to_tensors
from tfpy._src.keras_support.tensorflow_alias.libraries import prevent_gradient
from tfpy._src.keras_support.tensorflow_alias.nests import NAMES

Pair = namedtuple("Pair", "first second")


def interval(tf: Any) -> Any:
    """Return a class of values that consist of two tensors and a name, as a library defines it."""
    base = CompositeTensor if tf is tfpy else tf.__internal__.CompositeTensor

    class IntervalSpec(tf.TypeSpec):  # type: ignore[misc, name-defined]
        value_type = property(lambda self: Interval)

        def __init__(self, low: Any, high: Any, name: str) -> None:
            self.low, self.high, self.name = low, high, name

        @property
        def _component_specs(self) -> Any:
            return {"low": self.low, "high": self.high}

        def _to_components(self, value: Any) -> Any:
            return {"low": value.low, "high": value.high}

        def _from_components(self, components: Any) -> Any:
            return Interval(components["low"], components["high"], self.name)

        def _serialize(self) -> Any:
            return (self.low, self.high, self.name)

    class Interval(base):  # type: ignore[misc, valid-type]
        def __init__(self, low: Any, high: Any, name: str = "interval") -> None:
            self.low, self.high, self.name = low, high, name

        @property
        def _type_spec(self) -> Any:
            low, high = (tf.TensorSpec(t.shape, t.dtype) for t in (self.low, self.high))
            return IntervalSpec(low, high, self.name)

    return Interval


def passed_to_functions(tf: Any) -> list[Any]:
    kind = interval(tf)

    @tf.function
    def wider(x: Any, by: Any) -> Any:
        return kind(x.low - by, x.high + by, x.name + "!")

    found = wider(kind(tf.constant(1.0), tf.constant(2.0)), 0.5)
    again = wider(kind(tf.constant(5.0), tf.constant(6.0)), 0.5)
    other = wider(kind(tf.constant(5.0), tf.constant(6.0), "other"), 0.5)
    branch = tf.cond(tf.constant(True), lambda: found, lambda: again)
    _, looped = tf.while_loop(
        lambda i, x: i < 3, lambda i, x: (i + 1, wider(x, 1.0) and x), [tf.constant(0), found]
    )
    return [
        *(x.low for x in (found, again, other, branch, looped)),
        *(x.name for x in (found, again, other, branch, looped)),
        wider.experimental_get_tracing_count(),
    ]


def test_functions_take_and_return_described_values() -> None:
    same(passed_to_functions)()


def in_nests(tf: Any) -> list[Any]:
    value = interval(tf)(tf.constant(1), tf.constant([2, 3]))
    doubled = tf.nest.map_structure(lambda t: t * 2, [value], expand_composites=True)[0]
    spec = tf.type_spec_from_value(value)
    other = tf.type_spec_from_value(interval(tf)(tf.constant(1), tf.constant([2])))
    return [
        tf.is_tensor(value),
        len(tf.nest.flatten([value])),
        tf.nest.flatten([value], expand_composites=True),
        doubled.high,
        doubled.name,
        spec == tf.type_spec_from_value(doubled),
        spec.is_compatible_with(doubled),
        spec.is_compatible_with(other),
        spec.most_specific_common_supertype([tf.type_spec_from_value(doubled)]) == spec,
        spec.is_subtype_of(spec),
        hash(spec) == hash(tf.type_spec_from_value(doubled)),
    ]


def test_nests_expand_described_values() -> None:
    same(in_nests)()


def test_composites_include_ragged_tensors() -> None:
    assert isinstance(tfpy.ragged.constant([[1], []]), CompositeTensor)
    assert not isinstance(tfpy.constant(1), CompositeTensor)


def test_variables_become_tensors() -> None:
    variable = tfpy.Variable(2.0)
    found = convert_variables_to_tensors({"a": variable, "b": [3]})
    assert type(found["a"]) is tfpy.Tensor
    assert found["b"] == [3]


def modules(tf: Any) -> list[Any]:
    class Holder(tf.Module):  # type: ignore[misc, name-defined]
        _TF_MODULE_IGNORED_PROPERTIES = tf.Module._TF_MODULE_IGNORED_PROPERTIES.union(["hidden"])

    module = Holder()
    module.inner = Holder(name="inner")
    module.inner.v = tf.Variable(1.0, name="v")
    module.hidden = tf.Variable(2.0, name="hidden")
    module.pair = {"a": [tf.Variable(3.0, name="a")], "b": module.inner}
    paths = module._flatten(predicate=lambda x: isinstance(x, tf.Variable), with_path=True)
    return [
        [v.name for v in module.variables],
        [path for path, _ in paths],
        [
            m.name
            for m in module._flatten(recursive=False, predicate=lambda x: isinstance(x, Holder))
        ],
    ]


def test_modules_list_leaves() -> None:
    same(modules)()


def conversions(tf: Any) -> list[Any]:
    class Celsius:
        def __init__(self, degrees: float | None) -> None:
            self.degrees = degrees

    class Boiling(Celsius):
        pass

    def kelvin(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        assert not as_ref
        return (
            NotImplemented if value.degrees is None else tf.constant(value.degrees + 273.0, dtype)
        )

    def hot(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        return NotImplemented if value.degrees is None else tf.constant(1000.0)

    tf.register_tensor_conversion_function(Celsius, kelvin)
    tf.register_tensor_conversion_function(Boiling, hot, priority=10)
    return [
        tf.convert_to_tensor(Celsius(20.0)),
        tf.constant(1.0) + Celsius(20.0),
        Celsius(20.0) * tf.constant(2.0),
        tf.stack([Celsius(1.0), 2.0]),
        tf.square(Boiling(1.0)),
        tf.is_tensor(Celsius(1.0)),
        tf.is_tensor(type("Marked", (), {"is_tensor_like": True})()),
        error(lambda: tf.convert_to_tensor(Boiling(None))),
        error(lambda: tf.register_tensor_conversion_function(int, kelvin)),
        error(lambda: tf.register_tensor_conversion_function(3, kelvin)),
        error(lambda: tf.register_tensor_conversion_function(Celsius, 3)),
    ]


def test_registered_conversions() -> None:
    same(conversions)()


CALLS = """
    flatten_up_to([1,{'a':2}],[[1,2],{'a':[3,4]}])
    map_structure_up_to({'a':1,'b':2},f,{'b':[1],'a':[2]},{'a':3,'b':4})
    map_structure_up_to({'a':1},f,{'a':1,'b':2}) map_structure_up_to([1,2],f,(1,2))
    map_structure_up_to([1,2],f,(1,2),check_types=False) map_structure_up_to([1,2],f,[1])
    map_structure_up_to([1,[2]],f,[1,2]) map_structure_up_to(P(1,2),f,P([1],[2]))
    map_structure_up_to(P(1,2),f,([1],[2])) map_structure_up_to(None,f,[1,2])
    map_structure_with_tuple_paths(f,{'a':[1,2],'b':P(3,4)})
    map_structure_with_tuple_paths_up_to({'a':1,'b':2},f,{'a':[1,2],'b':P(3,4)},{'a':1,'b':3})
    flatten_with_tuple_paths({'a':[1,2],'b':P(3,4)}) flatten_with_joined_string_paths(3)
    flatten_with_joined_string_paths({'a':[1,2],'b':P(3,4)}) list(yield_flat_paths([[1],2]))
    get_traverse_shallow_structure(list_only,{'a':[1,2],'b':(3,4)})
    get_traverse_shallow_structure(first_only,{'a':[(1,),2],'b':(3,4)})
    get_traverse_shallow_structure(never,[1,2]) assert_shallow_structure([1,2],[3,[4]])
    assert_shallow_structure([1,[2]],[3,4]) assert_shallow_structure({'a':1},{'a':[3],'c':2})
    assert_shallow_structure({'a':1,'c':2},{'a':[3],'d':2})
    assert_shallow_structure({'a':1,'c':2},[1,2]) is_mapping({}) _sequence_like(P(1,2),[5,6])
    list(_yield_sorted_items({'b':1,'a':2})) list(_yield_sorted_items(P(1,2)))
    list(_yield_value({'b':1,'a':2})) _is_namedtuple(P(1,2))
"""


@pytest.mark.parametrize("call", CALLS.split())
def test_shallow_nests(call: str) -> None:
    scope = {
        "P": Pair,
        "f": lambda *parts: parts,
        "list_only": lambda s: not isinstance(s, tuple),
        "first_only": lambda s: [True, False] if isinstance(s, list) else True,
        "never": lambda s: False,
    }

    def found(names: dict[str, Any]) -> Any:
        try:
            return eval(call, {**names, **scope})  # one of the calls above
        except (TypeError, ValueError) as failure:
            return type(failure)

    assert found(NAMES) == found(vars(theirs))


@pytest.mark.parametrize(
    "shapes",
    [
        ([None], [2]),
        ([None], [1]),
        (None, [2]),
        ([2, 3], [None, 3]),
        ([0], [None]),
        ([1], [None, 2]),
    ],
)
def test_broadcasting_of_unknown_sizes(shapes: Any) -> None:
    ours, reference = (
        lib.broadcast_static_shape(*map(lib.TensorShape, shapes)) for lib in (tfpy, tensorflow)
    )
    assert str(ours) == str(reference)


def graph_tests(tf: Any) -> list[Any]:
    class Case(tf.test.TestCase):  # type: ignore[misc, name-defined]
        def runTest(self) -> None:  # noqa: N802 - unittest's name
            self.found = []
            for _ in range(2):
                with tf.Graph().as_default(), self.cached_session() as session:
                    x = tf.compat.v1.placeholder_with_default([1.0, -2.0], [None])
                    self.found += [self.evaluate({"y": x * 2.0}), session.run(x[0])]
                    self.found += [self.evaluate([x[1]]), tf.get_static_value(tf.constant(3))]
                    with tf.control_dependencies([tf.debugging.assert_positive(x)]):
                        y = tf.identity(x)
                    with pytest.raises(tf.errors.InvalidArgumentError):
                        self.evaluate(y)

    case = Case()
    result = case.run()
    assert result.wasSuccessful(), result.errors + result.failures
    return case.found  # type: ignore[no-any-return]


def test_cases_evaluate_tensors_of_graphs() -> None:
    same(graph_tests)()


def test_logging_of_every_nth_message(caplog: pytest.LogCaptureFixture) -> None:
    logging = tfpy.compat.v1.logging
    tfpy.get_logger().propagate = True
    logging.set_verbosity(logging.INFO)
    for step in range(5):
        logging.log_every_n(logging.INFO, "every %d", 2, step)
        logging.log_first_n(logging.INFO, "first %d", 2, step)
        logging.log_if(logging.INFO, "if %d", step == 3, step)
    assert caplog.messages == ["every 0", "first 0", "first 1", "every 2", "if 3", "every 4"]


def test_bounds_of_truncated_normal() -> None:
    for low, high in ((6.0, 7.0), (-8.0, -7.5), (-1.0, 1.0)):
        x = tfpy.random.stateless_parameterized_truncated_normal(
            [500, 1], [1, 2], [1.0], [1.0], [low], [high]
        ).numpy()
        assert x.min() >= low
        assert x.max() <= high
        assert len({*x.ravel().tolist()}) > 400


def test_names_for_subclasses_and_private_functions() -> None:
    """Check private names of TensorFlow that TensorFlow Probability uses."""
    operator = tfpy.linalg.LinearOperatorLowerTriangular([[2.0, 5.0], [3.0, 4.0]])
    assert operator._get_diag().numpy().tolist() == [2.0, 4.0]
    variable = tfpy.Variable(1.0)
    variable._trainable = False
    assert not variable.trainable
    x = tfpy.constant(2.0)
    with tfpy.GradientTape() as tape:
        tape.watch(x)
        y = prevent_gradient(x, message="not known")
    with pytest.raises(LookupError, match="not known"):
        tape.gradient(y, x)
