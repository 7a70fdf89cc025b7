"""Linear algebra: importing the folder enters the gradient rules of matrix decompositions, and what
products of ragged tensors are."""

from tfpy._src.tensors.linalg import gradients as gradients, ragged as ragged
