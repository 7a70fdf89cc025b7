"""The conversion of expressions: and, or, not, ternaries, comparisons, calls and assert."""

from __future__ import annotations

import ast

from tfpy._src.functions.autograph.build import call, inline, located, name, text


class _InFunction(ast.NodeTransformer):
    """A visitor of one function. Nested functions are visited separately, classes not at all."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        return node


class Logic(_InFunction):
    """A transformer that rewrites `a and b` to `ag__.and_(lambda: a, lambda: b)`, and so on.

    Expressions with `:=` are unchanged, because a lambda would make the name local.
    """

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        if _assigns(node):
            return node
        self.generic_visit(node)
        function = "and_" if isinstance(node.op, ast.And) else "or_"
        return located(call(function, *map(inline, node.values)), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return located(call("not_", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        if _assigns(node):
            return node
        source = ast.unparse(node)
        self.generic_visit(node)
        branches = inline(node.body), inline(node.orelse)
        return located(call("if_exp", node.test, *branches, text(source)), node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Rewrite `a < b < c` to compare each pair and to evaluate each operand once."""
        if len(node.ops) == 1 or _assigns(node):
            self.generic_visit(node)
            return node
        self.generic_visit(node)
        return located(_chain(node.left, node.ops, node.comparators), node)

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        if _assigns(node):
            return node
        source = ast.unparse(node.test)
        self.generic_visit(node)
        message = node.msg or text(source)
        return located(ast.Expr(call("assert_", node.test, inline(message))), node)


def _chain(left: ast.expr, ops: list[ast.cmpop], rights: list[ast.expr]) -> ast.expr:
    """Return `(lambda l, r: and_(lambda: l < r, lambda: <the rest from r on>))(left, right)`."""
    first, *others = ops
    if not others:
        return ast.Compare(left, [first], rights)
    depth = f"{len(others)}"
    low, high = f"ag__left_{depth}", f"ag__right_{depth}"
    both = call(
        "and_",
        inline(ast.Compare(name(low), [first], [name(high)])),
        inline(_chain(name(high), others, rights[1:])),
    )
    return ast.Call(inline(both, low, high), [left, rights[0]], [])


def _assigns(node: ast.AST) -> bool:
    return any(isinstance(n, ast.NamedExpr | ast.Await | ast.Yield) for n in ast.walk(node))


class Calls(_InFunction):
    """A transformer that rewrites `f(x)` to `ag__.call(f)(x)`, and completes calls of `super()`."""

    _PLAIN = frozenset({"super", "locals", "globals", "vars", "dir", "eval", "exec", "isinstance"})

    def __init__(self, first_parameter: str | None) -> None:
        self._first = first_parameter

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        function = node.func
        if isinstance(function, ast.Name) and function.id in self._PLAIN:
            if function.id == "super" and not node.args and self._first:
                node.args = [located(name(n), node) for n in ("__class__", self._first)]
            return node
        node.func = located(call("call", function), node)
        return node

    def visit_For(self, node: ast.For) -> ast.stmt:
        """Mark the call that a loop iterates over, because a range need not become a tensor."""
        self.generic_visit(node)
        found = node.iter
        if isinstance(found, ast.Call) and isinstance(found.func, ast.Call):
            found.func.func = located(call("iterated").func, found)
        return node

    visit_GuardedFor = visit_For  # noqa: N815
