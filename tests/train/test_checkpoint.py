"""Checkpoints written by TensorFlow are restored by tfpy, and vice versa."""

from __future__ import annotations

import asyncio
import copy
import gc
import logging
from collections import OrderedDict
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as reference
from api.same import compare

import tfpy

BOTH = pytest.mark.parametrize("library", [tfpy, reference], ids=["tfpy", "tensorflow"])


def network(tf: ModuleType, scale: int) -> Any:
    """Return a module with everything that checkpoints track, with values scaled by a number."""

    class Network(tf.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.weights = tf.Variable(np.float32([[1.0, 2.0], [3.0, 4.0]]) * scale)
            self.same = self.weights
            self.listed = [tf.Variable(3.0 * scale), {"a": tf.Variable(4.0 * scale)}, 5, "x"]
            self.pair = (tf.Variable(scale), 2)
            self.named = {"a/b.c": tf.Variable([b"text" * scale, b""]), "n": 7}
            self.nothing: list[Any] = []
            self.half = tf.Variable(np.float16(scale))
            self.brain = tf.Variable(scale, dtype=tf.bfloat16)
            self.byte = tf.Variable(np.uint8([scale]))
            self.truth = tf.Variable(scale == 1)
            self.complex = tf.Variable(np.complex64([scale + 1j]))
            self.empty = tf.Variable(tf.zeros([0, 3]))
            self.long = tf.Variable(np.int64(scale))
            self.double = tf.Variable(np.float64([scale]))
            self.generator = tf.random.Generator.from_seed(scale)
            self.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int32, -1)
            self.table.insert(["a"], [scale])

    return Network()


def values(tf: ModuleType, net: Any) -> list[Any]:
    held = [net.weights, net.listed[0], net.listed[1]["a"], net.pair[0], net.named["a/b.c"]]
    held += [net.half, net.byte, net.truth, net.complex, net.empty, net.long, net.double]
    found = [tf.convert_to_tensor(v) for v in held]
    table = net.table.lookup(tf.constant(["a", "b"]))
    return [*found, tf.cast(net.brain, tf.float32), table, net.generator.uniform([3])]


@pytest.mark.parametrize(("writer", "reader"), [(reference, tfpy), (tfpy, reference), (tfpy, tfpy)])
def test_all_kinds_of_objects(writer: Any, reader: Any, tmp_path: Path) -> None:
    written, read = network(writer, 3), network(reader, 1)
    step = reader.Variable(0)
    path = writer.train.Checkpoint(net=written, step=writer.Variable(7)).save(tmp_path / "of")
    assert path == f"{tmp_path}/of-1"
    checkpoint = reader.train.Checkpoint(net=read, step=step)
    checkpoint.restore(path).assert_consumed()
    mine, wanted = values(reader, read), values(writer, written)
    if writer is reference:
        compare(mine, wanted, 1e-6, "restored")
    else:
        for a, b in zip(mine, wanted, strict=True):
            np.testing.assert_array_equal(np.asarray(a.numpy()), np.asarray(b.numpy()))
    assert (int(step), int(checkpoint.save_counter)) == (7, 1)
    listed = reader.train.list_variables(path)
    assert listed == writer.train.list_variables(str(tmp_path))
    assert dict(listed)["net/named/a.Sb..c/.ATTRIBUTES/VARIABLE_VALUE"] == [2]
    values_of = [lib.train.load_checkpoint(path) for lib in (tfpy, reference)]
    for key, _ in listed:
        assert all(reader.has_tensor(key) for reader in values_of)
        if "brain" not in key and "GRAPH" not in key:
            a, b = (reader.get_tensor(key) for reader in values_of)
            np.testing.assert_array_equal(a, b)
            assert type(a) is type(b)
            assert getattr(a, "dtype", 0) == getattr(b, "dtype", 0)
    shapes = [reader.get_variable_to_shape_map() for reader in values_of]
    assert shapes[0] == shapes[1]


class Pair(NamedTuple):
    """A tuple with items that checkpoints store by name and by number."""

    first: Any
    second: list[Any]


