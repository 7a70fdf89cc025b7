"""Modules for tests of SavedModels, and a program that uses their functions."""

from __future__ import annotations

from typing import Any, NamedTuple


class Pair(NamedTuple):
    first: Any
    second: Any


def module(lib: Any) -> Any:
    """Return a module with Variables, containers and functions of many kinds."""
    spec, variable = lib.TensorSpec, lib.Variable
    function = lib.function

    class Scale(lib.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.w = variable([1.0, 2.0], name="w")
            self.hidden = variable([5], trainable=False)

        @function(input_signature=[spec([2])])
        def __call__(self, x: Any) -> Any:
            return x * self.w

    class Whole(lib.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = Scale()
            self.items = [Scale(), {"k": Scale()}]
            self.pair = (variable(3.0), 5)
            self.count = variable(0)
            self.constant = lib.constant([1.0, 2.0, 3.0] * 100)
            self.number = 7

        @function(
            input_signature=[{"a": spec([None, 2]), "b": (spec([]), spec([None], lib.int32))}]
        )
        def nested(self, x: Any) -> Any:
            total = x["a"] + x["b"][0]
            return {"y": Pair(x["a"] * 2, None), "z": (total, [x["b"][1]])}

        @function
        def many(self, x: Any, *args: Any, scale: float = 2.0, **kwargs: Any) -> Any:
            return x * scale + sum(args) + sum(kwargs.values())

        @function(input_signature=[spec([None])])
        def flow(self, x: Any) -> Any:
            y = lib.cond(lib.reduce_sum(x) > 0, lambda: x * 2, lambda: -x)

            def body(i: Any, y: Any) -> Any:
                return i + 1, y + lib.cast(i, lib.float32)

            return lib.while_loop(lambda i, y: i < 3, body, (0, y))[1]

        @function(input_signature=[spec([None], lib.string)])
        def text(self, s: Any) -> Any:
            upper = lib.strings.upper(s)
            return lib.strings.join([upper, lib.constant("!")]), lib.strings.length(s)

        @function(input_signature=[spec([])])
        def step(self, x: Any) -> Any:
            self.count.assign_add(1)
            self.inner.w.assign(self.inner.w * x)
            return lib.cast(self.count, lib.float32) + x

        @function(input_signature=[spec([])])
        def chosen(self, x: Any) -> Any:
            def ten_more() -> Any:
                self.count.assign_add(10)
                return self.count.read_value()

            return lib.cond(x > 0, ten_more, self.count.read_value)

        @function(input_signature=[spec([2])])
        def captured(self, x: Any) -> Any:
            return x[0] + self.constant

        @function(input_signature=[])
        def effect(self) -> None:
            self.count.assign(100)

        @function(input_signature=[spec([None, 4, 4, 1])])
        def image(self, x: Any) -> Any:
            y = lib.nn.conv2d(x, lib.ones([2, 2, 1, 3]), 1, "SAME")
            y = lib.nn.max_pool2d(y, 2, 2, "VALID")
            flat = lib.nn.softmax(lib.reshape(y, [-1, 12]))
            largest = lib.math.top_k(y, 2)[0]
            turned = lib.transpose(y, [0, 3, 1, 2])
            return flat, lib.reduce_mean(y), lib.shape(x)[0], largest, turned

    made = Whole()
    made.many(lib.constant(1.0))
    made.many(lib.constant(1.0), lib.constant(2.0))
    made.many(lib.constant([1.0]), scale=3.0, k=lib.constant(1.0))
    return made


def tables(lib: Any) -> Any:
    """Return a module with lookup tables and an asset."""
    words = lib.lookup.KeyValueTensorInitializer
    wide = lib.constant([0, 1], lib.int64)

    class Tables(lib.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.static = lib.lookup.StaticHashTable(words(["a", "b"], [1, 2]), -1)
            self.ids = lib.lookup.StaticVocabularyTable(words(["a", "b"], wide), 2)
            self.mutable = lib.lookup.experimental.MutableHashTable(lib.string, lib.float32, 0.5)
            self.mutable.insert(lib.constant(["x"]), lib.constant([7.0]))

        @lib.function(input_signature=[lib.TensorSpec([None], lib.string, name="keys")])
        def look(self, keys: Any) -> Any:
            ids = self.ids.lookup(keys)
            return {
                "found": self.static.lookup(keys),
                "ids": lib.cast(ids, lib.int32),
                "values": self.mutable.lookup(keys),
            }

    return Tables()


def signatures(made: Any) -> dict[str, Any]:
    """Return the signatures with which the module is saved."""
    return {"serving_default": made.flow, "scale": made.inner.__call__, "image": made.image}


def plain(lib: Any, nest: Any) -> Any:
    """Convert tensors to Python values, rounded to four digits."""

    def one(leaf: Any) -> Any:
        if not hasattr(leaf, "numpy"):
            return leaf
        array = leaf.numpy()
        return array.tolist() if leaf.dtype == lib.string else array.round(4).tolist()

    return lib.nest.map_structure(one, nest)


def used(lib: Any, loaded: Any) -> list[Any]:
    """Use all parts of a loaded module and return the results."""
    c = lib.constant
    found = [
        loaded.inner(c([1.0, 1.0])),
        loaded.items[1]["k"](c([3.0, 1.0])),
        (loaded.inner.w.name, loaded.inner.w.trainable, loaded.inner.hidden.trainable),
        loaded.pair[0],
        sorted(loaded.nested({"a": lib.ones([3, 2]), "b": (c(2.0), c([1, 2]))}).items()),
        loaded.many(c(1.0)),
        loaded.many(c(1.0), c(2.0)),
        loaded.many(c([1.0]), scale=3.0, k=c(1.0)),
        loaded.many(1.0),
        [loaded.flow(c(x)) for x in ([1.0, 2.0], [-1.0, -2.0, 1.0])],
        loaded.text(c(["a", "bc"])),
        (loaded.step(c(2.0)), loaded.count, loaded.inner.w),
        (loaded.chosen(c(1.0)), loaded.chosen(c(-1.0)), loaded.count),
        loaded.captured(c([1.0, 1.0])),
        (loaded.effect(), loaded.count),
        loaded.image(lib.reshape(lib.range(32.0), [2, 4, 4, 1])),
        (hasattr(loaded, "number"), hasattr(loaded, "constant"), hasattr(loaded, "absent")),
    ]
    with lib.GradientTape() as tape:
        total = lib.reduce_sum(loaded.inner(c([1.0, 2.0])) ** 2)
    found.append(tape.gradient(total, loaded.inner.w))
    outer = lib.function(lambda x: loaded.flow(x) + 1.0)
    found.append([outer(c([1.0])), outer(c([1.0, 2.0]))])
    scale = loaded.signatures["scale"]
    found += [scale(x=c([1.0, 2.0])), scale.structured_outputs, scale.structured_input_signature]
    found.append(sorted(loaded.signatures))
    return [plain(lib, one) for one in found]
