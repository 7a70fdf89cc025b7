"""Tensor computation: arrays, math, linear algebra, random numbers, signals, neural networks,
ragged and sparse tensors, Variables, automatic differentiation, and images on the page."""
