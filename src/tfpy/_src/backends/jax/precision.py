"""What programs have said of the precision of products."""


class Rounding:
    """Whether products of float32 may be made of shorter numbers."""

    enabled = True
