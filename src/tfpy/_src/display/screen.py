"""What shows HTML: a notebook, marimo or a page."""

from __future__ import annotations

import sys
from typing import Any

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.interop import is_null

if IN_BROWSER:
    import js


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
            self._element = show_picture(html, self._element)
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


_SHOWN = ".tfpy-output, .tfpy-error, .tfpy-picture"
"""What stands below a script, of it."""


def show_picture(svg: str, element: Any) -> Any:
    """Shows a picture in an element, or in a new one after the script that runs.

    Args:
        element: of the page, a selector, or None.

    Returns:
        The element. In the worker of a page's script, what stands for it there; None in other
        workers, which show nothing.

    Raises:
        ValueError: when the selector names no element.
    """
    if not hasattr(js, "document"):
        return js.tfpyShowPicture(svg, element) if hasattr(js, "tfpyShowPicture") else None
    if isinstance(element, str):
        selector, element = element, js.document.querySelector(element)
        if is_null(element):
            raise ValueError(f"the page has no element {selector!r} for the picture")
    if element is None:
        element = js.document.createElement("div")
        element.className = "tfpy-picture"
        place = js.document.querySelector('[data-tfpy="running"]:not([worker])')
        if is_null(place):
            js.document.body.append(element)
        else:
            while not is_null(below := place.nextElementSibling) and below.matches(_SHOWN):
                place = below
            place.after(element)
    element.innerHTML = svg
    return element
