"""Extension types, their specs, dispatch, and other specs of values behave as in TensorFlow."""

# ruff: noqa: N806, UP007, UP045 - classes are variables here, with TensorFlow's annotations

import collections
import copy
import inspect
import pickle
import typing
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow
from guides.printed import attempts, compare

import tfpy

PROGRAMS: dict[str, Callable[[Any, Callable[..., None]], None]] = {}


def program(function: Callable[[Any, Callable[..., None]], None]) -> Any:
    """Register a program, which prints with `show`: values, or the results of lambdas."""
    PROGRAMS[function.__name__] = function
    return function


def masked(tf: Any, base: str = "ExtensionType") -> Any:
    """Return a class of masked tensors."""

    class Masked(getattr(tf.experimental, base)):  # type: ignore[misc]
        values: tf.Tensor
        mask: tf.Tensor
        n: int = 3

    Masked.__qualname__ = "Masked"
    Masked.Spec.__qualname__ = "Masked.Spec"
    return Masked


def declared(tf: Any, annotations: dict[str, Any], **members: Any) -> Any:
    """Return an extension type with given annotations and members."""
    bases = (tf.experimental.ExtensionType,)
    return type(tf.experimental.ExtensionType)(
        "Declared", bases, {"__annotations__": annotations, "__module__": __name__, **members}
    )


@program
def fields(tf: Any, show: Callable[..., None]) -> None:
    T = tf.Tensor
    Toy = declared(
        tf,
        {
            "name": str, "price": T, "features": typing.Mapping[str, T],
            "tags": tuple[str, ...], "rows": typing.Optional[tf.RaggedTensor],
            "either": typing.Union[int, str], "pair": tuple[int, float],
            "shape": tf.TensorShape, "dtype": tf.DType, "nothing": None,
        },
        tags=(), rows=None, either=1, pair=(1, 2.0), shape=[2, None], dtype="int32", nothing=None,
    )  # fmt: skip
    toy = Toy("a", 1.5, {"b": [1], "a": [2]}, tags=["x", "y"])
    show(toy, toy.features["a"], type(toy.features).__name__, sorted(toy.features), len(toy.tags))
    show(lambda: Toy.Spec.from_value(toy), lambda: tf.type_spec_from_value(toy))
    show(lambda: Toy("a", 1.5, {}, rows=tf.ragged.constant([[1], [2, 3]]), either="q").rows)
    show(lambda: tf.experimental.extension_type.as_dict(toy))
    show(lambda: Toy(3, 1, {}), lambda: Toy("a", object(), {}), lambda: Toy("a", 1, []))
    show(lambda: Toy("a", 1, {}, tags=(1,)), lambda: Toy("a", 1, {}, tags=3), lambda: Toy("a"))
    show(lambda: Toy("a", 1, {}, either=2.5), lambda: Toy("a", 1, {}, pair=(1,)))
    show(lambda: Toy("a", 1, {}, rows=3), lambda: toy.missing)
    show(lambda: setattr(toy, "name", "b"), lambda: delattr(toy, "name"), lambda: hash(toy))
    show(lambda: toy.features.__setitem__("q", 1), lambda: tf.experimental.ExtensionType())


