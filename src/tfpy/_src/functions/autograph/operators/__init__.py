"""The functions that converted code calls for statements and expressions."""

from tfpy._src.functions.autograph.operators.conditional import if_stmt
from tfpy._src.functions.autograph.operators.iteration import for_stmt, while_stmt
from tfpy._src.functions.autograph.operators.logical import and_, assert_, if_exp, not_, or_
from tfpy._src.functions.autograph.operators.undefined import (
    Undefined,
    UndefinedResult,
    load,
    part,
    result,
)

__all__ = [
    "Undefined",
    "UndefinedResult",
    "and_",
    "assert_",
    "for_stmt",
    "if_exp",
    "if_stmt",
    "load",
    "not_",
    "or_",
    "part",
    "result",
    "while_stmt",
]
