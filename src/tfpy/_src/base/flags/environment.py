"""`tf.env()`: the values of the flags."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from tfpy._src.base.flags.kinds import Facts, Flag, Follows, Found, Value
from tfpy._src.base.flags.table import FLAGS
from tfpy._src.base.flags.without_effect import MEANINGLESS
from tfpy._src.base.suggestions import did_you_mean

_WORDS = {"true": True, "false": False}


def pairs(text: str) -> list[tuple[str, str]]:
    """Parse `NAME:value,NAME:value` into names and values.

    Raises:
        ValueError: If a part is not `NAME:value`.
    """
    found = []
    for part in filter(None, map(str.strip, text.split(","))):
        name, colon, value = part.partition(":")
        if not colon:
            raise ValueError(f"{part!r} is not a flag with a value; write NAME:value,NAME:value")
        found.append((name.strip(), value.strip()))
    return found


def value_of(flag: Flag, text: str) -> Value:
    """Return the value that a text represents, or the text if it is not of the flag's kind."""
    if flag.kind.name == "bool":
        return _WORDS.get(text.lower(), text)
    if flag.kind.name == "number":
        try:
            return int(text)
        except ValueError:
            return text
    return text


VARIABLE = "TFPY_FLAGS"
"""Environment variable with flags, as `NAME:value,NAME:value`."""

Find = Callable[[], Coroutine[Any, Any, Facts]]
Wait = Callable[[Coroutine[Any, Any, Facts], str], Facts]


class _NotFound(Exception):
    """The facts of the host are not known yet."""


