"""The guide on Variables."""

from __future__ import annotations

from typing import Any

from guides.printed import prints_the_same, refused


@prints_the_same
def test_making(tf: Any, print: Any) -> None:
    tensor = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    variable = tf.Variable(tensor)
    flags = tf.Variable([False, False, False, True])
    numbers = tf.Variable([5 + 4j, 6 + 1j])
    print(flags)
    print(numbers.dtype)
    print("shape: ", variable.shape)
    print("dtype: ", variable.dtype)
    print("as NumPy: ", variable.numpy())
    print("a variable:", variable)
    print("\nas a tensor:", tf.convert_to_tensor(variable))
    print("\nlargest:", tf.math.argmax(variable))
    print("\nreshaped copy: ", tf.reshape(variable, [1, 4]))


@prints_the_same
def test_assigning(tf: Any, print: Any) -> None:
    a = tf.Variable([2.0, 3.0])
    a.assign([1, 2])
    print(a)
    print(refused(lambda: a.assign([1.0, 2.0, 3.0])))
    a = tf.Variable([2.0, 3.0])
    b = tf.Variable(a)
    a.assign([5, 6])
    print(a.numpy())
    print(b.numpy())
    print(a.assign_add([2, 3]).numpy())
    print(a.assign_sub([7, 9]).numpy())


@prints_the_same
def test_names(tf: Any, print: Any) -> None:
    tensor = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    a = tf.Variable(tensor, name="Mark")
    b = tf.Variable(tensor + 1, name="Mark")
    print(a == b)
    print(a.name, b.name)
    step = tf.Variable(1, trainable=False)
    print(step.trainable)


@prints_the_same
def test_devices(tf: Any, print: Any) -> None:
    a = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    b = tf.Variable([[1.0, 2.0, 3.0]])
    print(a * b)
    c = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    print(tf.matmul(a, c))