@program
def declarations(tf: Any, show: Callable[..., None]) -> None:
    T = tf.Tensor
    for annotations, members in [
        ({"x": object}, {}), ({"x": list[int]}, {}), ({"Spec": int}, {}), ({"self": int}, {}),
        ({"x": int}, {"y": 3}), ({"x": int}, {"x": "a"}), ({"x": int}, {"Spec": 3}),
        ({"x": typing.Mapping[T, int]}, {}), ({"_tf_extension_type_a": int}, {}),
        ({"x": int}, {"__batch_encoder__": 3}),
    ]:  # fmt: skip
        show(lambda a=annotations, m=members: declared(tf, a, **m))
    Keywords = declared(tf, {"a": int, "b": T, "c": str}, a=1, c="q")
    show(lambda: Keywords(b=3), lambda: Keywords(1, 2))
    show([str(p.kind) for p in inspect.signature(Keywords).parameters.values()])
    show(list(inspect.signature(Keywords.Spec).parameters))

    class Derived(masked(tf)):  # type: ignore[misc]
        extra: int = 4

        def __validate__(self) -> None:
            self.values.shape.assert_has_rank(1)

        def doubled(self) -> Any:
            return self.values * 2

        size = property(lambda self: self.values.shape[0])

    show(Derived([1], [True]).extra, Derived([1], [True]).doubled(), Derived([1, 2], [True]).size)
    show(lambda: Derived(1, True))

    class Discounted(tf.experimental.ExtensionType):  # type: ignore[misc]
        name: str
        price: tf.Tensor

        def __init__(self, name: str, price: float, discount: float = 0.0) -> None:
            self.name = name
            self.price = price * (1 - discount)

        class Spec:
            def __init__(self, name: str) -> None:
                self.name = name
                self.price = tf.TensorSpec([])

            def described(self) -> str:
                return f"{self.name} of {self.price.dtype}"

    show(Discounted("ball", 5.0, discount=0.2).price, Discounted.Spec("a").described())


@program
def equality_and_nests(tf: Any, show: Callable[..., None]) -> None:
    Masked = masked(tf)
    x, y = Masked([1, 2], [True, False]), Masked([1, 3], [True, False])
    show(x == x, x == y, x != y, x == 3, x != 3, x == Masked([1], [True]))
    show(x == Masked([1, 2], [True, False], 4), tf.is_tensor(x), len(tf.nest.flatten([x, y])))
    show(tf.nest.flatten(x, expand_composites=True))
    show(tf.nest.map_structure(tf.identity, [x], expand_composites=True), tf.identity(y))
    show(lambda: tf.nest.assert_same_structure(x, y, expand_composites=True))
    show(lambda: tf.nest.assert_same_structure(x, 1, expand_composites=True))
    show(
        lambda: tf.convert_to_tensor(x), lambda: tf.add(x, 1), lambda: x + 1, lambda: tf.stack([x])
    )
    show(lambda: tf.constant([1, 2]) + x, lambda: tf.constant(x))
    Outer = declared(tf, {"inner": Masked, "more": tuple[Masked, ...]})
    outer = Outer(x, (y, x))
    show(len(tf.nest.flatten(outer, expand_composites=True)), outer == outer)
    with tf.GradientTape() as tape:
        v = Masked([1.0, 2.0], [True, False])
        tape.watch(v.values)
        total = tf.reduce_sum(v.values**2)
    show(tape.gradient(total, v.values), lambda: tape.gradient(total, v))


@program
def specs(tf: Any, show: Callable[..., None]) -> None:
    Masked = masked(tf)
    bools = tf.TensorSpec([None], tf.bool)
    spec = Masked.Spec(tf.TensorSpec([None]), bools, 3)
    show(
        spec, spec.is_compatible_with(Masked([1.0], [True])), spec == spec, hash(spec) == hash(spec)
    )
    show(spec.is_compatible_with(Masked([1], [True])), spec.value_type is Masked)
    show(spec.is_compatible_with(Masked([1.0], [True], 4)), isinstance(spec, tf.TypeSpec))
    three, four = (Masked.Spec(tf.TensorSpec([n]), bools, 3) for n in (3, 4))
    show(three.most_specific_compatible_type(four), three.is_subtype_of(spec), three == four)
    show(spec.is_subtype_of(three), isinstance(spec, tf.experimental.ExtensionTypeSpec))
    show(lambda: Masked.Spec(3, bools, 3), lambda: setattr(spec, "n", 4))
    show(lambda: three.most_specific_compatible_type(Masked.Spec(three.values, bools, 4)))
    show(lambda: pickle.loads(pickle.dumps(Pickled[tf.__name__].Spec(bools))))


class PickledTensorFlow(tensorflow.experimental.ExtensionType):  # type: ignore[misc]
    x: tensorflow.Tensor


class PickledTfpy(tfpy.experimental.ExtensionType):
    x: tfpy.Tensor


