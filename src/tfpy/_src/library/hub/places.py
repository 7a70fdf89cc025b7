"""Addresses of files and folders, checked and in one form."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from tfpy._src.backends.javascript.bridge import IN_BROWSER

if IN_BROWSER:
    import js

MAX_ADDRESS = 4096
MAX_PATH = 1024
MAX_NAME = 200
"""Largest number of bytes of a name in a path, which file systems and OPFS support."""
WEB = ("http://", "https://")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)
_UNUSUAL = re.compile(r"[^\w.-]+", re.A)
_PLAIN = "/!$&'()+,;=@~"
"""Characters of paths that URLs contain without escapes."""
_DIGEST = re.compile(r"(?:sha256[:-])?([0-9a-f]{64})", re.I)
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\:*?\"<>|]")


@dataclass(frozen=True)
class FilePlace:
    """A file in a folder, or a folder.

    Attributes:
        folder: Address of the folder: a handle of a hub, or a URL that ends with a slash.
        path: Path of the file below the folder, without escapes. Empty for the folder itself.
        query: Query of the URL with its question mark, which is part of the address.
    """

    folder: str
    path: str = ""
    query: str = ""

    @property
    def address(self) -> str:
        """The address of the file, in one form."""
        joint = "" if self.folder.endswith("/") or not self.path else "/"
        return f"{self.folder}{joint}{self.path}{self.query}"

    @property
    def key(self) -> str:
        """The name of the file's record."""
        return hashed(self.address)

    @property
    def local(self) -> str:
        """The path of the file below the root of the store: a readable name, and the path."""
        bare = _UNUSUAL.sub("-", self.folder.partition("://")[2]).strip("-.")[-60:]
        folder = f"{bare}-{hashed(self.folder + self.query)[:12]}"
        return f"{folder}/{self.path}" if self.path else folder

    def file(self, path: str) -> FilePlace:
        """Return the place of a file in the same folder."""
        return FilePlace(self.folder, checked_path(path), self.query)


def hashed(text: str) -> str:
    """Return a name for a text: the first half of its SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def checked_address(address: object) -> str:
    """Return an address that is a string without spaces and control characters.

    Raises:
        TypeError: If it is not a string.
        ValueError: If it is empty, exceeds the limit, or has such characters.
    """
    if not isinstance(address, str):
        raise TypeError(f"tf.hub: an address must be a string, not {type(address).__name__}")
    if not 0 < len(address) <= MAX_ADDRESS:
        raise ValueError(
            f"tf.hub: an address has 1 to {MAX_ADDRESS} characters, not {len(address)}"
        )
    if not address.isprintable() or " " in address:
        raise ValueError(f"tf.hub: the address {address!r} contains spaces or control characters")
    return address


def checked_path(path: object) -> str:
    """Return a relative path that stays below its folder on every file system.

    Raises:
        ValueError: If it does not.
    """
    if not isinstance(path, str) or not 0 < len(path.encode("utf-8", "replace")) <= MAX_PATH:
        raise ValueError(f"tf.hub: {str(path)[:100]!r} is not the path of a file")
    for name in path.split("/"):
        is_long = len(name.encode("utf-8", "replace")) > MAX_NAME
        if name in ("", ".", "..") or is_long or _FORBIDDEN.search(name):
            raise ValueError(f"tf.hub: the path {path[:200]!r} is not allowed")
    return path


def checked_digest(digest: object) -> str:
    """Return a SHA-256 in hexadecimal digits; an empty string for None.

    Raises:
        ValueError: If it is not a SHA-256.
    """
    if digest is None:
        return ""
    found = _DIGEST.fullmatch(digest) if isinstance(digest, str) else None
    if found is None:
        raise ValueError(
            "tf.hub: a digest must be a SHA-256 of 64 hexadecimal digits, with or without "
            f"'sha256:', not {str(digest)[:100]!r}"
        )
    return found[1].lower()


def place_of_url(address: str) -> FilePlace:
    """Return the place of a file or folder on a web server. In a page, the URL may be relative.

    Raises:
        ValueError: If the URL has another scheme, contains a password, or leads to no valid path.
    """
    url = address
    if IN_BROWSER and not _SCHEME.match(address):
        url = str(js.Request.new(address).url)
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError as error:
        raise ValueError(f"tf.hub: {address!r} is not a URL: {error}") from None
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise ValueError(
            f"tf.hub: {address!r} is not an address of a web server or of a hub. Addresses begin "
            "with https://, http://, hf:// or kaggle://"
        )
    if "@" in parts.netloc:
        raise ValueError("tf.hub: an address must not contain a password")
    folder, _, name = parts.path.rpartition("/")
    query = f"?{parts.query}" if parts.query else ""
    origin = f"{parts.scheme.lower()}://{parts.netloc.lower()}"
    path = unquote(name)
    if "/" in path:
        raise ValueError(f"tf.hub: the escaped slash in {address!r} is not allowed")
    return FilePlace(f"{origin}{folder}/", checked_path(path) if path else "", query)


def url_of(place: FilePlace) -> str:
    """Return the URL of a file on a web server."""
    return f"{place.folder}{quote(place.path, safe=_PLAIN)}{place.query}"
