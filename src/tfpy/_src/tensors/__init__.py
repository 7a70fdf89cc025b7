"""Tensor computation: arrays, math, linear algebra, random numbers, neural networks, ragged and
sparse tensors, Variables, automatic differentiation and the pixels of the page."""
