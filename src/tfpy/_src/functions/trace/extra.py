"""Inputs of a trace that are not arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor

if TYPE_CHECKING:
    from tfpy._src.tensors.variables.variable import Variable


@dataclass(frozen=True)
class Extra:
    """A Graph input that is not an argument: a captured tensor, a Variable or a feed."""

    tensor: Tensor
    """The tensor that ops of the trace receive: symbolic, or the captured tensor itself."""
    fetch: Callable[[], Tensor]
    """Returns the value for a call."""
    variable: Variable | None = None
    anew: Callable[[], Callable[[], Array]] | None = None
    """For a feed: returns a function that yields the feed's values from the beginning."""
