"""Programs with Python control flow on tensors, compiled by TensorFlow and by tfpy."""

from autograph.programs import branches, functions, loops
from autograph.programs.registry import PROGRAMS

__all__ = ["PROGRAMS", "branches", "functions", "loops"]
