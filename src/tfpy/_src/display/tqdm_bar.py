"""Bars of tqdm's, where a program has it."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from tfpy._src.backends.javascript.bridge import IN_BROWSER


def bars(in_notebook: bool) -> Any:
    """tqdm's class of bars for what runs this; None where there is none, or none of use.

    A notebook's needs ipywidgets. A page has no terminal: its own bar does.
    """
    if importlib.util.find_spec("tqdm") is None:
        return None
    if in_notebook:
        if importlib.util.find_spec("ipywidgets") is None:
            return None
        made: Any = importlib.import_module("tqdm.notebook").tqdm
    elif IN_BROWSER:
        return None
    else:
        made = importlib.import_module("tqdm").tqdm
    if IN_BROWSER:
        made.monitor_interval = 0  # which is a thread
    return made


class TqdmBar:
    """A bar of tqdm's.

    Args:
        bars: its class.
    """

    def __init__(self, bars: Any, total: int | None, label: str) -> None:
        self._bar = bars(total=total, desc=label or None)

    def draw(self, progress: Any) -> None:
        """Shows how far it is."""
        shown = {name: f"{value:.4g}" for name, value in progress.values.items()}
        self._bar.set_postfix(shown, refresh=False)
        self._bar.update(progress.done - self._bar.n)

    def close(self, progress: Any) -> None:
        """Leaves it as it is."""
        self.draw(progress)
        self._bar.close()
