"""Escaping of text in HTML."""


def escape(text: str) -> str:
    """Return a text with the special characters of HTML escaped.

    This replaces `html.escape`, whose module contains a table of entities that pages would have to
    load.
    """
    for letter, entity in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot"), ("'", "#x27")):
        text = text.replace(letter, f"&{entity};")
    return text
