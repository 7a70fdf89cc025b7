"""Fusion passes: each creates one kind of `fusion` equation (`ir/fusion.py`)."""
