"""Programs that once differed from TensorFlow, on some backend; they run on all of them.

``build.py fuzz`` prints a finding as a program: its last statement with ``$0``, ``$1``... for the
operands, and their arrays, make a case.
"""

from __future__ import annotations

from ..programs import Program
from .networks import NETWORKS
from .tensors import TENSORS

CASES: dict[str, Program] = {**TENSORS, **NETWORKS}
