"""Arguments of a call by parameter name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any


def bind(signature: inspect.Signature, args: Any, kwargs: Any) -> dict[str, Any]:
    """Return the arguments by parameter name, including defaults.

    Raises:
        TypeError: If the arguments do not match the parameters.
    """
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


def spread(signature: inspect.Signature, arguments: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the positional and keyword arguments for arguments by parameter name."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += arguments[name]
        elif parameter.kind is parameter.VAR_KEYWORD:
            kwargs.update(arguments[name])
        elif parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[name] = arguments[name]
        else:
            args.append(arguments[name])
    return args, kwargs
