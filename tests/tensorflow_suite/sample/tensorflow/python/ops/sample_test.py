"""Tests in the style of TensorFlow's own, with one test for each column of the table."""

from absl.testing import parameterized

from tensorflow.python.eager import context
from tensorflow.python.framework import combinations
from tensorflow.python.framework import constant_op
from tensorflow.python.framework import dtypes
from tensorflow.python.framework import errors
from tensorflow.python.framework import test_util
from tensorflow.python.ops import array_ops
from tensorflow.python.ops import gen_math_ops
from tensorflow.python.ops import math_ops
from tensorflow.python.ops.ragged import ragged_factory_ops
from tensorflow.python.platform import test


@test_util.run_all_in_graph_and_eager_modes
class SampleTest(test.TestCase, parameterized.TestCase):
    @parameterized.parameters(dtypes.float32, dtypes.int32)
    def testSum(self, dtype):
        x = constant_op.constant([[1, 2], [3, 4]], dtype)
        self.assertAllEqual(math_ops.reduce_sum(x, axis=0), [4, 6])

    @combinations.generate(combinations.combine(mode=["graph", "eager"], k=[1, 2]))
    def testTile(self, k):
        self.assertEqual(array_ops.tile([1], [k]).shape, [k])

    def testRagged(self):
        x = ragged_factory_ops.constant([[1], [2, 3]])
        self.assertAllEqual(array_ops.concat([x, x], axis=1), [[1, 1], [2, 3, 2, 3]])

    @test_util.run_deprecated_v1
    def testSession(self):
        with self.cached_session():
            self.assertAllClose(self.evaluate(math_ops.exp(0.0)), 1.0)

    def testError(self):
        with self.assertRaises(errors.InvalidArgumentError):
            array_ops.reshape([1, 2, 3], [2])

    def testPositionsOfRawOp(self):
        self.assertAllEqual(gen_math_ops.mat_mul([[1]], [[2]], True), [[2]])

    def testPrivate(self):
        self.assertIsNotNone(context.context().device_name)

    @test_util.run_gpu_only
    def testOnGpu(self):
        self.fail()

    def testTheLibrary(self):
        self.assertStartsWith(test.TestCase.__module__, "tensorflow.")


if __name__ == "__main__":
    test.main()
