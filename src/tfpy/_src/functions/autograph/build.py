"""Constructors for parts of syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, TypeVar

from tfpy._src.functions.autograph.names import INLINE

Node = TypeVar("Node", bound=ast.AST)

OPERATORS = "ag__"
"""Name under which converted code accesses the functions of `autograph.operators`."""


def name(text: str, context: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(text, context or ast.Load())


def operator(text: str) -> ast.expr:
    """Return the expression `ag__.text`."""
    return ast.Attribute(name(OPERATORS), text, ast.Load())


def call(text: str, *args: ast.expr) -> ast.Call:
    """Return the expression `ag__.text(*args)`."""
    return ast.Call(operator(text), list(args), [])


def assign(target: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([name(target, ast.Store())], value)


def inline(body: ast.expr, *names: str) -> ast.Lambda:
    """Return a lambda that is called at its place."""
    args = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
    made = ast.Lambda(args, body)
    setattr(made, INLINE, True)
    return made


class GuardedFor(ast.For):
    """A `for` that continues only while `go_on` is true. Its body may change the value."""

    _fields = (*ast.For._fields, "go_on")
    go_on: ast.expr


def guarded(loop: ast.For, go_on: ast.expr) -> GuardedFor:
    fields: dict[str, Any] = {**dict(ast.iter_fields(loop)), "go_on": go_on}
    return GuardedFor(**fields)


def function(text: str, args: Sequence[str], body: list[ast.stmt]) -> ast.FunctionDef:
    arguments = ast.arguments([], [ast.arg(a) for a in args], None, [], [], None, [])
    return ast.FunctionDef(text, arguments, body, [], None)


def located(node: Node, like: ast.AST) -> Node:
    """Give a node and its new children the source location of another node."""
    for child in ast.walk(node):
        if "lineno" in child._attributes and not hasattr(child, "lineno"):
            ast.copy_location(child, like)
    return node


def text(value: str) -> ast.Constant:
    return ast.Constant(value)
