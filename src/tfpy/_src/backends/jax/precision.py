"""The requested precision of matrix products."""


class Rounding:
    """The switch that permits products of float32 at reduced precision."""

    enabled = True
