"""Texts in HTML."""


def escape(text: str) -> str:
    """A text as HTML and its attributes have it.

    As ``html.escape``, whose module has a table of entities that a page would have to fetch.
    """
    for letter, entity in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot"), ("'", "#x27")):
        text = text.replace(letter, f"&{entity};")
    return text