class Late:
    """Programs that create Variables after a checkpoint was restored."""

    @staticmethod
    def attribute(tf: ModuleType, module: Any) -> Any:
        module.late = tf.Variable([0.0])
        return module.late

    @staticmethod
    def module(tf: ModuleType, module: Any) -> Any:
        inner = tf.Module()
        module.inner = inner
        inner.late = tf.Variable([0.0])
        return inner.late

    @staticmethod
    def item(tf: ModuleType, module: Any) -> Any:
        module.listed.append(tf.Variable([0.0]))
        return module.listed[1]

    @staticmethod
    def key(tf: ModuleType, module: Any) -> Any:
        module.named["late"] = tf.Variable([0.0])
        return module.named["late"]

    @staticmethod
    def nested(tf: ModuleType, module: Any) -> Any:
        module.nest = {"deep": []}
        module.nest["deep"].append(tf.Variable([0.0]))
        return module.nest["deep"][0]

    @staticmethod
    def fresh(tf: ModuleType, module: Any) -> Any:
        module.fresh = []
        module.fresh.append(tf.Variable([0.0]))
        return module.fresh[0]

    @staticmethod
    def extended(tf: ModuleType, module: Any) -> Any:
        module.extended = []
        module.extended += [1]
        module.extended.extend([{"a": [None]}])
        module.extended[1]["a"][0] = tf.Variable([0.0])
        return module.extended[1]["a"][0]

    @staticmethod
    def shared(tf: ModuleType, module: Any) -> Any:
        module.shared = own = []  # type: ignore[var-annotated]
        module.shared.append(tf.Variable([0.0]))
        assert own == module.shared
        assert len(own) == 1
        return module.shared[0]

    @staticmethod
    def updated(tf: ModuleType, module: Any) -> Any:
        module.updated = OrderedDict()
        module.updated["b"] = []
        module.updated.update(a=tf.Variable([0.0]))
        assert list(module.updated) == ["b", "a"]
        return module.updated["a"]

    @staticmethod
    def in_tuple(tf: ModuleType, module: Any) -> Any:
        module.tuple = (1, ([], tf.Variable([0.0])))
        module.tuple[1][0].append(tf.Variable([0.0]))
        return module.tuple[1][0][0]

    @staticmethod
    def in_pair(tf: ModuleType, module: Any) -> Any:
        module.pair = Pair(tf.Variable([0.0]), [])
        module.pair.second.append(tf.Variable([0.0]))
        return module.pair.second[0]

    @staticmethod
    def module_in_list(tf: ModuleType, module: Any) -> Any:
        module.modules = []
        module.modules.append(tf.Module())
        module.modules[0].late = tf.Variable([0.0])
        return module.modules[0].late

    @staticmethod
    def compiled(tf: ModuleType, module: Any) -> Any:
        @tf.function  # type: ignore[untyped-decorator]
        def call() -> Any:
            if not hasattr(module, "traced"):
                module.traced = tf.Variable([0.0])
            return module.traced + 1.0

        assert call().numpy() == [4.0]
        return module.traced


KINDS = [name for name in vars(Late) if not name.startswith("_")]


def early(tf: ModuleType) -> Any:
    module = tf.Module()
    module.listed, module.named = [tf.Variable(1.0)], {"first": tf.Variable(2.0)}
    return module


@BOTH
def test_objects_that_come_later(library: ModuleType, tmp_path: Path) -> None:
    full = early(library)
    for kind in KINDS:
        if kind != "compiled":
            getattr(Late, kind)(library, full).assign([3.0])
    full.traced = library.Variable([3.0])
    path = library.train.Checkpoint(full, net=full).write(str(tmp_path / "of"))
    module = early(library)
    checkpoint = library.train.Checkpoint(module, net=module)
    status = checkpoint.read(path)
    status.assert_existing_objects_matched().assert_nontrivial_match()
    with pytest.raises(AssertionError, match="Unresolved object in checkpoint"):
        status.assert_consumed()
    for kind in KINDS:
        assert getattr(Late, kind)(library, module).numpy() == [3.0], kind
    status.assert_consumed()
    module.other = library.Variable(1.0)
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound to"):
        status.assert_existing_objects_matched()


