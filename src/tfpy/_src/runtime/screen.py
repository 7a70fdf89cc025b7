"""What shows HTML: a notebook, marimo or a page."""

from __future__ import annotations

import sys
from typing import Any

from tfpy._src.runtime import page
from tfpy._src.runtime.bridge import IN_BROWSER


def in_notebook() -> bool:
    """Whether a notebook of IPython's or marimo's runs this."""
    return _marimo() is not None or _display() is not None


class Screen:
    """Shows HTML and replaces it: in a notebook in the cell's output, in a page in an element.

    Args:
        element: of the page, or a selector of one; by default a new one after the script.
    """

    def __init__(self, element: Any = None) -> None:
        self._element = element
        self._handle: Any = None

    def show(self, html: str) -> bool:
        """Shows HTML in place of what it has shown before; False where there is only text."""
        if (marimo := _marimo()) is not None:
            marimo.output.replace(marimo.Html(html))
        elif (display := _display()) is not None:
            if self._handle is None:
                self._handle = display.display(display.HTML(html), display_id=True)
            else:
                self._handle.update(display.HTML(html))
        elif IN_BROWSER:
            self._element = page.show_picture(html, self._element)
            return self._element is not None
        else:
            return False
        return True


def append(html: str) -> bool:
    """Shows HTML below what a notebook's cell has shown; False where there is no notebook."""
    if (marimo := _marimo()) is not None:
        marimo.output.append(marimo.Html(html))
    elif (display := _display()) is not None:
        display.display(display.HTML(html))
    else:
        return False
    return True


def _marimo() -> Any:
    marimo = sys.modules.get("marimo")
    return marimo if marimo is not None and marimo.running_in_notebook() else None


def _display() -> Any:
    """IPython's module that shows things, if a notebook runs."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if ipython is None or shell is None or type(shell).__name__ == "TerminalInteractiveShell":
        return None
    return ipython.display
