"""Suggestions for misspelled names, for the messages of errors."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(wrong: object, names: Iterable[str]) -> str:
    """Return a sentence with the name that is most similar to a misspelled one.

    Returns:
        The sentence after a space; empty if no name is similar.
    """
    close = difflib.get_close_matches(str(wrong), names, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
