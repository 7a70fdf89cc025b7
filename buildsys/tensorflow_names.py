"""The tables of ``docs/tensorflow.md``: TensorFlow's public names, and whether tfpy has them.

`buildsys/data/list_tensorflow_names.py` prints the names of the installed TensorFlow. A name that
`docs/differences.md` mentions has a link to the section there.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence

from .paths import DATA, ROOT
from .tables import table, with_between

PAGE = ROOT / "docs" / "tensorflow.md"
REASONS = PAGE.with_suffix(".toml")
"""Regular expressions of absent names without `tf.`, by the reason why tfpy does not have them."""
DIFFERENCES = ROOT / "docs" / "differences.md"
NAMES = DATA / "tensorflow_names.txt"
RAW_OPS = "tf.raw_ops"
V1 = "tf.compat.v1"
_HEADING = re.compile(r"^##+ (.*)$")
_MENTION = re.compile(r"`(tf\.[\w.]*\w)")


def page(modules: Mapping[str, str]) -> str:
    """Return the page with current tables.

    Args:
        modules: Source code of each public module, by its name in programs.
    """
    present = set(public_names(modules))
    present |= {name for name in names() if _is_of_tensorflow_2(name, modules, present)}
    groups: dict[str, list[str]] = {}
    for name in names():
        groups.setdefault(name.rpartition(".")[0], []).append(name)
    sections = _mentioned()
    tables = [_of_module(group, found, present, sections) for group, found in groups.items()]
    return with_between(PAGE, PAGE.read_text(encoding="utf-8"), "names", "\n".join(tables))


def names() -> list[str]:
    """Return TensorFlow's public names, except Keras's."""
    return NAMES.read_text(encoding="utf-8").split()


def public_names(modules: Mapping[str, str]) -> Iterator[str]:
    """Yield the public names in the source code of modules."""
    for module, source in modules.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom):
                yield from (f"{module}.{alias.asname or alias.name}" for alias in node.names)
            elif isinstance(node, ast.Assign):
                yield from (f"{module}.{t.id}" for t in node.targets if isinstance(t, ast.Name))


def _is_of_tensorflow_2(name: str, modules: Mapping[str, str], present: set[str]) -> bool:
    """Return True for a name of `tf.compat.v1` that is a name of `tf`, perhaps another one."""
    from tfpy._src.library.compat.moved_names import MOVED, NAMESPACES, OUTSIDE, SEPARATE

    path = name.removeprefix(f"{V1}.")
    namespace, _, last = path.rpartition(".")
    if path == name or last in OUTSIDE or (namespace in SEPARATE and path not in MOVED):
        return False
    if f"{V1}.{namespace}" in modules and namespace not in NAMESPACES:
        return False
    return f"tf.{MOVED.get(path, path)}" in present


def absent_reason(name: str) -> str | None:
    """Return the reason why tfpy does not have a name, None if the page has none."""
    if name.startswith(f"{RAW_OPS}."):
        from tfpy._src.formats.raw_ops.absent import reason

        return reason(name.rpartition(".")[2])
    for text, patterns in tomllib.loads(REASONS.read_text(encoding="utf-8")).items():
        if any(re.fullmatch(pattern, name.removeprefix("tf.")) for pattern in patterns.split()):
            return text
    return None


def _mentioned() -> dict[str, str]:
    """Return a link to the first section of `docs/differences.md` that mentions a name."""
    found: dict[str, str] = {}
    link = ""
    for line in DIFFERENCES.read_text(encoding="utf-8").splitlines():
        if heading := _HEADING.match(line):
            anchor = re.sub(r"[^\w -]", "", heading[1].lower()).replace(" ", "-")
            link = f"[{heading[1]}](differences.md#{anchor})"
        for name in _MENTION.findall(line):
            found.setdefault(name, link)
    return found


def _of_module(
    module: str, found: Sequence[str], present: set[str], sections: Mapping[str, str]
) -> str:
    rows: dict[tuple[str, str], list[str]] = {}
    for name in found:
        if name not in present:
            key = ("absent", absent_reason(name) or "")
        elif name in sections:
            key = ("different", sections[name])
        else:
            key = ("present", "")
        rows.setdefault(key, []).append(f"`{name.rpartition('.')[2]}`")
    order = ("present", "different", "absent")
    cells = (
        (", ".join(rows[key]), *key) for key in sorted(rows, key=lambda key: order.index(key[0]))
    )
    return f"## {module}\n\n{table(('names', 'in tfpy', ''), cells)}"
