"""Graphs as nodes of other formats: what the writers share."""
