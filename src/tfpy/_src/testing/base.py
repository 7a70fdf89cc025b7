"""The base of `tf.test.TestCase`: absl's test case, or the same assertions without absl.

TensorFlow's test case is derived from the one of the package `absl-py`, so that it can be combined
with `absl.testing.parameterized`. tfpy does not depend on this package.
"""

from __future__ import annotations

import importlib
import json
import re
import shutil
import tempfile
import unittest
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Sized
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")
Message = str | None
"""A text that is added to the message of a failure."""


class TemporaryPath:
    """A temporary file or directory of a test.

    Args:
        path: Path of the file or directory.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def full_path(self) -> str:
        """Absolute path."""
        return str(self._path)

    def __fspath__(self) -> str:
        return self.full_path

    def read_text(self, encoding: str = "utf8", errors: str = "strict") -> str:
        """Return the text of the file."""
        return self._path.read_text(encoding, errors)

    def read_bytes(self) -> bytes:
        """Return the bytes of the file."""
        return self._path.read_bytes()

    def write_text(self, text: str, encoding: str = "utf8", errors: str = "strict") -> None:
        """Replace the contents of the file by a text."""
        self._path.write_text(text, encoding, errors)

    def write_bytes(self, data: bytes) -> None:
        """Replace the contents of the file."""
        self._path.write_bytes(data)

    def create_file(
        self, file_path: str | None = None, content: str | bytes | None = None
    ) -> TemporaryPath:
        """Create a file in the directory."""
        return TemporaryPath(_new_file(self._path, file_path, content))

    def mkdir(self, dir_path: str | None = None) -> TemporaryPath:
        """Create a directory in the directory."""
        path = self._path / (dir_path or tempfile.mkdtemp(dir=self._path))
        path.mkdir(parents=True, exist_ok=True)
        return TemporaryPath(path)


def _new_file(folder: Path, name: str | None, content: str | bytes | None) -> Path:
    path = folder / (name or next(tempfile._get_candidate_names()))  # type: ignore[attr-defined]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content or b"")
    return path


class PlainTestCase(unittest.TestCase):
    """A test case with the assertions that absl's test case adds to `unittest`."""

    maxDiff = 80 * 20
    longMessage = True

    def _fail(self, text: str, msg: Message) -> None:
        self.fail(self._formatMessage(msg, text))

    def create_tempdir(self, name: str | None = None) -> TemporaryPath:
        """Create a directory that is deleted after the test."""
        path = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, path, ignore_errors=True)
        if name:
            path /= name
            path.mkdir(parents=True)
        return TemporaryPath(path)

    def create_tempfile(
        self, file_path: str | None = None, content: str | bytes | None = None
    ) -> TemporaryPath:
        """Create a file that is deleted after the test."""
        return self.create_tempdir().create_file(file_path, content)

    def enter_context(self, manager: AbstractContextManager[T]) -> T:
        """Enter a context, which is left after the test."""
        return self.enterContext(manager)

    def assertNotStartsWith(self, actual: str, unexpected_start: str, msg: Message = None) -> None:
        """Assert that a string does not start with a prefix."""
        if actual.startswith(unexpected_start):
            self._fail(f"{actual!r} does start with {unexpected_start!r}", msg)

    def assertEndsWith(self, actual: str, expected_end: str, msg: Message = None) -> None:
        """Assert that a string ends with a suffix."""
        if not actual.endswith(expected_end):
            self._fail(f"{actual!r} does not end with {expected_end!r}", msg)

    def assertNotEndsWith(self, actual: str, unexpected_end: str, msg: Message = None) -> None:
        """Assert that a string does not end with a suffix."""
        if actual.endswith(unexpected_end):
            self._fail(f"{actual!r} does end with {unexpected_end!r}", msg)

    def assertEmpty(self, container: Sized, msg: Message = None) -> None:
        """Assert that a container has no elements."""
        self._check_sized(container, msg)
        if len(container):
            self._fail(f"{container!r} has length of {len(container)}.", msg)

    def assertNotEmpty(self, container: Sized, msg: Message = None) -> None:
        """Assert that a container has elements."""
        self._check_sized(container, msg)
        if not len(container):
            self._fail(f"{container!r} has length of 0.", msg)

    def assertLen(self, container: Sized, expected_len: int, msg: Message = None) -> None:
        """Assert that a container has a certain number of elements."""
        self._check_sized(container, msg)
        if len(container) != expected_len:
            self._fail(
                f"{container!r} has length of {len(container)}, expected {expected_len}.", msg
            )

    def _check_sized(self, container: object, msg: Message) -> None:
        if not isinstance(container, Sized):
            self._fail(f"Expected a Sized object, got: {type(container).__name__!r}", msg)

    def assertSequenceStartsWith(
        self, prefix: Sequence[Any], whole: Sequence[Any], msg: Message = None
    ) -> None:
        """Assert that a sequence begins with the elements of another one."""
        if not len(prefix) and len(whole):
            self._fail(f"Prefix length is 0 but whole length is {len(whole)}: {whole}", msg)
        if list(prefix) != list(whole[: len(prefix)]):
            self._fail(f"prefix: {prefix} not found at start of whole: {whole}.", msg)

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Sequence[Any],
        actual_seq: Sequence[Any],
        places: int | None = None,
        msg: Message = None,
        delta: float | None = None,
    ) -> None:
        """Assert that the numbers of two sequences are almost equal."""
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for expected, actual in zip(expected_seq, actual_seq, strict=True):
            if delta is None:
                self.assertAlmostEqual(expected, actual, places, msg)
            else:
                self.assertAlmostEqual(expected, actual, msg=msg, delta=delta)

    def assertContainsSubset(
        self, expected_subset: Iterable[Any], actual_set: Iterable[Any], msg: Message = None
    ) -> None:
        """Assert that a collection contains all elements of another one."""
        if missing := {*expected_subset} - {*actual_set}:
            self._fail(
                f"Missing elements {missing}\nExpected: {expected_subset}\nActual: {actual_set}",
                msg,
            )

    def assertNoCommonElements(
        self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: Message = None
    ) -> None:
        """Assert that two collections have no element in common."""
        if common := {*expected_seq} & {*actual_seq}:
            self._fail(
                f"Common elements {common}\nExpected: {expected_seq}\nActual: {actual_seq}", msg
            )

    def assertSameElements(
        self, expected_seq: Collection[Any], actual_seq: Collection[Any], msg: Message = None
    ) -> None:
        """Assert that two collections have the same elements, in any order and number."""
        if isinstance(expected_seq, str | bytes) or isinstance(actual_seq, str | bytes):
            self.fail(
                "Passing string/bytes to assertSameElements is usually a bug. "
                "Did you mean to use assertEqual?\n"
                f"Expected: {expected_seq!s}\nActual: {actual_seq!s}"
            )
        missing = [x for x in expected_seq if x not in actual_seq]
        unexpected = [x for x in actual_seq if x not in expected_seq]
        lines = [f"Expected, but missing:\n  {missing!r}\n"] if missing else []
        lines += [f"Unexpected, but present:\n  {unexpected!r}\n"] if unexpected else []
        if lines:
            self.fail("".join([f"{msg}:\n" if msg else "", *lines]))

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Message = None) -> None:
        """Assert that a value is in a closed interval."""
        text = f'"{value!r}" unexpectedly not between "{minv!r}" and "{maxv!r}"'
        self.assertLessEqual(minv, value, self._formatMessage(msg, text))
        self.assertGreaterEqual(maxv, value, self._formatMessage(msg, text))

    def assertRegexMatch(
        self, actual_str: str, regexes: Sequence[str], message: Message = None
    ) -> None:
        """Assert that a string contains a match of at least one regular expression."""
        if not any(re.search(regex, actual_str) for regex in regexes):
            self._fail(f"{actual_str!r} does not match any of {list(regexes)!r}", message)

    @contextmanager
    def assertRaisesWithLiteralMatch(
        self, expected_exception: type[BaseException], expected_exception_message: str
    ) -> Any:
        """Assert that the body of a `with` statement raises an exception with a certain message."""
        with self.assertRaises(expected_exception) as raised:
            yield raised
        self.assertEqual(expected_exception_message, str(raised.exception))

    def assertContainsInOrder(
        self, strings: Sequence[str], target: str, msg: Message = None
    ) -> None:
        """Assert that a text contains strings in the given order."""
        place = 0
        for string in [strings] if isinstance(strings, str) else strings:
            found = target.find(string, place)
            if found < 0:
                self._fail(f"Did not find {string!r} in {target!r} from position {place}", msg)
            place = found + len(string)

    def assertContainsSubsequence(
        self, container: Iterable[Any], subsequence: Sequence[Any], msg: Message = None
    ) -> None:
        """Assert that a sequence contains elements in the given order, perhaps with gaps."""
        rest = iter(container)
        if not all(wanted in rest for wanted in subsequence):
            self._fail(f"{subsequence!r} not a subsequence of {container!r}", msg)

    def assertContainsExactSubsequence(
        self, container: Sequence[Any], subsequence: Sequence[Any], msg: Message = None
    ) -> None:
        """Assert that a sequence contains consecutive elements in the given order."""
        count = len(subsequence)
        starts = range(len(container) - count + 1)
        if not any(list(container[n : n + count]) == list(subsequence) for n in starts):
            self._fail(f"{subsequence!r} not an exact subsequence of {container!r}", msg)

    def assertDictAlmostEqual(
        self,
        a: Mapping[Hashable, Any],
        b: Mapping[Hashable, Any],
        places: int | None = None,
        msg: Message = None,
        delta: float | None = None,
    ) -> None:
        """Assert that two mappings have the same keys and almost equal numbers."""
        self.assertEqual(a.keys(), b.keys(), msg)
        keys = list(a)
        self.assertSequenceAlmostEqual(
            [a[k] for k in keys], [b[k] for k in keys], places, msg, delta
        )

    def assertJsonEqual(self, first: str, second: str, msg: Message = None) -> None:
        """Assert that two JSON texts have the same contents."""
        self.assertEqual(json.loads(first), json.loads(second), msg)


if TYPE_CHECKING:
    Base = PlainTestCase
    """Base class of `tf.test.TestCase`."""
else:
    try:
        Base = importlib.import_module("absl.testing.absltest").TestCase
    except ImportError:
        Base = PlainTestCase
