"""Programs with Python control flow on tensors, which TensorFlow and tfpy both compile."""

from autograph.programs import branches, functions, loops
from autograph.programs.registry import PROGRAMS

__all__ = ["PROGRAMS", "branches", "functions", "loops"]
