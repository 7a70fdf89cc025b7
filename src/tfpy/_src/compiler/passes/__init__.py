"""Passes over the Graph: each is a function from a Graph to a new Graph with the same meaning.

`pipeline.py` defines their order, `rewrite.py` the common infrastructure.
"""
