"""``tf.test``: assertions, test cases, numeric gradients and benchmarks."""

from __future__ import annotations

import collections
import os
import random
import subprocess
import sys
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from api.same import error, narrowed, same

import tfpy
from tfpy._src.testing.base import PlainTestCase

Pair = collections.namedtuple("Pair", "a b")

ASSERTIONS: list[Callable[[Any, Any], Any]] = [
    lambda t, tf: t.assertAllEqual([1, 2], tf.constant([1, 2])),
    lambda t, tf: t.assertAllEqual([1, 2], tf.constant([1, 3])),
    lambda t, tf: t.assertAllEqual([1, 2], tf.constant([1, 2, 3]), "hint"),
    lambda t, tf: t.assertAllEqual(tf.constant(3.0), 3.5, msg="hint"),
    lambda t, tf: t.assertAllEqual(np.float32([np.nan, 1]), tf.constant([np.nan, 1.0])),
    lambda t, tf: t.assertAllEqual(tf.constant(["a", "b"]), ["a", "b"]),
    lambda t, tf: t.assertAllEqual(tf.constant(["a", "b"]), [b"a", b"b"]),
    lambda t, tf: t.assertAllEqual([b"a", b"b"], tf.constant(["a", "c"])),
    lambda t, tf: t.assertAllEqual(tf.constant(["a", "b"]), ["a", "c"]),
    lambda t, tf: t.assertAllEqual(tf.Variable([True]), [True]),
    lambda t, tf: t.assertAllEqual(tf.zeros([0, 3]), np.zeros([0, 3])),
    lambda t, tf: t.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]]),
    lambda t, tf: t.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 4]]),
    lambda t, tf: t.assertAllEqual(
        tf.ragged.constant([[1, 2], [2, 3]]), tf.constant([[1, 2], [2, 3]])
    ),
    lambda t, tf: t.assertAllEqual([[1], [2, 3]], [[1], [2, 3]]),
    lambda t, tf: t.assertNotAllEqual([1, 2], tf.constant([1, 2]), "hint"),
    lambda t, tf: t.assertNotAllEqual([1, 2], tf.constant([1])),
    lambda t, tf: t.assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0000001]),
    lambda t, tf: t.assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.5]),
    lambda t, tf: t.assertAllClose(tf.constant([[1.0, 2.0]]), np.float32([[1.0, 2.5]]), msg="why"),
    lambda t, tf: t.assertAllClose(tf.constant(1.0), 1.5, atol=0.5),
    lambda t, tf: t.assertAllClose(tf.constant(1.0), 1.5, rtol=0.1),
    lambda t, tf: t.assertAllClose([np.nan, np.inf], tf.constant([np.nan, np.inf])),
    lambda t, tf: t.assertAllClose(tf.constant([1.0, 2.0]), [1.0]),
    lambda t, tf: t.assertAllClose({"a": [1.0], "b": (2.0, 3.0)}, {"a": [1.0], "b": (2.0, 3.0)}),
    lambda t, tf: t.assertAllClose({"a": [1.0], "b": (2.0, 3.0)}, {"a": [1.0], "b": (2.0, 3.5)}),
    lambda t, tf: t.assertAllClose({"a": 1.0}, {"b": 1.0}),
    lambda t, tf: t.assertAllClose({"a": 1.0}, [1.0]),
    lambda t, tf: t.assertAllClose([{"a": 1.0}, 2.0], [{"a": 1.5}, 2.0]),
    lambda t, tf: t.assertAllClose([{"a": 1.0}, 2.0], [{"a": 1.5}]),
    lambda t, tf: t.assertAllClose(Pair(tf.constant(1.0), [2.0]), Pair(1.0, [2.0])),
    lambda t, tf: t.assertAllClose(Pair(1.0, [2.0]), {"a": 1.0, "b": [3.0]}),
    lambda t, tf: t.assertAllClose([[1.0], [2.0, 3.0]], [tf.constant([1.0]), [2.0, 3.0]]),
    lambda t, tf: t.assertAllClose(tf.cast([1.0, 2.0], tf.bfloat16), [1.0, 2.0]),
    lambda t, tf: t.assertAllClose(tf.cast([1.0, 2.0], tf.bfloat16), [1.0, 2.01]),
    lambda t, tf: t.assertAllClose(tf.ragged.constant([[1.0], [2.0, 3.0]]), [[1.0], [2.0, 3.0]]),
    lambda t, tf: t.assertAllClose(tf.ragged.constant([[1.0]]), [[1.0, 2.0]]),
    lambda t, tf: t.assertAllClose(tf.constant([1 + 1j], tf.complex64), [1 + 1j]),
    lambda t, tf: t.assertAllClose((tf.constant(1.0), tf.Variable(2.0)), (1.0, 2.0)),
    lambda t, tf: t.assertNotAllClose(tf.constant(1.0), 1.0),
    lambda t, tf: t.assertNotAllClose(tf.constant(1.0), 1.1),
    lambda t, tf: t.assertAllCloseAccordingToType(tf.constant([1.0], tf.float16), [1.001]),
    lambda t, tf: t.assertAllCloseAccordingToType(tf.constant([1.0], tf.float16), [1.01]),
    lambda t, tf: t.assertAllCloseAccordingToType(tf.cast([1.0], tf.bfloat16), [1.01]),
    lambda t, tf: t.assertAllCloseAccordingToType(tf.constant([1.0]), [1.1], float_rtol=0.2),
    lambda t, tf: t.assertNear(1.0, tf.constant(1.2), 0.1),
    lambda t, tf: t.assertNear(1.0, tf.constant(1.2), 0.1, "hint"),
    lambda t, tf: t.assertNear(float("inf"), float("inf"), 0.1),
    lambda t, tf: t.assertArrayNear([1.0, 2.0], tf.constant([1.0, 2.5]), 0.1),
    lambda t, tf: t.assertArrayNear([1.0, 2.0], [1.0], 0.1),
    lambda t, tf: t.assertNDArrayNear(np.ones(3), np.ones(3) + 0.1, 0.1),
    lambda t, tf: t.assertAllInRange(tf.constant([1.0, 5.0]), 0, 5),
    lambda t, tf: t.assertAllInRange(tf.constant([1.0, 5.0]), 0, 5, open_upper_bound=True),
    lambda t, tf: t.assertAllInRange(tf.range(30), 20, 30),
    lambda t, tf: t.assertAllInRange(tf.constant([[0, 1], [2, 3]]), 0, 2, True),
    lambda t, tf: t.assertAllInRange(tf.constant([1.0, np.nan]), 0, 5),
    lambda t, tf: t.assertAllInRange(tf.constant(7.0), 0, 5),
    lambda t, tf: t.assertAllInRange(tf.constant(["a"]), 0, 5),
    lambda t, tf: t.assertAllInSet(tf.constant([1, 2, 5, 5]), [1, 2]),
    lambda t, tf: t.assertAllInSet(tf.constant([1, 2, 2]), {1, 2}),
    lambda t, tf: t.assertAllGreater(tf.constant([1, 2]), 1),
    lambda t, tf: t.assertAllLess(tf.constant([1, 2]), 3),
    lambda t, tf: t.assertAllGreaterEqual(tf.constant([1, 2]), 1),
    lambda t, tf: t.assertAllLessEqual(tf.constant([1, 2]), 1),
    lambda t, tf: t.assertDTypeEqual(tf.constant([1.0]), np.float32),
    lambda t, tf: t.assertDTypeEqual(tf.constant([1.0]), tf.float32),
    lambda t, tf: t.assertDTypeEqual(tf.constant([1.0]), np.int32),
    lambda t, tf: t.assertShapeEqual(np.ones([2, 3]), tf.ones([2, 3])),
    lambda t, tf: t.assertShapeEqual(np.ones([2, 3]), tf.ones([3, 2])),
    lambda t, tf: t.assertShapeEqual([1], tf.ones([1])),
    lambda t, tf: error(lambda: t.assertShapeEqual(tf.ones([1]), tf.Variable([1]))),
    lambda t, tf: t.assertDeviceEqual("cpu:0", "/device:CPU:0"),
    lambda t, tf: t.assertDeviceEqual("cpu:0", tf.DeviceSpec(device_type="GPU", device_index=0)),
    lambda t, tf: t.assertDictEqual({"a": np.ones(2)}, {"a": tf.ones(2)}),
    lambda t, tf: t.assertDictEqual({"a": tf.constant([1, 2])}, {"a": [1, 3]}),
    lambda t, tf: t.assertDictEqual({"a": 1}, {"b": 1}),
    lambda t, tf: t.assertStartsWith("hello", "he"),
    lambda t, tf: t.assertStartsWith("hello", "no", "hint"),
    lambda t, tf: t.assertEmpty([]),
    lambda t, tf: t.assertEmpty([1]),
    lambda t, tf: t.assertNotEmpty([]),
    lambda t, tf: t.assertLen([1, 2], 3),
    lambda t, tf: t.assertSameElements([1, 1, 2], [2, 1]),
    lambda t, tf: t.assertSameElements([1, 1, 2], [2, 1, 3]),
    lambda t, tf: t.assertItemsEqual([1, 2], [2, 1]),
    lambda t, tf: t.assertBetween(3, 1, 2),
    lambda t, tf: t.assertContainsSubset([1, 5], [1, 2]),
    lambda t, tf: t.evaluate({"a": [tf.constant(1), tf.Variable(2.0)], "b": lambda: tf.ones([2])}),
    lambda t, tf: t.evaluate(None),
    lambda t, tf: error(lambda: t.evaluate([1.0])),
    lambda t, tf: tuple(t.evaluate(tf.sparse.from_dense([[0, 1], [2, 0]]))),
    lambda t, tf: t.evaluate(tf.ragged.constant([[[1], []], [[2, 3]]])).to_list(),
    lambda t, tf: str(t.evaluate(tf.ragged.constant([[1.0], []]))),
    lambda t, tf: t.evaluate(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([3]))).indices,
]


