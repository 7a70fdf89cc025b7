"""Output of HTML in a notebook, in marimo or in a page."""

from __future__ import annotations

import sys
from typing import Any

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.interop import is_null

if IN_BROWSER:
    import js


def in_notebook() -> bool:
    """Return True if the program runs in a notebook of IPython or marimo."""
    return _marimo() is not None or _display() is not None


class Screen:
    """An output area for HTML: the cell's output in a notebook, or an element of a page.

    Args:
        element: Element of the page, or its CSS selector. Default: a new element after the script.
    """

    def __init__(self, element: Any = None) -> None:
        self._element = element
        self._handle: Any = None

    def show(self, html: str) -> bool:
        """Show HTML in place of the previous content. Return False if only text output exists."""
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
    """Show HTML below the output of a notebook's cell. Return False outside of a notebook."""
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
    """Return IPython's display module, if a notebook runs."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if ipython is None or shell is None or type(shell).__name__ == "TerminalInteractiveShell":
        return None
    return ipython.display


_SHOWN = ".tfpy-output, .tfpy-error, .tfpy-picture"
"""Selector of the elements that a script has added below itself."""


def show_picture(svg: str, element: Any) -> Any:
    """Show an image in an element, or in a new one after the running script.

    Args:
        element: Element of the page, its CSS selector, or None.

    Returns:
        The element. In the worker of a page's script, its proxy; None in other workers, which show
        nothing.

    Raises:
        ValueError: If no element matches the selector.
    """
    if not hasattr(js, "document"):
        return js.tfpyShowPicture(svg, element) if hasattr(js, "tfpyShowPicture") else None
    if isinstance(element, str):
        selector, element = element, js.document.querySelector(element)
        if is_null(element):
            raise ValueError(f"The page has no element {selector!r} to show the image in.")
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
