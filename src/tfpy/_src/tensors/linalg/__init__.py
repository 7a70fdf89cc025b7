"""Linear algebra. Importing the package registers the gradients of matrix decompositions and the
products of ragged tensors."""

from tfpy._src.tensors.linalg import gradients as gradients, ragged as ragged
