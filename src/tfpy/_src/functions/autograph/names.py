"""The symbols that a piece of code reads and writes.

A symbol is a local name, or an attribute or item of one with a constant key: `x`, `self.x`,
`d['k']`. The code must be structured: `jumps` has removed break, continue and return.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

INLINE = "inline"
"""Attribute of lambdas that AutoGraph makes and that are called at their place."""


@dataclass
class Symbols:
    """The symbols that a piece of code reads and writes."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    captured: set[str] = field(default_factory=set)
    """Names that functions defined in the code read when they are called."""


def symbol(node: ast.AST) -> str | None:
    """Return a symbol as text, or None for other expressions."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = symbol(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        inner = symbol(node.value)
        return None if inner is None else f"{inner}[{node.slice.value!r}]"
    return None


def root(text: str) -> str:
    """Return the local name at the beginning of a symbol."""
    return text.split(".", 1)[0].split("[", 1)[0]


def is_name(text: str) -> bool:
    return text.isidentifier()


def symbols(nodes: ast.AST | Iterable[ast.AST]) -> Symbols:
    """Return the symbols of the enclosing function that code reads and writes."""
    visitor = _Visitor()
    for node in [nodes] if isinstance(nodes, ast.AST) else nodes:
        visitor.visit(node)
    return visitor.found


class _Visitor(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found = Symbols()

    def visit_Name(self, node: ast.Name) -> None:
        stored = isinstance(node.ctx, ast.Store | ast.Del)
        (self.found.writes if stored else self.found.reads).add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._composite(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._composite(node)

    def _composite(self, node: ast.Attribute | ast.Subscript) -> None:
        text = symbol(node)
        if text is not None:
            stored = isinstance(node.ctx, ast.Store | ast.Del)
            (self.found.writes if stored else self.found.reads).add(text)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        text = symbol(node.target)
        if text is not None:
            self.found.reads.add(text)
        self.generic_visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._scope(node, [node.body], node.args)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.found.writes.add(node.name)
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._scope(node, node.body, node.args)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.found.writes.add(node.name)
        self._scope(node, node.body, node.args)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.found.writes.add(node.name)
        inner = symbols([*node.bases, *node.keywords, *node.decorator_list, *node.body])
        self.found.reads |= inner.reads
        self.found.captured |= inner.reads | inner.captured

    def _scope(self, node: ast.AST, body: Sequence[ast.AST], args: ast.arguments) -> None:
        for default in [*args.defaults, *(d for d in args.kw_defaults if d is not None)]:
            self.visit(default)
        inner = symbols(body)
        bound = {a.arg for a in _arguments(args)}
        free = {s for s in inner.reads | inner.captured if root(s) not in bound}
        if getattr(node, INLINE, False):
            self.found.reads |= free
            self.found.captured |= {s for s in inner.captured if root(s) not in bound}
        else:
            local = inner.writes - _declared(body)
            names = {root(s) for s in free if root(s) not in local}
            self.found.reads |= names
            self.found.captured |= names

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        self._comprehension(node, [node.elt], node.generators)

    visit_SetComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node, [node.key, node.value], node.generators)

    def _comprehension(
        self, node: ast.AST, results: list[ast.expr], generators: list[ast.comprehension]
    ) -> None:
        inner = symbols([*results, *generators])
        walrus = {
            n.target.id
            for n in ast.walk(node)
            if isinstance(n, ast.NamedExpr) and isinstance(n.target, ast.Name)
        }
        bound = {s for s in inner.writes if is_name(s)} - walrus
        self.found.reads |= {s for s in inner.reads if root(s) not in bound}
        self.found.captured |= {s for s in inner.captured if root(s) not in bound}
        self.found.writes |= walrus

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.found.writes.add(node.name)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self.found.writes.add((alias.asname or alias.name).split(".")[0])

    visit_ImportFrom = visit_Import  # noqa: N815


def _arguments(args: ast.arguments) -> list[ast.arg]:
    extra = [a for a in (args.vararg, args.kwarg) if a is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *extra]


def parameters(node: ast.FunctionDef | ast.Lambda) -> set[str]:
    return {a.arg for a in _arguments(node.args)}


def _declared(body: Iterable[ast.AST]) -> set[str]:
    return declared(body, ast.Global) | declared(body, ast.Nonlocal)


def declared(body: Iterable[ast.AST], kind: type[ast.Global] | type[ast.Nonlocal]) -> set[str]:
    """Return the names that the function itself declares global or nonlocal."""
    found: set[str] = set()
    for node in walk_scope(body):
        if isinstance(node, kind):
            found.update(node.names)
    return found


def walk_scope(nodes: Iterable[ast.AST]) -> Iterable[ast.AST]:
    """Yield all nodes except those within nested functions and classes."""
    waiting = [*nodes][::-1]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting += [*ast.iter_child_nodes(node)][::-1]


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