@BOTH
def test_lists_that_wait_are_lists(library: ModuleType, tmp_path: Path) -> None:
    """Check that the list of a module behaves like a list for everyone who reads or changes it."""
    tf = library
    full = tf.Module()
    full.listed, full.named = [tf.Variable(1.0), tf.Variable(2.0)], {"a": tf.Variable(3.0)}
    path = tf.train.Checkpoint(full).write(str(tmp_path / "of"))
    module = tf.Module()
    module.listed, module.named = [], {}
    status = tf.train.Checkpoint(module).read(path)
    one, two = module.listed, module.named
    empty: list[Any] = []
    assert (repr(one), str(two), one == empty, empty == one, bool(one)) == (
        ("ListWrapper([])", "{}", True, True, False)
    )
    one.append(tf.Variable(0.0))
    module.listed.append(tf.Variable(0.0))
    two["a"] = tf.Variable(0.0)
    assert [float(v) for v in module.listed] == [1.0, 2.0] == [float(v) for v in one[:]]
    assert [float(v) for v in reversed([*one])] == [2.0, 1.0]
    other = [tf.Variable(5.0)]
    assert (one.index(one[1]), len(one + other), len(other + one), isinstance(one, list)) == (
        (1, 3, 3, True)
    )
    assert ({**two}.keys(), dict(two).keys(), "a" in two, two.get("b")) == (
        {"a"},
        {"a"},
        True,
        None,
    )
    assert tf.stack(one).numpy().tolist() == [1.0, 2.0]
    assert [type(x).__name__ for x in tf.nest.map_structure(float, [one, (1.0,)])] == (
        ["ListWrapper", "tuple"]
    )
    assert float(tf.function(lambda x, y: x[0] + x[1] + y["a"])(one, dict(two))) == 6.0
    assert [float(v) for v in module.variables] == [1.0, 2.0, 3.0]
    status.assert_consumed()


@BOTH
def test_items_of_other_shapes_are_left(library: ModuleType, tmp_path: Path) -> None:
    """Check that containers accept items of other shapes, as optimizers require.

    Attributes do not accept them.
    """
    tf = library
    full = tf.Module()
    full.listed = [tf.Variable(1.0), tf.Variable(2.0)]
    full.named, full.one = {"a": tf.Variable(3.0)}, tf.Variable(4.0)
    path = tf.train.Checkpoint(full).write(str(tmp_path / "of"))
    module = tf.Module()
    module.listed, module.named = [], {}
    status = tf.train.Checkpoint(module).read(path).expect_partial()
    module.listed.append(tf.Variable([5.0]))
    module.listed.append(tf.Variable(0.0))
    module.named["a"] = tf.Variable([6.0])
    assert [v.numpy().tolist() for v in module.listed] == [[5.0], 2.0]
    assert module.named["a"].numpy() == [6.0]
    status.assert_existing_objects_matched()
    with pytest.raises(ValueError, match="incompatible tensor with shape"):
        module.one = tf.Variable([7.0])
    other = tf.Module()
    other.listed = []
    tf.train.Checkpoint(other).read(path).expect_partial()
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtype"):
        other.listed.append(tf.Variable(1))


@BOTH
def test_what_does_not_match(library: ModuleType, tmp_path: Path) -> None:
    tf, prefix = library, str(tmp_path / "of")
    path = tf.train.Checkpoint(a=tf.Variable([1.0, 2.0]), b=tf.Variable(3)).write(prefix)
    with pytest.raises(ValueError, match=r"incompatible tensor with shape .* restore variable"):
        tf.train.Checkpoint(a=tf.Variable([1.0])).read(path)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="dtype"):
        tf.train.Checkpoint(b=tf.Variable(1.0)).read(path)
    with pytest.raises(AssertionError, match="Nothing except the root object matched"):
        tf.train.Checkpoint(c=tf.Variable(1)).read(path).expect_partial().assert_nontrivial_match()
    with pytest.raises(AssertionError, match="Nothing to load"):
        tf.train.Checkpoint().read(path).expect_partial().assert_nontrivial_match()
    with pytest.raises(tf.errors.NotFoundError, match="Error when restoring from checkpoint"):
        tf.train.Checkpoint().restore(prefix + "-9")
    nothing = tf.train.Checkpoint(a=tf.Variable(1.0)).restore(None)
    nothing.initialize_or_restore()
    nothing.expect_partial()
    for check in ("consumed", "existing_objects_matched", "nontrivial_match"):
        with pytest.raises(AssertionError, match="No checkpoint specified"):
            getattr(nothing, f"assert_{check}")()
    with pytest.raises(ValueError, match="was expecting x to be a trackable object"):
        tf.train.Checkpoint(x=3)
    module = tf.Module()
    module.v = tf.Variable(1.0)
    with pytest.raises(ValueError, match=r"keyword argument v if root\.v already exists"):
        tf.train.Checkpoint(module, v=tf.Variable(2.0))
    module.d = {3: tf.Variable(1.0)}
    with pytest.raises(ValueError, match="key"):
        tf.train.Checkpoint(module).write(prefix)
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        tf.train.load_checkpoint(str(tmp_path))
    with pytest.raises(tf.errors.NotFoundError, match="not found in checkpoint"):
        tf.train.load_variable(path, "none")


