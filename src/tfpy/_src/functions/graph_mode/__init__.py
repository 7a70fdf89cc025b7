"""Graphs and sessions of TensorFlow 1.

While a :class:`Graph` is active, calls of public functions do not compute. Each call becomes an
:class:`Operation`, which stores the function and its arguments, and returns symbolic tensors. To
find their shapes and dtypes, the function is traced once with these arguments in a trace that is
then discarded.

A :class:`Session` runs the operations on which its fetches depend, in the order in which they were
created, inside a `tf.function` with the fed values as arguments. So the usual machinery traces the
operations for the actual shapes, compiles them together, assigns Variables, draws random numbers and
prints. There is one such function for each set of fetches and fed tensors, and one trace for each
combination of shapes. Functions are recorded instead of equations because their implementations
depend on actual sizes: `tf.reduce_mean` multiplies by the inverse of a size, for example.

A Variable of a graph is an ordinary Variable, which holds the value in the session that ran last. An
operation reads the value at the start of the run, unless it depends on an operation that assigns the
Variable.
"""