def outcome(assertion: Callable[[Any, Any], Any], tf: Any) -> Any:
    """Return the result, or the class and the text of the error."""
    try:
        return assertion(tf.test.TestCase(), tf)
    except (AssertionError, ValueError, TypeError) as raised:
        text = str(raised).replace("tensorflow.python.framework.ops.EagerTensor", "Tensor")
        return type(raised).__name__, narrowed(text.replace(", dtype=int64", ", dtype=int32"))


@pytest.mark.filterwarnings("ignore:invalid value encountered")  # TensorFlow's own
@pytest.mark.parametrize("number", range(len(ASSERTIONS)))
def test_assertions(number: int) -> None:
    same(lambda tf: outcome(ASSERTIONS[number], tf))()


def report(kind: type[unittest.TestCase]) -> Any:
    """Return the names of the tests of a class, by what happened to them."""
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(kind).run(result)
    last = [(str(case).split()[0], text.strip().splitlines()[-1]) for case, text in result.failures]
    errors = [str(case).split()[0] for case, _ in result.errors]
    return result.testsRun, sorted(last), sorted(errors), sorted(r for _, r in result.skipped)


@same
def test_cases_are_run(tf: Any) -> Any:
    class Case(tf.test.TestCase):
        def setUp(self) -> None:
            super().setUp()
            self.x = tf.random.uniform([3])

        def test_seeds(self) -> None:
            self.assertAllClose(self.x, tf.random.Generator.from_seed(1).uniform([3]), atol=1.0)
            values = [random.random(), np.random.rand(), *self.x.numpy().tolist()]
            self.fail(f"{values[0]:.6f} {values[1]:.6f} {values[2]:.4f} {values[4]:.4f}")

        def test_passes(self) -> None:
            with self.subTest("one"):
                self.assertAllEqual(tf.shape(self.x), [3])

        def test_skipped(self) -> None:
            self.skipTest("not here")

        @tf.test.disable_with_predicate(lambda: True, "predicate")
        def test_disabled(self) -> None:
            raise ValueError

        @tf.test.disable_with_predicate(lambda: False, "predicate")
        def test_enabled(self) -> None:
            raise ValueError

        def test_folders(self) -> None:
            folder = self.get_temp_dir()
            self.assertEqual((folder, os.path.isdir(folder)), (self.get_temp_dir(), True))
            with tf.io.gfile.GFile(os.path.join(folder, "a"), "w") as file:
                file.write("text")
            self.assertEqual(Path(folder, "a").read_text(), "text")

        def test_threads(self) -> None:
            thread = self.checkedThread(target=self.assertEqual, args=(1, 1))
            thread.start()
            thread.join()
            failing = self.checkedThread(target=self.assertEqual, kwargs={"first": 1, "second": 2})
            failing.start()
            failing.join()

        def test_sessions(self) -> None:
            with self.cached_session(use_gpu=True) as session:
                self.assertAllEqual(session.run([tf.constant(1), {"a": tf.ones([2])}])[0], 1)
                with self.assertRaises(RuntimeError):
                    session.run(tf.constant(1), feed_dict={1: 2})
            with self.session() as session, self.assertRaises(AttributeError):
                session.run(tf.constant(1))
            with self.test_session() as session:
                self.assertIsNone(session)

    return report(tf.test.with_eager_op_as_function(Case))