def test_integers_beyond_32_bits_are_refused(tmp_path: Path) -> None:
    large = reference.Variable(2**40, dtype=reference.int64)
    path = reference.train.Checkpoint(v=large).write(str(tmp_path / "of"))
    with pytest.raises(tfpy.errors.InvalidArgumentError, match="do not fit into int32"):
        tfpy.train.Checkpoint(v=tfpy.Variable(0)).read(path)


def test_wide_numbers_go_back_as_wide(tmp_path: Path) -> None:
    """Check that TensorFlow's int64 and float64 values keep their dtype.

    tfpy saves them narrowed.
    """
    theirs = {"n": reference.Variable(5, dtype=reference.int64), "x": reference.Variable(np.pi)}
    theirs["x"] = reference.Variable(np.float64([0.5]))
    first = reference.train.Checkpoint(**theirs).write(str(tmp_path / "a"))
    mine = tfpy.train.Checkpoint(n=tfpy.Variable(0), x=tfpy.Variable([0.0]))
    mine.read(first).assert_consumed()
    mine.n.assign_add(1)
    reference.train.Checkpoint(**theirs).read(mine.write(tmp_path / "b")).assert_consumed()
    assert (theirs["n"].numpy(), theirs["x"].numpy()) == (6, [0.5])


def test_later_checkpoints_count(tmp_path: Path) -> None:
    paths = [
        tfpy.train.Checkpoint(v=tfpy.Variable(float(i))).write(tmp_path / str(i)) for i in range(2)
    ]
    checkpoint = tfpy.train.Checkpoint()
    for path in paths:
        status = checkpoint.read(path)
    checkpoint.v = tfpy.Variable(9.0)
    assert checkpoint.v.numpy() == 1.0
    status.assert_consumed()


def test_values_that_are_left_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tfpy.train.Checkpoint(v=tfpy.Variable(1.0)).write(tmp_path / "of")
    for partial in (False, True):
        checkpoint = tfpy.train.Checkpoint()
        status = checkpoint.read(path)
        if partial:
            status.expect_partial()
        caplog.clear()
        with caplog.at_level(logging.WARNING, "tensorflow"):
            del checkpoint, status
            gc.collect()
        assert ("(root).v" in caplog.text) is not partial


def test_two_objects_of_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    shared = tfpy.Variable(1.0)
    path = tfpy.train.Checkpoint(a=shared, b=shared).write(tmp_path / "of")
    tfpy.train.Checkpoint(a=tfpy.Variable(0.0), b=tfpy.Variable(0.0)).read(path).expect_partial()
    assert "one object where the program has two" in caplog.text


def test_copies_wait_for_nothing(tmp_path: Path) -> None:
    module = early(tfpy)
    module.listed.append(tfpy.Variable([5.0]))
    path = tfpy.train.Checkpoint(module).write(tmp_path / "of")
    module = early(tfpy)
    tfpy.train.Checkpoint(module).read(path).expect_partial()
    other = copy.deepcopy(module)
    for one, wanted in ((other, 0.0), (module, 5.0)):
        one.listed.append(tfpy.Variable([0.0]))
        assert one.listed[1].numpy() == wanted


def test_iterators_go_on(tmp_path: Path) -> None:
    def made() -> Any:
        return iter(tfpy.data.Dataset.range(10).shuffle(10, seed=3).repeat(2).batch(2))

    iterator = made()
    wanted = [next(iterator).numpy().tolist() for _ in range(2)]
    checkpoint = tfpy.train.Checkpoint(iterator=iterator)
    path = checkpoint.write(tmp_path / "of")
    wanted += [batch.numpy().tolist() for batch in iterator]
    tfpy.train.Checkpoint(iterator=(fresh := made())).read(path).assert_consumed()
    assert [batch.numpy().tolist() for batch in fresh] == wanted[2:]


def test_awaited(tmp_path: Path) -> None:
    async def save() -> list[Any]:
        checkpoint = tfpy.train.Checkpoint(v=tfpy.Variable(3.0))
        manager = tfpy.train.CheckpointManager(checkpoint, tmp_path / "managed", max_to_keep=1)
        return [
            await checkpoint.write_async(tmp_path / "a"),
            await checkpoint.save_async(tmp_path / "b"),
            await manager.save_async(),
        ]

    paths = asyncio.run(save())
    assert [path.rpartition("/")[2] for path in paths] == ["a", "b-1", "ckpt-2"]
    key = "v/.ATTRIBUTES/VARIABLE_VALUE"
    assert {float(reference.train.load_variable(path, key)) for path in paths} == {3.0}
