"""What is computed with tensors: arrays, math, linear algebra, random numbers, neural networks,
ragged and sparse tensors, Variables, automatic differentiation, pixels of the page."""
