"""The tape of a trace."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.core.tape import Entry, Tape
from tfpy._src.core.tensor import Tensor


class Recorder(Tape):
    """A tape that records every op of a trace, so that the function can be differentiated."""

    is_complete = True

    def follows(self, tensors: Sequence[Tensor]) -> bool:
        return True

    def record(self, entry: Entry) -> None:
        self.entries.append(entry)