class Environment:
    """The flags that configure tfpy, as `tf.env()` returns them.

    Flags of a backend must be set before it is initialized, which `tf.ready` does.
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
        """Return the value of a flag: the value that was set, or its default.

        Args:
            name: Name of the flag.

        Returns:
            A bool, int or str.

        Raises:
            ValueError: If the flag does not exist. The message suggests a similar name.
            RuntimeError: If the browser must be queried first, and cannot suspend Python (JSPI)
                meanwhile.
        """
        flag = _flag(name)
        try:
            return self._value(flag)
        except _NotFound:
            self.facts_now(f'write "await tf.env().get_async({name!r})" instead')
            return self._value(flag)

    async def get_async(self, name: str) -> Value:
        """Return the value of a flag, after querying the browser if necessary.

        Args:
            name: Name of the flag.

        Returns:
            An awaitable that resolves to a bool, int or str.

        Raises:
            ValueError: If the flag does not exist.
        """
        flag = _flag(name)
        await self.facts()
        return self._value(flag)

    def get_bool(self, name: str) -> bool:
        """Return the value of a bool flag.

        Args:
            name: Name of the flag.

        Returns:
            A bool.

        Raises:
            ValueError: If the flag does not exist or is of a different kind.
        """
        return bool(self._of_kind(name, "bool"))

    def get_number(self, name: str) -> float:
        """Return the value of a number flag.

        Args:
            name: Name of the flag.

        Returns:
            A number.

        Raises:
            ValueError: If the flag does not exist or is of a different kind.
        """
        value = self._of_kind(name, "number")
        assert not isinstance(value, str)
        return value

    def get_string(self, name: str) -> str:
        """Return the value of a string flag.

        Args:
            name: Name of the flag.

        Returns:
            A str.

        Raises:
            ValueError: If the flag does not exist or is of a different kind.
        """
        return str(self._of_kind(name, "string"))

    def _of_kind(self, name: str, kind: str) -> Value:
        own = _flag(name).kind.name
        if own != kind:
            raise ValueError(f"Flag {name} is a {own}, not a {kind}. Use get_{own} to read it.")
        return self.get(name)

    def set(self, name: str, value: Value) -> None:
        """Set a flag.

        Flags that describe the device can be lowered but not raised: `WASM_HAS_SIMD_SUPPORT` stays
        False in a browser without SIMD.

        Args:
            name: Name of the flag.
            value: New value.

        Raises:
            ValueError: If the flag does not exist, cannot be set, does not accept the value, or is
                a flag of TensorFlow.js that tfpy does not use.
            RuntimeError: If the backend that reads the flag is already open.
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
        """Set more than one flag, or none if one of them cannot be set.

        Args:
            flags: Values by name.

        Raises:
            ValueError: If a flag does not exist or does not accept its value, as in `set`.
            RuntimeError: If the backend that reads a flag is already open.
        """
        before = dict(self._set)
        try:
            for name, value in flags.items():
                self.set(name, value)
        except (ValueError, RuntimeError):
            self._set = before
            self._tell(*flags)
            raise

    def get_flags(self) -> dict[str, Value]:
        """Return all flags, except those for which the browser has not been queried yet.

        Returns:
            A dict of values by name.
        """
        found = {}
        for name, flag in FLAGS.items():
            try:
                found[name] = self._value(flag)
            except _NotFound:
                continue
        return found

    @property
    def features(self) -> dict[str, Value]:
        """All flags, as `get_flags` returns them."""
        return self.get_flags()

    def reset(self) -> None:
        """Reset the flags to the values in the page's URL or `TFPY_FLAGS`, and to the defaults.

        Flags that an open backend has read keep their values. The browser is queried again.
        """
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

    # Interface to the runtime

    def found_by(self, find: Find, wait: Wait) -> None:
        """Set the asynchronous function that finds host facts, and the function that awaits it."""
        self._find, self._wait = find, wait

    async def facts(self) -> Facts:
        """Return the facts of the host, which are found once."""
        if self._facts is None:
            self._facts = await self._find()
        return self._facts

    def facts_now(self, mend: str) -> Facts:
        """Return the facts of the host in code that cannot await.

        Args:
            mend: Suggestion at the end of the error message.

        Raises:
            RuntimeError: If the browser must be queried and Python cannot wait for it here.
        """
        if self._facts is None:
            self._facts = self._wait(self._find(), mend)
        return self._facts

    def forget_facts(self) -> None:
        """Discard the facts of the host, so that they are found again when needed."""
        self._facts = None

    def listen(self, name: str, listener: Callable[[Value], None]) -> None:
        """Call `listener` with the value of a flag, now and after every change."""
        self._listeners[name] = listener
        self._tell(name)

    def _tell(self, *names: str) -> None:
        for name in names:
            if name in self._listeners:
                self._listeners[name](self.get(name))

    def opened(self, backend: str) -> None:
        """Record that a backend has opened and has read its flags."""
        self._open.add(backend)

    def closed(self, backend: str) -> None:
        """Record that a backend has closed and will read its flags again."""
        self._open.discard(backend)

    def take(self, text: str, source: str, foreign: bool = False) -> None:
        """Set the flags in a text, all or none. `reset` returns to these values.

        Args:
            text: Flags as `NAME:value,NAME:value`.
            source: Description of the text's origin, for errors.
            foreign: If True, the text is also meant for TensorFlow.js, and flags without effect
                here are ignored.

        Raises:
            ValueError: If a flag cannot be set, as in `set`.
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
    """Return the table's row for a flag.

    Raises:
        ValueError: If the flag does not exist.
    """
    if name in FLAGS:
        return FLAGS[name]
    if name in MEANINGLESS:
        raise ValueError(f"Flag {name} of TensorFlow.js has no effect here: {MEANINGLESS[name]}")
    advice = did_you_mean(name, FLAGS) or " docs/environment.md lists all flags."
    raise ValueError(f"Unknown flag {name!r}.{advice}")


def checked(name: str, value: Value) -> Flag:
    """Return the flag after checking that it accepts the value.

    Raises:
        ValueError: If the flag cannot be set to the value.
    """
    flag = _flag(name)
    if flag.fixed:
        raise ValueError(f"Flag {name} is a fact ({flag.words}), which cannot be set.")
    if not flag.kind.takes(value):
        raise ValueError(f"Flag {name} must be {flag.kind.values}, not {value!r}.")
    return flag


def _too_late(flag: Flag, value: Value) -> str:
    written = str(value).lower() if isinstance(value, bool) else value
    return (
        f"Flag {flag.name} is read when the {flag.backend} backend opens, and this backend is "
        f"already open. Set the flag before tf.ready(), or in the page's URL "
        f"(?tfpyflags={flag.name}:{written})."
    )


_environment = Environment()
_environment.take(os.environ.get(VARIABLE, ""), f"the variable {VARIABLE}")


def env() -> Environment:
    """Return the environment, which holds the flags that configure tfpy.

    Some flags describe the device (`"WEBGL_MAX_TEXTURE_SIZE"`), others change how tfpy uses it
    (`"DEBUG"`). The documentation lists all flags under "The environment". Flags can also be set in
    the URL of the web page that runs tfpy (`?tfpyflags=DEBUG:true`) or in the environment variable
    `TFPY_FLAGS` (`DEBUG:true`); commas separate several flags. Flags of a backend must be set
    before the backend is initialized.

    Returns:
        The environment, the same object in every call. Its methods are:

        - `get(name)` returns the value of a flag: a bool, int or str. `get_bool`, `get_number` and
          `get_string` do the same and raise a `ValueError` for a flag of a different type.
        - `await get_async(name)` returns the value of a flag. Use it instead of `get` for flags
          that describe the browser, as long as `await tf.ready()` has not finished.
        - `get_flags()` returns a dict of all flags.
        - `set(name, value)` sets a flag. It raises a `ValueError` if the name or the value is not
          valid, and a `RuntimeError` if the backend that reads the flag has already been
          initialized.
        - `set_flags(flags)` sets all flags of a dict. If one is not valid, it raises the error of
          `set` and changes no flag.
        - `reset()` restores the values from the URL, the environment variable and the defaults.

    Example:
        >>> import tfpy as tf
        >>> tf.env().get("DEBUG")
        False
        >>> tf.env().set("TFPY_MAX_UNPACKED_BYTES", 2**29)
        >>> tf.env().get("TFPY_MAX_UNPACKED_BYTES")
        536870912
        >>> tf.env().set("TFPY_MAX_UNPACKED_BYTES", 2**28)  # the default

    See also: `tf.ready`, `tf.set_backend`, `tf.enable_debug_mode`.
    """
    return _environment