Pickled = {"tensorflow": PickledTensorFlow, "tfpy": PickledTfpy}
for _kind in Pickled.values():
    _kind.Spec.__qualname__ = _kind.Spec.__qualname__.replace(_kind.__name__, "Pickled")


@program
def functions(tf: Any, show: Callable[..., None]) -> None:
    Masked = masked(tf)
    traces = []

    @tf.function
    def doubled(x: Any, more: Any = None) -> Any:
        traces.append(1)
        return {"masked": Masked(x.values * 2, x.mask, x.n), "values": x.values}

    x = Masked([1, 2], [True, False])
    show(doubled(x), doubled(Masked([3, 4], [True, True])), len(traces))
    show(doubled(Masked([3, 4], [True, True], 4)), len(traces))
    show(doubled(x=Masked([1, 2, 3], [True] * 3))["values"], len(traces))
    signature = [Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool), 3)]
    added = tf.function(lambda x: (x.values + 1, x), input_signature=signature)
    show(added(x), added(Masked([1, 2, 3], [True] * 3)))
    show(
        lambda: added(Masked([1.0], [True])),
        lambda: added(3),
        lambda: added(Masked([1], [True], 5)),
    )
    concrete = tf.function(lambda x: Masked(x.values + 1, x.mask)).get_concrete_function(x)
    show(concrete(x), concrete.structured_outputs.n, concrete.structured_input_signature)
    show(lambda: concrete(Masked([1, 2], [True, True], 9)))
    show(tf.cond(tf.constant(True), lambda: x, lambda: x).values)
    other = tf.function(lambda p, x: tf.cond(p, lambda: x, lambda: Masked(x.values + 10, ~x.mask)))
    show(other(tf.constant(False), x), other(tf.constant(True), x))
    show(lambda: tf.function(lambda p: tf.cond(p, lambda: x, lambda: Masked(x.values, x.mask, 7)))(
        tf.constant(True)
    ))  # fmt: skip

    def advance(i: Any, x: Any) -> Any:
        return i + 1, Masked(x.values + i, x.mask)

    def loop(x: Any) -> Any:
        return tf.while_loop(lambda i, x: i < 3, advance, (tf.constant(0), x))

    show(loop(x), tf.function(loop)(x))


@program
def autograph(tf: Any, show: Callable[..., None]) -> None:
    Masked = masked(tf)

    @tf.function
    def run(x: Any, count: Any) -> Any:
        for i in tf.range(count):
            x = Masked(x.values + i, x.mask)
        if count > 3:
            x = Masked(x.values * 5, x.mask)
        return x

    x = Masked([1, 2], [True, False])
    show(run(x, tf.constant(3)), run(x, tf.constant(4)))


@program
def rows(tf: Any, show: Callable[..., None]) -> None:
    Masked = masked(tf, "BatchableExtensionType")
    batch = Masked([[1, 2], [3, 4], [5, 6]], [[True, False]] * 3)
    data = tf.data.Dataset.from_tensor_slices(batch)
    show(data.element_spec, list(data), list(data.batch(2)), data.batch(2).element_spec)
    show(list(data.batch(2).unbatch().take(1)), list(data.batch(2, drop_remainder=True)))
    show(
        list(data.map(lambda x: x.values + x.n)), list(data.map(lambda x: Masked(x.values, x.mask)))
    )
    show(data.reduce(0, lambda total, x: total + tf.reduce_sum(x.values)))
    show(list(tf.data.Dataset.zip((data, tf.data.Dataset.from_tensor_slices([7, 8, 9]))).batch(3)))
    show(list(tf.data.Dataset.from_tensors({"a": masked(tf)([1], [True])})))
    show(lambda: list(data.as_numpy_iterator()))
    show(tf.map_fn(lambda x: tf.reduce_sum(x.values), batch, fn_output_signature=tf.int32))
    show(tf.map_fn(lambda x: Masked(x.values + 1, x.mask), batch))
    spec = Masked.Spec(tf.TensorSpec([2], tf.int32), tf.TensorSpec([2], tf.bool), 3)
    made = tf.map_fn(
        lambda i: Masked([i, i], [True, False]), tf.constant([1, 2]), fn_output_signature=spec
    )
    show(made, tf.function(lambda b: tf.map_fn(lambda x: Masked(x.values, x.mask), b))(batch))
    show(tf.vectorized_map(lambda x: x.values * 2, batch))
    show(tf.vectorized_map(lambda x: Masked(x.values * 2, x.mask), batch))


