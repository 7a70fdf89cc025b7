"""Graphs and sessions of TensorFlow 1.

While a :class:`Graph` is active, calls of public functions do not compute. Each call becomes an
:class:`Operation`, which stores the function and its arguments, and returns symbolic tensors. To
find their shapes and dtypes, the function is traced once with these arguments in a trace that is
then discarded.

A :class:`Session` runs the operations on which its fetches depend, in the order of creation. They
run inside a `tf.function` with the fed values as arguments. So the operations are traced for the
actual shapes and compiled together, as in any function. There is one function for each set of
fetches, fed tensors and shapes.

Calls are recorded instead of equations, because equations contain actual sizes. For example,
`tf.reduce_mean` multiplies by the inverse of a size.

A Variable of a graph is an ordinary Variable. It holds the value in the session that ran last. An
operation reads the value at the start of the run, unless it depends on an operation that assigns
the Variable.
"""
