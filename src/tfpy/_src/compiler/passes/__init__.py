"""Passes over the Graph: each is a function from a Graph to a new Graph with the same meaning.

``pipeline.py`` holds their order; ``rewrite.py`` what they share.
"""