@program
def encoders(tf: Any, show: Callable[..., None]) -> None:
    class Encoder(tf.experimental.ExtensionTypeBatchEncoder):  # type: ignore[misc]
        def batch(self, spec: Any, batch_size: Any) -> Any:
            return Negated.Spec(tf.TensorShape([batch_size]).concatenate(spec.x.shape))

        def unbatch(self, spec: Any) -> Any:
            return Negated.Spec(spec.x.shape[1:])

        def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
            return {"negative": -value.x}

        def decode(self, spec: Any, encoded_value: Any) -> Any:
            return Negated(-encoded_value["negative"])

        def encoding_specs(self, spec: Any) -> Any:
            return {"negative": spec.x}

    class Negated(tf.experimental.BatchableExtensionType):  # type: ignore[misc]
        x: tf.Tensor
        __batch_encoder__ = Encoder()

        def __repr__(self) -> str:
            return f"Negated({self.x.numpy().tolist()})"

        class Spec:
            def __init__(self, shape: Any) -> None:
                self.x = tf.TensorSpec(shape, tf.float32)

            def __repr__(self) -> str:
                return f"Negated.Spec({self.x.shape})"

    data = tf.data.Dataset.from_tensor_slices(Negated([1.0, 2.0, 3.0]))
    show(data.element_spec, list(data), list(data.batch(2)), list(data.batch(2).unbatch()))
    show(tf.map_fn(lambda x: x.x + 1, Negated([1.0, 2.0]), fn_output_signature=tf.float32))
    show(tf.map_fn(lambda x: Negated(x.x * 3), Negated([1.0, 2.0])))
    show(tf.vectorized_map(lambda x: Negated(x.x * 3), Negated([1.0, 2.0])))


@program
def dispatch(tf: Any, show: Callable[..., None]) -> None:
    Masked = masked(tf)
    register = tf.experimental.dispatch_for_api
    a, b = Masked([1, 2], [True, False]), Masked([10, 20], [True, True])

    @register(tf.add, {"x": Masked, "y": Masked})
    def add(x: Any, y: Any, name: str | None = None) -> Any:
        return Masked(x.values + y.values, x.mask & y.mask)

    @register(tf.concat, {"values": list[Masked]})
    def concat(values: Any, axis: Any) -> Any:
        return Masked(tf.concat([v.values for v in values], axis), [True])

    @register(tf.multiply, {"x": Masked}, {"y": Masked})
    def multiply(x: Any, y: Any) -> str:
        return "product"

    @register(tf.squeeze, {0: Masked})
    def squeeze(*args: Any, **kwargs: Any) -> Any:
        return len(args), sorted(kwargs)

    show(tf.add(a, b), tf.math.add(a, y=b), tf.add(x=a, y=b, name="sum"), lambda: tf.add(a, 1))
    show(tf.add(1, 2), tf.constant(1) + 2, lambda: a + b, tf.squeeze(a, axis=0), tf.squeeze([[5]]))
    show(tf.concat([a, b], 0), tf.concat((a, b), axis=0, name="c"), tf.concat([[1], [2]], 0))
    show(lambda: tf.concat([a, [1]], 0))
    show(tf.multiply(a, 2), tf.multiply(2, a), tf.constant(2) * a, tf.multiply(2, 3))
    show(tf.function(lambda x: tf.add(x, x))(a), tf.ragged.constant([[1], [2, 3]]) * 2)
    show(
        lambda: register(tf.abs)(lambda x: x), lambda: register(tf.abs, {"z": Masked})(lambda x: x)
    )
    show(lambda: register(tf.abs, {"x": Masked})(lambda z: z), lambda: register(tf.abs, 3))
    show(lambda: register(tf.abs, {"x": dict[str, int]}), lambda: register(lambda x: x, {"x": int}))
    show(lambda: register(tf.abs, {"x": Masked})(3))
    other = register(tf.multiply, {"x": Masked})(lambda x, y: "other")
    show(lambda: tf.multiply(a, 2))
    for target in (add, concat, multiply, squeeze, other):
        tf.experimental.unregister_dispatch_for(target)
    show(lambda: tf.add(a, b), lambda: tf.multiply(a, 2), lambda: tf.constant(2) * a)
    show(lambda: tf.experimental.unregister_dispatch_for(add))


