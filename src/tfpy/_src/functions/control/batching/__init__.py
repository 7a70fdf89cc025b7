"""Batching rules of the primitives, which apply a function of one row to all rows at once."""
