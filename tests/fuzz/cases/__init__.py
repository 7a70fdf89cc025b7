"""Programs that once differed from TensorFlow on some backend. They run on all backends.

``build.py fuzz`` prints a finding as a program. Its last statement, with ``$0``, ``$1``... for the
operands, and the arrays of the operands make a case.
"""

from __future__ import annotations

from ..programs import Program
from .networks import NETWORKS
from .tensors import TENSORS

CASES: dict[str, Program] = {**TENSORS, **NETWORKS}