@program
def elementwise_dispatch(tf: Any, show: Callable[..., None]) -> None:
    Masked = masked(tf)
    kinds = typing.Union[Masked, tf.Tensor]
    x = Masked([-1.5, 2.0], [True, False])

    @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    def unary(function: Any, x: Any) -> Any:
        return Masked(function(x.values), x.mask)

    @tf.experimental.dispatch_for_binary_elementwise_apis(kinds, kinds)
    def binary(function: Any, x: Any, y: Any) -> Any:
        values = [v.values if isinstance(v, Masked) else v for v in (x, y)]
        return Masked(function(*values), [True, True])

    @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def compared(function: Any, x: Any, y: Any) -> Any:
        both = x.mask & y.mask
        return function(x.values[both], y.values[both])

    for name in ("abs", "math.sin", "nn.relu", "ones_like", "round", "nn.gelu", "sigmoid", "sign"):
        function = tf
        for part in name.split("."):
            function = getattr(function, part)
        show(function(x))
    show(tf.cast(x, tf.int32), tf.clip_by_value(x, 0, clip_value_max=1), tf.abs(x=x, name="a"))
    show(tf.strings.as_string(x).mask, tf.nn.leaky_relu(x, 0.1), tf.zeros_like(x, dtype=tf.int32))
    show(tf.subtract(x, tf.constant([1.0, 2.0])), tf.maximum(tf.constant(0.0), x), tf.equal(x, x))
    show(tf.divide(x, x), tf.math.divide_no_nan(x, x), tf.add(1, 2), tf.abs(-3))
    show(lambda: tf.add(x, 1.0), lambda: tf.debugging.assert_less(x, x))
    show(tf.debugging.assert_equal(x, Masked([-1.5, 7.0], [True, True])))
    show(lambda: tf.experimental.dispatch_for_unary_elementwise_apis(Masked)(unary))
    handlers = (unary, binary, compared) if tf is tfpy else (unary, binary)  # TensorFlow fails
    for handler in handlers:
        tf.experimental.unregister_dispatch_for(handler)
    show(
        lambda: tf.abs(x),
        lambda: tf.add(x, x),
        lambda: tf.experimental.unregister_dispatch_for(unary),
    )


@program
def reflected_operators(tf: Any, show: Callable[..., None]) -> None:
    class Wrapped(tf.experimental.ExtensionType):  # type: ignore[misc]
        values: tf.Tensor
        __mul__ = tf.multiply

        def __radd__(self, other: Any) -> Any:
            return other, "first"

    @tf.experimental.dispatch_for_api(tf.multiply, {"x": Wrapped})
    def multiply(x: Any, y: Any) -> Any:
        return x.values * y

    show(tf.constant(1) + Wrapped([1]), 2 + Wrapped([1]), Wrapped([4]) * 3)
    tf.experimental.unregister_dispatch_for(multiply)


