"""``tf.env()``: the values of the flags."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from tfpy._src.base.flags.kinds import Facts, Flag, Follows, Found, Value
from tfpy._src.base.flags.table import FLAGS
from tfpy._src.base.flags.without_effect import MEANINGLESS

_WORDS = {"true": True, "false": False}


def pairs(text: str) -> list[tuple[str, str]]:
    """The names and values that a text has.

    Raises:
        ValueError: for a part that is not ``NAME:value``.
    """
    found = []
    for part in filter(None, map(str.strip, text.split(","))):
        name, colon, value = part.partition(":")
        if not colon:
            raise ValueError(f"{part!r} is no flag with its value; write NAME:value,NAME:value")
        found.append((name.strip(), value.strip()))
    return found


def value_of(flag: Flag, text: str) -> Value:
    """The value that a text means; itself where the flag's kind is not what it spells."""
    if flag.kind.name == "bool":
        return _WORDS.get(text.lower(), text)
    if flag.kind.name == "number":
        try:
            return int(text)
        except ValueError:
            return text
    return text


VARIABLE = "TFPY_FLAGS"
"""The variable that may give flags, as ``NAME:value,NAME:value``."""

Find = Callable[[], Coroutine[Any, Any, Facts]]
Wait = Callable[[Coroutine[Any, Any, Facts], str], Facts]


class _NotFound(Exception):
    """The host has not been asked yet."""


class Environment:
    """The flags of this program, by name (``tf.env()``); ``docs/environment.md`` lists them.

    Flags of a backend are set before it opens: in the page's address
    (``?tfpyflags=WEBGL_FORCE_F16_TEXTURES:true``), in the variable ``TFPY_FLAGS``, or by
    :meth:`set` before ``await tf.ready()``.

    Example:
        >>> import tfpy as tf
        >>> tf.env().get("WEBGL_FORCE_F16_TEXTURES")
        False
    """

    def __init__(self) -> None:
        self._given: dict[str, Value] = {}
        self._set: dict[str, Value] = {}
        self._facts: Facts | None = None
        self._open: set[str] = set()
        self._listeners: dict[str, Callable[[Value], None]] = {}
        self._find: Find
        self._wait: Wait

    def get(self, name: str) -> Value:
        """The value of a flag: what it was set to, or its default.

        Raises:
            ValueError: for a name that there is not; the text has the nearest one.
            RuntimeError: when the browser must be asked first, and Python cannot wait for it here.
        """
        flag = _flag(name)
        try:
            return self._value(flag)
        except _NotFound:
            self.facts_now(f'write "await tf.env().get_async({name!r})" instead')
            return self._value(flag)

    async def get_async(self, name: str) -> Value:
        """The value of a flag, after the browser was asked if need be; see :meth:`get`."""
        flag = _flag(name)
        await self.facts()
        return self._value(flag)

    def get_bool(self, name: str) -> bool:
        """The value of a flag that is True or False.

        Raises:
            ValueError: for a flag of another kind; and see :meth:`get`.
        """
        return bool(self._of_kind(name, "bool"))

    def get_number(self, name: str) -> float:
        """The value of a flag that is a number; see :meth:`get_bool`."""
        value = self._of_kind(name, "number")
        assert not isinstance(value, str)
        return value

    def get_string(self, name: str) -> str:
        """The value of a flag that is a string; see :meth:`get_bool`."""
        return str(self._of_kind(name, "string"))

    def _of_kind(self, name: str, kind: str) -> Value:
        own = _flag(name).kind.name
        if own != kind:
            raise ValueError(f"Flag {name} is a {own}, not a {kind}: read it by get_{own}")
        return self.get(name)

    def set(self, name: str, value: Value) -> None:
        """Sets a flag.

        What the host can do is set lower, never higher: ``WASM_HAS_SIMD_SUPPORT`` stays False in a
        browser without SIMD.

        Raises:
            ValueError: for a name that there is not, a value that the flag does not take, a fact,
                or one of TensorFlow.js's flags that have no meaning here.
            RuntimeError: when the backend that the flag is of is open, so that it would not matter.
        """
        flag = checked(name, value)
        if flag.backend not in self._open:
            self._set[name] = value
            self._tell(name)
            return
        before, now = dict(self._set), self.get(name)
        self._set[name] = value
        if self.get(name) != now:
            self._set = before
            raise RuntimeError(_too_late(flag, value))

    def set_flags(self, flags: Mapping[str, Value]) -> None:
        """Sets several flags, or none where one of them cannot be set; see :meth:`set`."""
        before = dict(self._set)
        try:
            for name, value in flags.items():
                self.set(name, value)
        except (ValueError, RuntimeError):
            self._set = before
            self._tell(*flags)
            raise

    def get_flags(self) -> dict[str, Value]:
        """All flags by name, without those for which the browser has yet to be asked."""
        found = {}
        for name, flag in FLAGS.items():
            try:
                found[name] = self._value(flag)
            except _NotFound:
                continue
        return found

    @property
    def features(self) -> dict[str, Value]:
        """The same as :meth:`get_flags`."""
        return self.get_flags()

    def reset(self) -> None:
        """Back to the defaults, and to what the page's address or ``TFPY_FLAGS`` gives. What an
        open backend has read stays, and the browser is asked anew."""
        kept = {name: v for name, v in self._set.items() if FLAGS[name].backend in self._open}
        free = {name: v for name, v in self._given.items() if FLAGS[name].backend not in self._open}
        self._set = kept | free
        self.forget_facts()
        self._tell(*self._listeners)

    def _value(self, flag: Flag) -> Value:
        default = flag.default
        if isinstance(default, Found):
            if self._facts is None:
                raise _NotFound
            default = default.of(self._facts)
        elif isinstance(default, Follows):
            default = default.of(lambda name: self._value(FLAGS[name]))
        value = self._set.get(flag.name, default)
        if not flag.lowers:
            return value
        assert not isinstance(value, str)
        assert not isinstance(default, str)
        return min(value, default)

    # what the runtime tells

    def found_by(self, find: Find, wait: Wait) -> None:
        """Takes what asks the host for facts, and what waits for that in code that cannot await."""
        self._find, self._wait = find, wait

    async def facts(self) -> Facts:
        """What was found of the host; it is asked once."""
        if self._facts is None:
            self._facts = await self._find()
        return self._facts

    def facts_now(self, mend: str) -> Facts:
        """:meth:`facts` for code that cannot await.

        Raises:
            RuntimeError: when the browser must be asked first, and Python cannot wait for it here;
                the text ends with the mend.
        """
        if self._facts is None:
            self._facts = self._wait(self._find(), mend)
        return self._facts

    def forget_facts(self) -> None:
        """The host is asked anew when something of it is next needed."""
        self._facts = None

    def listen(self, name: str, listener: Callable[[Value], None]) -> None:
        """Has ``listener`` told the value of a flag, now and whenever it is set."""
        self._listeners[name] = listener
        self._tell(name)

    def _tell(self, *names: str) -> None:
        for name in names:
            if name in self._listeners:
                self._listeners[name](self.get(name))

    def opened(self, backend: str) -> None:
        """From now on the flags of this backend have been read."""
        self._open.add(backend)

    def closed(self, backend: str) -> None:
        """The flags of this backend will be read again."""
        self._open.discard(backend)

    def take(self, text: str, source: str, foreign: bool = False) -> None:
        """Sets flags of a text, all or none, to which :meth:`reset` returns.

        Args:
            source: where it stands, for errors.
            foreign: whether it is meant for TensorFlow.js, too, so that flags without a meaning
                here are passed over.

        Raises:
            ValueError: as :meth:`set`.
        """
        given = {}
        try:
            for name, written in pairs(text):
                if foreign and name in MEANINGLESS:
                    continue
                given[name] = value_of(_flag(name), written)
                checked(name, given[name])
        except ValueError as error:
            raise ValueError(f"{source}: {error}") from None
        self._given |= given
        self._set |= given
        self._tell(*given)


