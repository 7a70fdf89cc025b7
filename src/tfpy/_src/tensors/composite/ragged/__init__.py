"""``tf.RaggedTensor``: rows of different lengths.

The structure is in ``rows``, what is computed of it in the other files, the class that programs
see in ``tensor``.
"""