@same
def test_expected_errors(tf: Any) -> Any:
    class Case(tf.test.TestCase):
        def test_shapes(self) -> None:
            with self.assertRaisesIncompatibleShapesError():
                tf.ones([2]) + tf.ones([3])

        def test_class(self) -> None:
            with self.assertRaisesOpError("Incompatible shapes"):
                tf.ones([2]) + tf.ones([3])

        def test_predicate(self) -> None:
            with self.assertRaisesWithPredicateMatch(ValueError, lambda e: "b" in str(e)):
                raise ValueError("abc")

        def test_text(self) -> None:
            with self.assertRaisesWithPredicateMatch(ValueError, "^b"):
                raise ValueError("abc")

        def test_nothing(self) -> None:
            with self.assertRaisesWithPredicateMatch(ValueError, "b"):
                pass

        def test_other(self) -> None:
            with self.assertRaisesWithPredicateMatch(ValueError, "b"):
                raise KeyError("abc")

        def test_regex(self) -> None:
            with self.assertRaisesRegex(ValueError, "b"):
                raise ValueError("abc")

    return report(Case)


@same
def test_assertions_in_functions(tf: Any) -> Any:
    class Case(tf.test.TestCase):
        @tf.function
        def check(self, x: Any) -> Any:
            self.assertAllEqual(x, [1, 2])
            self.assertAllInRange(x + 1, 2, 3)
            return x

        def test_right(self) -> None:
            self.check(tf.constant([1, 2]))

        def test_wrong(self) -> None:
            with self.assertRaises(Exception):  # noqa: B017 - a class of each library
                self.check(tf.constant([1, 3]))

    return report(Case)


