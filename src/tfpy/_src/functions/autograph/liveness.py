"""A liveness analysis: the symbols that are read after each conditional and loop."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfpy._src.functions.autograph.build import GuardedFor
from tfpy._src.functions.autograph.names import is_name, root, symbols

LIVE_OUT = "live_out"
"""Attribute of `if`, `while` and `for` nodes: the symbols that are live after the statement."""
LIVE_IN = "live_in"
"""Attribute of these nodes: the symbols that are live before the branches or at the loop head."""


def analyze(body: Sequence[ast.stmt], always: set[str]) -> None:
    """Annotate every `if`, `while` and `for` in a function's body.

    Args:
        body: Statements of the function.
        always: Symbols that are live everywhere, because they outlive the call.
    """
    _Liveness(always).before(body, set(always))


class _Liveness:
    def __init__(self, always: set[str]) -> None:
        self._always = always

    def before(self, body: Sequence[ast.stmt], after: set[str]) -> set[str]:
        """Return the symbols that are live before some statements, given the live ones after."""
        live = after
        for statement in reversed(body):
            live = self._before(statement, live) | self._always
        return live

    def _before(self, node: ast.stmt, after: set[str]) -> set[str]:
        if isinstance(node, ast.If):
            inside = self.before(node.body, after) | self.before(node.orelse, after)
            self._note(node, after, inside)
            return inside | symbols(node.test).reads
        if isinstance(node, ast.While):
            return self._loop(node, after, symbols(node.test).reads)
        if isinstance(node, ast.For):
            reads = symbols(node.go_on).reads if isinstance(node, GuardedFor) else set()
            inside = self._loop(node, after, reads)
            return inside | symbols(node.iter).reads
        if isinstance(node, ast.With):
            names = symbols([i.optional_vars for i in node.items if i.optional_vars]).writes
            reads = symbols([i.context_expr for i in node.items]).reads
            return reads | (self.before(node.body, after) - names)
        if isinstance(node, ast.Try | ast.TryStar):
            return self._try(node, after)
        if isinstance(node, ast.Match):
            branches = [self.before(case.body, after) for case in node.cases]
            return symbols(node).reads | after.union(*branches)
        found = symbols(node)
        written = {s for s in found.writes if is_name(s)}
        left = {s for s in after if root(s) not in written and s not in found.writes}
        return left | found.reads

    def _note(self, node: ast.stmt, live_out: set[str], live_in: set[str]) -> None:
        setattr(node, LIVE_OUT, set(live_out))
        setattr(node, LIVE_IN, set(live_in))

    def _loop(self, node: ast.While | ast.For, after: set[str], reads: set[str]) -> set[str]:
        head = after | reads
        while True:
            target = symbols(node.target).writes if isinstance(node, ast.For) else set()
            grown = head | (self.before(node.body, head) - target)
            if grown == head:
                break
            head = grown
        self._note(node, after, head)
        return head

    def _try(self, node: ast.Try | ast.TryStar, after: set[str]) -> set[str]:
        """Keep all symbols that are read alive, because an exception can occur anywhere."""
        final = self.before(node.finalbody, after)
        handlers = final.union(*(self.before(h.body, final) for h in node.handlers))
        inside = handlers | symbols(node).reads
        return inside | self.before(node.body, self.before(node.orelse, inside) | inside)