@program
def other_specs(tf: Any, show: Callable[..., None]) -> None:
    rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([2, 0]), tf.constant([3, 1]))
    array = tf.TensorArray(tf.float32, 3, element_shape=[2])
    show(
        tf.type_spec_from_value(rows), tf.type_spec_from_value(array), tf.type_spec_from_value(None)
    )
    show(tf.type_spec_from_value(tf.IndexedSlices(rows.values, rows.indices)))
    show(tf.type_spec_from_value(tf.experimental.Optional.from_value(3)), tf.NoneTensorSpec())
    spec = tf.IndexedSlicesSpec([None, 1], tf.float32, tf.int32, tf.int32)
    show(spec, spec.is_compatible_with(rows), spec == spec, hash(spec) == hash(spec))
    show(tf.IndexedSlicesSpec([4]).is_compatible_with(spec), tf.IndexedSlicesSpec())
    show(tf.TensorArraySpec(), tf.TensorArraySpec([2, 3], tf.int32, True, False))
    show(tf.TensorArraySpec([2]).is_compatible_with(tf.TensorArraySpec([3])))
    show(tf.TensorArraySpec([None]).is_compatible_with(tf.TensorArraySpec([3])))
    show(tf.TensorArraySpec.from_value(array) == tf.TensorArraySpec([2]), tf.NoneTensorSpec() == 3)
    show(tf.NoneTensorSpec().is_compatible_with(None), tf.NoneTensorSpec() == tf.NoneTensorSpec())
    function = tf.function(lambda x: x * 2)
    concrete = function.get_concrete_function(tf.TensorSpec([2]))
    kinds = tf.types.experimental
    show(isinstance(concrete, kinds.ConcreteFunction), isinstance(function, kinds.ConcreteFunction))
    show(isinstance(concrete, kinds.Callable), isinstance(function, kinds.Callable))


@program
def own_specs(tf: Any, show: Callable[..., None]) -> None:
    class Own(tf.TypeSpec):  # type: ignore[misc]
        value_type = int
        _component_specs = ()

        def __init__(self, x: Any) -> None:
            self.x = x

        def _serialize(self) -> Any:
            return (self.x,)

        def _to_components(self, value: Any) -> Any:
            return ()

        def _from_components(self, components: Any) -> Any:
            return 1

    shape, unknown = tf.TensorShape, tf.TensorShape(None)
    kinds = [collections.namedtuple(name, "a b") for name in "PPQ"]
    one = Own(kinds[0](tf.TensorSpec([2]), unknown))
    show(one.is_compatible_with(Own(kinds[1](tf.TensorSpec([None]), shape([3])))))
    show(Own(kinds[0](1, 2)).is_compatible_with(Own(kinds[2](1, 2))), Own(unknown) == Own(unknown))
    arrays = [Own(np.array(values)) for values in ([1, 2], [1, 2], [1, 3])]
    show(arrays[0] == arrays[1], arrays[0] == arrays[2], Own(unknown) == Own(shape([None])))
    show(Own(shape([2])).most_specific_common_supertype([Own(shape([3]))])._serialize())
    show(Own(shape([2])).is_subtype_of(Own(unknown)))
    show(shape([1, 2]).most_specific_common_supertype([shape([1, 3]), shape([2, 2])]))
    show(unknown.most_specific_common_supertype([shape([2])]))
    show(shape([1]).most_specific_common_supertype([3]), unknown.as_proto(), shape([]).as_proto())
    show(shape([2, None]).as_proto())
    rows = tf.RaggedTensorSpec([10], tf.int32, ragged_rank=0)
    show(rows.is_compatible_with(tf.zeros([10], tf.int32)), rows.is_compatible_with(3))
    show(*(rows.is_compatible_with(tf.TensorSpec([n], tf.int32)) for n in (10, 12)))
    optional = tf.OptionalSpec(tf.TensorSpec([]))
    show(copy.deepcopy(optional) == optional, pickle.loads(pickle.dumps(optional)) == optional)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for library in (tfpy, tensorflow):
        PROGRAMS[name](library, attempts(print))
        texts.append(capsys.readouterr().out)
    compare(*texts)


def test_a_function_has_its_own_code_without_implementations() -> None:
    kind, own = masked(tfpy), tfpy.size.__code__
    target = tfpy.experimental.dispatch_for_api(tfpy.size, {"input": kind})(
        lambda input, out_type=tfpy.int32: "many"
    )
    assert tfpy.size(kind([1], [True])) == "many"
    assert tfpy.size.__code__ is not own
    tfpy.experimental.unregister_dispatch_for(target)
    assert tfpy.size.__code__ is own
