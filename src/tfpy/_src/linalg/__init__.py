"""Linear algebra: importing the folder enters the gradient rules of matrix decompositions."""

from tfpy._src.linalg import gradients as gradients