@same(tolerance=1e-2)
def test_gradients(tf: Any) -> Any:
    compute = tf.test.compute_gradient
    return [
        compute(tf.square, [[1.0, 3.0]]),
        compute(lambda x, y: tf.matmul(x, y), [tf.ones([2, 3]), [[1.0], [2.0], [0.5]]]),
        compute(lambda x: tf.reduce_sum(x) * x, [tf.constant([1 + 2j, 0.5j], tf.complex64)]),
        compute(lambda x: tf.math.real(x), [tf.constant([1 + 2j], tf.complex64)]),
        compute(lambda x: tf.gather(x, [0, 0, 2]), [[1.0, 2.0, 3.0]]),
        compute(lambda x: tf.stop_gradient(x), [[1.0]]),
        compute(lambda x: x[:0], [[1.0, 2.0]]),
        compute(tf.function(tf.sin), [tf.constant(0.5)], delta=1 / 64),
        error(lambda: compute(tf.square, tf.constant([1.0]))),
        error(lambda: compute(tf.square, [tf.constant([1])])),
    ]


@same
def test_what_is_available(tf: Any) -> Any:
    test = tf.test
    return [
        (test.is_built_with_cuda(), test.is_built_with_rocm(), test.is_built_with_gpu_support()),
        (test.is_built_with_xla(), test.is_cpu_target_available("x86")),
        error(lambda: test.is_cpu_target_available("none")),
        (test.is_gpu_available(), test.gpu_device_name(), test.experimental.sync_devices()),
        tf.compat.v1.test.TestCase is test.TestCase,
        tf.compat.v1.test.mock is unittest.mock,
        os.path.isdir(tf.compat.v1.test.get_temp_dir()),
    ]


@same
def test_replaced_attributes(tf: Any) -> Any:
    class Parent:
        number = 1

        def double(self, x: int) -> int:
            return 2 * x

    class Child(Parent):
        pass

    child, stubs = Child(), tf.compat.v1.test.StubOutForTesting()
    stubs.Set(Parent, "number", 2)
    stubs.Set(Parent, "number", 3)
    stubs.SmartSet(child, "double", lambda self, x: 3 * x)
    found = [child.number, child.double(1)]
    stubs.CleanUp()
    missing = error(lambda: stubs.SmartSet(child, "missing", 1))
    return [*found, child.number, child.double(1), missing]


PROGRAM = """
import tfpy as tf

class MainTest(tf.test.TestCase):
    def test_one(self):
        self.assertAllEqual(tf.range(2), [0, 1])

    def test_two(self):
        self.assertAllEqual(tf.range(2), [0, 2])

if __name__ == "__main__":
    tf.test.main()
"""

