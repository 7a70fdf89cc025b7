"""Print a pyconfig.h for Pyodide's Python: make_pyconfig.py TEMPLATE SYSCONFIGDATA.

The template is another machine's pyconfig.h, which names every macro; the values are those that
Pyodide's build recorded in its _sysconfigdata module.
"""

import re
import runpy
import sys
from pathlib import Path

DEFINED = re.compile(r"\s*#\s*define\s+([A-Za-z_]\w*)(?:\s+(.*))?$")
UNDEFINED = re.compile(r"\s*/\*\s*#\s*undef\s+([A-Za-z_]\w*)\s*\*/\s*$")
ZERO_IS_A_VALUE = re.compile(r"^(HAVE_DECL_|ALIGNOF_|SIZEOF_)")


def converted(line: str, values: dict[str, object]) -> str:
    """Return a line of the template with the recorded value."""
    defined = DEFINED.match(line)
    match = defined or UNDEFINED.match(line)
    if not match or match[1] not in values:
        return line
    name, value = match[1], values[match[1]]
    defined_as_zero = defined is not None and defined[2] == "0"
    if value == 0 and not ZERO_IS_A_VALUE.match(name) and not defined_as_zero:
        return f"/* #undef {name} */"
    return f"#define {name} {value}"


template, sysconfigdata = sys.argv[1:]
recorded = runpy.run_path(sysconfigdata)["build_time_vars"]
lines = Path(template).read_text(encoding="utf-8").splitlines()
print("\n".join(converted(line, recorded) for line in lines))
