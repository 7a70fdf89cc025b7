"""Each backend in the states of the matrix: choice, report and results."""

from __future__ import annotations

from e2e import matrix
from e2e.matrix_page import check
from tfpy.testing import run_in_browser
from tfpy.testing.mark import browser_test_of
from tfpy.testing.plugin import Case, Target
from tfpy.testing.sessions import Sessions


def test_state(state: matrix.State, tfpy_sessions: Sessions) -> None:
    """Test the states of ``--matrix=pairs`` or ``--matrix=all``; see ``conftest.py``."""
    environment = matrix.environment(state)
    marked = run_in_browser(backends=(), environment=environment, fresh_page=True)(check)
    test = browser_test_of(marked)
    assert test is not None
    case = Case(test, state["browser"], "")
    answers = [[name, a.opens, a.pattern] for name, a in matrix.answers(state).items()]
    digits = {"one_digit": "float32" in matrix.lacking(state)}
    Target(tfpy_sessions, case).run(check, {"answers": answers, **digits})


def test_each_pair_is_covered() -> None:
    """Check that less than a fifth of all states cover every possible pair of values."""
    every, few = list(matrix.states()), matrix.cover()
    assert len(few) < len(every) / 5
    for one, other in [(a, b) for a in matrix.AXES for b in matrix.AXES if a < b]:
        of = [{(state[one], state[other]) for state in found} for found in (every, few)]
        assert of[0] == of[1]