ENTRY = """\
entry {
  name: "TotalBenchmark.benchmark_sum"
  iters: 3
  wall_time: 0.5
  throughput: 0.33333333333333331
  extras {
    key: "b"
    value {
      string_value: "text"
    }
  }
  extras {
    key: "a"
    value {
      double_value: 2
    }
  }
  metrics {
    name: "m"
    value: 1
    max_value {
      value: 2.5
    }
  }
}

"""
"""The output of the benchmark with TensorFlow."""


def test_main(tmp_path: Path) -> None:
    path = tmp_path / "main_test.py"
    path.write_text(PROGRAM)
    source = str(Path(tfpy.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source}
    command = [sys.executable, str(path), "MainTest"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "FAILED (failures=1, skipped=1)"


def test_benchmarks(capsys: pytest.CaptureFixture[str]) -> None:
    class TotalBenchmark(tfpy.test.Benchmark):
        def benchmark_sum(self) -> None:
            self.report_benchmark(
                iters=3,
                wall_time=0.5,
                throughput=1 / 3,
                extras={"b": "text", "a": 2},
                metrics=[{"name": "m", "value": 1.0, "max_value": 2.5}],
            )

        def benchmark_wrong(self) -> None:
            self.report_benchmark(metrics=[{"value": 1.0}])

    tfpy.test.main(["program", "--benchmark_filter=Total.*sum"])
    assert capsys.readouterr().out == ENTRY
    with pytest.raises(TypeError, match="no key 'name'"):
        tfpy.test.main(["program", "--benchmark_filter=wrong"])
    with pytest.raises(ValueError, match="No benchmarks matched"):
        tfpy.test.main(["program", "--benchmark_filter=Product"])


PLAIN: list[Callable[[Any], Any]] = [
    lambda t: t.assertEmpty([1]),
    lambda t: t.assertEmpty([]),
    lambda t: t.assertEmpty(3),
    lambda t: t.assertNotEmpty([], "hint"),
    lambda t: t.assertLen([1], 2),
    lambda t: t.assertLen(np.ones(2), 2),
    lambda t: t.assertEndsWith("ab", "a"),
    lambda t: t.assertNotEndsWith("ab", "b"),
    lambda t: t.assertNotStartsWith("ab", "a"),
    lambda t: t.assertSequenceStartsWith([1], [1, 2]),
    lambda t: t.assertSequenceStartsWith([2], [1, 2]),
    lambda t: t.assertSequenceAlmostEqual([1.0], [1.00000001]),
    lambda t: t.assertContainsSubset([1], [2, 1]),
    lambda t: t.assertContainsSubset([3], [2, 1]),
    lambda t: t.assertNoCommonElements([1], [2, 1]),
    lambda t: t.assertSameElements([1, 1], [1]),
    lambda t: t.assertSameElements([1, 3], [1, 4]),
    lambda t: t.assertSameElements("ab", "ab"),
    lambda t: t.assertBetween(1, 2, 3),
    lambda t: t.assertRegexMatch("abc", ["x", "b"]),
    lambda t: t.assertContainsInOrder(["a", "b"], "a b"),
    lambda t: t.assertContainsSubsequence([1, 2, 3], [1, 3]),
    lambda t: t.assertContainsExactSubsequence([1, 2, 3], [2, 3]),
    lambda t: t.assertDictAlmostEqual({"a": 1.0}, {"a": 1.00000001}),
    lambda t: t.assertJsonEqual('{"a": 1}', '{ "a": 1 }'),
    lambda t: Path(t.create_tempfile(content="text")).read_text(),
    lambda t: t.create_tempfile("name/of.txt", content=b"text").read_bytes(),
    lambda t: os.path.isdir(t.create_tempdir("folder").mkdir("inner")),
]


@pytest.mark.parametrize("number", range(len(PLAIN)))
def test_assertions_without_absl(number: int) -> None:
    """Check that the class for programs without absl has the same assertions and messages."""
    absltest = pytest.importorskip("absl.testing.absltest")
    from absl import flags

    flags.FLAGS(sys.argv[:1])

    def outcome(kind: Any) -> Any:
        found: list[Any] = []
        result = unittest.TestResult()

        class Case(kind):  # type: ignore[misc]
            def runTest(self) -> None:  # noqa: N802
                found.append(PLAIN[number](self))

        Case().run(result)
        ends = [text.strip().splitlines()[-1] for _, text in result.failures]
        return found, ends, result.errors

    assert outcome(PlainTestCase) == outcome(absltest.TestCase)
