"""Fusion: each pass makes one kind of ``fusion`` equation (``ir/fusion.py``)."""
