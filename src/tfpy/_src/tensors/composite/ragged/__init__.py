"""`tf.RaggedTensor`: tensors with rows of different lengths.

`row_constructors` and `rows` define the structure, `broadcast` and `conversion` compute with it,
and `tensor` defines the public class.
"""
