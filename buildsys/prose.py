"""A check of the project's English: `python -m buildsys.prose [--added COMMIT | --worst N]`.

Some habits make prose hard to read: noun clauses in place of nouns, German word order, verbs that
personify machinery. A table lists them as patterns, each with the number of occurrences per 10,000
words that the check allows: about twice what JAX, Keras, MLX and tinygrad have.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .paths import ROOT


class Habit(NamedTuple):
    """A pattern in prose, and how often it may occur in 10,000 words."""

    name: str
    pattern: str
    limit: float


HABITS = (
    Habit(
        "'What' opens a sentence",
        r"(?:(?<=\. )|^[ \t]*)What (?!(?:is|are|does|do|can|should|to|if)\b[^.]*\?)"
        r"(?!it does|changed|works|happens)",
        0.5,
    ),
    Habit(
        "a conjunction opens a docstring",
        r"^(?:Whether|How|Why|Where|Of what|Who|By which|In how)\b(?![^.]*\?)",
        1.0,
    ),
    Habit("gives, for returns or yields", r"\bgives?\b", 4.0),
    Habit("says, tells, hears", r"\b(?:hears|tells|says)\b", 1.0),
    Habit("of which, whose", r"\b(?:of which|whose)\b", 7.0),
    Habit("that of, those of", r"\b(?:that|those) of\b", 3.5),
    Habit("', too'", r", too\b", 0.5),
    Habit("stands, for is located", r"\bstands?\b(?! for| in for)", 0.5),
    Habit("anew", r"\banew\b", 0.5),
    Habit("so many, so long", r"\bso (?:many|long)\b", 1.0),
    Habit("beside, besides", r"\bbesides?\b", 0.6),
    Habit("nobody, somebody, whoever", r"\b(?:nobody|somebody|whoever)\b", 1.4),
    Habit(
        "a negation ends a clause",
        r"\b(?:has|have) not(?=[ \t]*[.,;:)]|$)|that there (?:is|are) not",
        0.5,
    ),
    Habit("mend, for fix", r"\bmend(?:s|ed)?\b", 0.5),
    Habit("pictures, texts, whole numbers", r"\b(?:pictures?|texts|whole numbers?)\b", 1.0),
    Habit("let go, goes on", r"\blet go\b|\blets? (?:the|a) page live\b|\bgo(?:es)? on\b", 1.0),
    Habit("by itself, of its own", r"\bby (?:it|them)sel(?:f|ves)\b|\bof (?:its|their) own\b", 2.0),
)
LONG_SENTENCE = 35
"""Number of words above which a sentence counts as long."""
LONG_SENTENCES = 0.08
"""Largest share of long sentences."""
GENERATED = ("ops.md", "tensorflow_js.md", "primitives.py", "raw_ops.py")
"""Names of generated files, which repeat the text of their sources."""
SUFFIXES = ("*.md", "*.py", "*.mjs", "*.html", "*.cc", "*.h", "*.wgsl", "*.glsl")
CODE = re.compile(r"\+\s*(?:import|from|return|def|class|if|for|assert)\b")


def sources() -> dict[str, list[Path]]:
    """Return the files of each part of the project."""
    parts = {
        "the package": [*ROOT.glob("src/tfpy/**/*.py")],
        "docs": [
            *ROOT.glob("docs/*.md"),
            *ROOT.glob("*.md"),
            ROOT / "web" / "npm" / "README.md",
        ],
    }
    return {
        part: sorted(file for file in files if not file.name.endswith(GENERATED))
        for part, files in parts.items()
    }


def prose(file: Path) -> str:
    """Return the docstrings and comments of a module, or a page without its code blocks."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return "\n".join([*_docstrings(text), *_comments(text)])
    return re.sub(r"(?s)```.*?```", "", text)


def _docstrings(text: str) -> Iterator[str]:
    """Yield the docstrings of a module, including those of attributes."""
    for node in ast.walk(ast.parse(text)):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value


def _comments(text: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string.lstrip("# ")


def report(part: str, files: list[Path], worst: int) -> int:
    """Print how often each habit occurs in some files; return the number of limits exceeded."""
    texts = {file: prose(file) for file in files}
    words = sum(len(text.split()) for text in texts.values())
    print(f"{part}: {len(files)} files, {words} words")
    by_file: Counter[Path] = Counter()
    over = 0
    for habit in HABITS:
        counts = {f: len(re.findall(habit.pattern, t, re.M)) for f, t in texts.items()}
        by_file.update(counts)
        rate = 1e4 * sum(counts.values()) / words
        over += _print_row(habit.name, rate, habit.limit)
    share = _share_of_long_sentences(texts.values())
    over += _print_row("long sentences (%)", 100 * share, 100 * LONG_SENTENCES)
    for file, count in by_file.most_common(worst):
        print(f"    {count:4} {file.relative_to(ROOT)}")
    return over


def _print_row(name: str, value: float, limit: float) -> int:
    over = value > limit
    print(f"    {name:34} {value:6.1f}   limit {limit:4.1f}{'   over' * over}")
    return int(over)


def _share_of_long_sentences(texts: Iterable[str]) -> float:
    lengths = [
        len(sentence.split()) for text in texts for sentence in re.split(r"(?<=[.!?])\s+", text)
    ]
    counted = [length for length in lengths if 3 < length < 120]  # neither a label nor a table
    return sum(length > LONG_SENTENCE for length in counted) / max(1, len(counted))


def added(commit: str) -> int:
    """Print the lines that were added since a commit and show a habit; return their number."""
    command = ["git", "diff", "-U0", commit, "--", *SUFFIXES]
    diff = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    name, found = "", 0
    for line in diff.splitlines():
        if line.startswith("+++ b/"):
            name = line.removeprefix("+++ b/")
        elif line.startswith("+") and len(line.split()) > 4 and not CODE.match(line):
            text = line[1:].strip().strip('"#/* ')
            for habit in HABITS:
                if re.search(habit.pattern, text):
                    found += 1
                    print(f"{name}: {habit.name}: {line[1:].strip()[:110]}")
    return found


def main() -> int:
    """Return 1 if a part of the project exceeds a limit."""
    parser = argparse.ArgumentParser(description="Check the project's English.")
    parser.add_argument("--added", metavar="COMMIT", help="list the slips added since a commit")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="list N files per part")
    options = parser.parse_args()
    if options.added:
        return int(added(options.added) > 0)
    over = sum(report(part, files, options.worst) for part, files in sources().items())
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
