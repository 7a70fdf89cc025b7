"""Chat templates: the text that a language model expects for a conversation."""

from __future__ import annotations

import datetime
import importlib
import json
import types
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

SPECIAL_TOKENS = {"bos_token": "start_token", "eos_token": "end_token", "pad_token": "pad_token"}
"""Variables of templates, and the attributes of KerasHub's tokenizers."""


def replace(module: types.ModuleType) -> None:
    """Add chat templates to tokenizers."""
    module.Tokenizer.chat_template = None
    module.Tokenizer.apply_chat_template = apply_chat_template


def apply_chat_template(
    self: Any,
    messages: Sequence[Mapping[str, Any]],
    add_generation_prompt: bool = True,
    **variables: Any,
) -> str:
    """Write a conversation in the format that the model was trained with.

    The format is the tokenizer's `chat_template`, a Jinja template, which model files contain. The
    template runs in Jinja's sandbox.

    Args:
        messages: Messages in order, as dicts with `"role"` (`"system"`, `"user"` or `"assistant"`)
            and `"content"`.
        add_generation_prompt: If True, the text ends where the model's answer begins.
        **variables: Further variables of the template, such as `tools`.

    Returns:
        A string, the prompt for `generate`.

    Raises:
        ValueError: If the tokenizer has no template, or if the template rejects the messages.

    Example::

        prompt = tokenizer.apply_chat_template([{"role": "user", "content": "Hello!"}])
        async for part in model.generate_stream(prompt, max_length=200):
            print(part, end="")
    """
    if self.chat_template is None:
        raise ValueError(
            "apply_chat_template: the tokenizer has no chat template; "
            "set tokenizer.chat_template to the template of the model"
        )
    jinja2 = importlib.import_module("jinja2")
    tokens = {name: getattr(self, own, None) or "" for name, own in SPECIAL_TOKENS.items()}
    given = {"messages": messages, "add_generation_prompt": add_generation_prompt, **variables}
    try:
        return _environment().from_string(self.chat_template).render({**tokens, **given})
    except jinja2.TemplateError as error:
        raise ValueError(f"apply_chat_template: {error}") from error


def _environment() -> Any:
    """Return the environment that templates of models expect."""
    jinja2 = importlib.import_module("jinja2")
    sandbox = importlib.import_module("jinja2.sandbox")

    def raise_exception(message: str) -> NoReturn:
        raise jinja2.TemplateError(message)

    def as_json(value: Any, indent: int | None = None) -> str:
        return json.dumps(value, ensure_ascii=False, indent=indent)

    environment = sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = as_json
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = lambda text: datetime.datetime.now().strftime(text)
    return environment
