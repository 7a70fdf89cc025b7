"""The chat template of a tokenizer as strings between messages, for pages without Jinja.

The template is rendered for a few conversations. The strings between the contents of their messages
depend only on the roles of the messages before and after them in the usual templates. Other
conversations are rendered to check this.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

Messages = Sequence[tuple[str, str]]
"""Roles and contents."""

START, END = "start", "end"
"""Names of the places before the first message and after the last one."""
_SYSTEM, _USER, _ASSISTANT = "system", "user", "assistant"
_PROBES = ((_USER, _ASSISTANT, _USER), (_SYSTEM, _USER, _ASSISTANT, _USER))
"""Roles of the conversations that show the strings."""
_CHECKED = (
    (_USER,),
    (_SYSTEM, _USER),
    (_USER, _ASSISTANT, _USER, _ASSISTANT, _USER),
    (_SYSTEM, _USER, _ASSISTANT, _USER, _ASSISTANT, _USER),
)
"""Roles of the conversations that are compared with the template."""
_SPACES = "\t \t"
"""Spaces around contents, which some templates strip."""
_CONTENTS = (
    "Hello!",
    "  two\nlines \n",
    "\u4f60\u597d",
    "'quoted' {{ text }}",
    "x",
    "<b>&amp;</b>",
)


def chat_format(tokenizer: Any) -> dict[str, Any] | None:
    """Return the strings between messages, and the roles with contents that are stripped.

    Returns:
        A dict with `joins`, the strings by the roles before and after them, and `stripped`, a list
        of roles. None if there is no template, or if the strings depend on more than the roles.
    """
    if getattr(tokenizer, "chat_template", None) is None:
        return None
    template = _Template(tokenizer)
    joins: dict[str, dict[str, str]] = {}
    stripped: set[str] = set()
    for probe in _PROBES:
        for after, before, found in template.strings(probe, stripped):
            joins.setdefault(before, {}).setdefault(after, found)
    made: dict[str, Any] = {"joins": joins, "stripped": sorted(stripped)}
    known = [roles for roles in _CHECKED if _has_joins(joins, roles)]
    if known and all(template.agrees(made, roles) for roles in known):
        return made
    warnings.warn(
        "the file has no chat format, because the strings between messages depend on more than "
        "their roles in the tokenizer's chat_template",
        stacklevel=5,
    )
    return None


def rendered(form: Mapping[str, Any], messages: Messages) -> str:
    """Write a conversation as a page does."""
    roles = [START, *(role for role, _ in messages), END]
    contents = [_content(form, role, text) for role, text in messages]
    between = [form["joins"][a][b] for a, b in itertools.pairwise(roles)]
    return "".join(
        part for pair in itertools.zip_longest(between, contents, fillvalue="") for part in pair
    )


def _content(form: Mapping[str, Any], role: str, text: str) -> str:
    return text.strip() if role in form["stripped"] else text


def _has_joins(joins: Mapping[str, Mapping[str, str]], roles: Sequence[str]) -> bool:
    return all(b in joins.get(a, {}) for a, b in itertools.pairwise([START, *roles, END]))


class _Template:
    """A chat template that is rendered for conversations."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def _written(self, messages: Messages) -> str | None:
        """Write a conversation; return None if the template rejects its roles."""
        given = [{"role": role, "content": text} for role, text in messages]
        try:
            return str(self._tokenizer.apply_chat_template(given))
        except ValueError:
            return None

    def strings(self, roles: Sequence[str], stripped: set[str]) -> list[tuple[str, str, str]]:
        """Return the strings of a conversation as (role after, role before, string).

        Roles with contents that the template strips are added to `stripped`.
        """
        names = [f"tfpy{i}content" for i in range(len(roles))]
        given = [(r, f"{_SPACES}{name}{_SPACES}") for r, name in zip(roles, names, strict=True)]
        text = self._written(given)
        if text is None:
            return []
        found: list[tuple[str, str, str]] = []
        before = START
        for role, name in zip(roles, names, strict=True):
            place = text.find(name)
            if place < 0:
                return []
            lead, text = text[:place], text[place + len(name) :]
            if lead.endswith(_SPACES) and text.startswith(_SPACES):
                lead, text = lead.removesuffix(_SPACES), text.removeprefix(_SPACES)
            else:
                stripped.add(role)
            found.append((role, before, lead))
            before = role
        return [*found, (END, before, text)]

    def agrees(self, form: Mapping[str, Any], roles: Sequence[str]) -> bool:
        """Compare conversations with the template."""
        contents = itertools.cycle(_CONTENTS)
        messages = [(role, next(contents)) for role in roles]
        return self._written(messages) == rendered(form, messages)