def _flag(name: str) -> Flag:
    """The line of the table.

    Raises:
        ValueError: where there is none.
    """
    if name in FLAGS:
        return FLAGS[name]
    if name in MEANINGLESS:
        raise ValueError(f"Flag {name} of TensorFlow.js has no meaning here: {MEANINGLESS[name]}")
    close = difflib.get_close_matches(str(name), FLAGS, n=1)
    mend = f"did you mean {close[0]}?" if close else "docs/environment.md lists all flags"
    raise ValueError(f"Unknown flag {name!r}; {mend}")


def checked(name: str, value: Value) -> Flag:
    """The flag of a name, which may be set to this value.

    Raises:
        ValueError: if not.
    """
    flag = _flag(name)
    if flag.fixed:
        raise ValueError(f"Flag {name} is a fact ({flag.words}), which nobody sets")
    if not flag.kind.takes(value):
        raise ValueError(f"Flag {name} is {flag.kind.values}, not {value!r}")
    return flag


def _too_late(flag: Flag, value: Value) -> str:
    written = str(value).lower() if isinstance(value, bool) else value
    return (
        f"Flag {flag.name} is read when the {flag.backend} backend opens, and it is open: set it "
        f"before tf.ready(), or in the page's address (?tfpyflags={flag.name}:{written})"
    )


_environment = Environment()
_environment.take(os.environ.get(VARIABLE, ""), f"the variable {VARIABLE}")


def env() -> Environment:
    """The flags of this program (``tf.env()``).

    Example:
        >>> import tfpy as tf
        >>> tf.env().get_bool("DEBUG")
        False
    """
    return _environment
