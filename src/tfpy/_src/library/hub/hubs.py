"""The hubs of models: their handles, and the lists of the files that a handle names."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from tfpy._src.base.errors import DataLossError
from tfpy._src.library.hub.places import WEB, FilePlace, checked_digest, checked_path
from tfpy._src.library.io.checked_json import a_list, an_object, loaded

HUGGING_FACE, KAGGLE = "hf", "kaggle"
ENDPOINTS = {HUGGING_FACE: "https://huggingface.co", KAGGLE: "https://www.kaggle.com"}
"""The servers of the hubs. `tf.hub.configure` replaces them."""
MAX_FILES = 10_000
MAX_SIZE = 1 << 40

_NAME = r"[\w.-]+"
_HUGGING_FACE = re.compile(
    rf"(?P<repo>{_NAME}(?:/{_NAME})?)(?:@(?P<revision>[\w.%-]+))?(?:/(?P<path>.+))?", re.A
)
_KAGGLE = re.compile(
    rf"(?P<repo>{_NAME}/{_NAME}/{_NAME}/{_NAME})(?:/(?P<revision>\d+))?(?:/(?P<path>.+))?", re.A
)
_FORMS = {
    HUGGING_FACE: (_HUGGING_FACE, "hf://owner/model[@revision][/path]"),
    KAGGLE: (_KAGGLE, "kaggle://owner/model/framework/variation[/version][/path]"),
}
_PAGES = (
    (
        HUGGING_FACE,
        re.compile(
            rf"https://(?:www\.)?huggingface\.co/(?!(?:api|datasets|docs|spaces)/)({_NAME}/{_NAME})"
            r"(?:/(?:blob|raw|resolve|tree)/([\w.%-]+)(?:/(.+))?)?/?",
            re.A,
        ),
    ),
    (
        KAGGLE,
        re.compile(
            rf"https://(?:www\.)?kaggle\.com/models/({_NAME}/{_NAME}/{_NAME}/{_NAME})(?:/(\d+))?/?",
            re.A,
        ),
    ),
)
"""Pages of the hubs that show a model or a file, as users copy them from a browser."""

Reader = Callable[[str], Awaitable[bytes]]
"""A function that returns the bytes at a URL."""


@dataclass(frozen=True)
class ListedFile:
    """A file of a hub.

    Attributes:
        url: URL of its bytes.
        size: Number of bytes; None if the hub does not specify it.
        digest: SHA-256, or an empty string.
    """

    url: str
    size: int | None = None
    digest: str = ""


Listing = dict[str, ListedFile]
"""The files of a folder by path."""


def is_handle(address: object) -> bool:
    """Return True for a handle such as `hf://owner/model`."""
    return isinstance(address, str) and address.partition("://")[0].lower() in ENDPOINTS


def handle_of_page(address: str) -> str:
    """Return the handle of a page that a hub shows for a model or file; else the address."""
    for scheme, pattern in _PAGES:
        found = pattern.fullmatch(address.partition("?")[0].partition("#")[0])
        if found is not None:
            repo, revision, path = [*found.groups(), None][:3]
            return _handle(scheme, str(repo), revision) + (f"/{unquote(path)}" if path else "")
    return address


def place_of_handle(handle: str) -> FilePlace:
    """Return the place of a handle.

    Raises:
        ValueError: If the handle does not have the form of the hub.
    """
    scheme, _, rest = handle.partition("://")
    pattern, form = _FORMS[scheme.lower()]
    found = pattern.fullmatch(rest)
    if found is None or any(part in (".", "..") for part in rest.split("/")):
        raise ValueError(f"tf.hub: {handle!r} does not have the form {form}")
    path = found["path"]
    folder = _handle(scheme.lower(), found["repo"], found["revision"])
    return FilePlace(folder, checked_path(path) if path else "")


def _handle(scheme: str, repo: str, revision: str | None) -> str:
    joint = "@" if scheme == HUGGING_FACE else "/"
    return f"{scheme}://{repo}{joint}{revision}" if revision else f"{scheme}://{repo}"


async def listing(folder: str, read: Reader, endpoints: Mapping[str, str]) -> Listing:
    """Request the list of the files in a folder of a hub.

    The URLs name the current revision, so that all files belong together even if some of them are
    downloaded later.

    Raises:
        DataLossError: If the hub's answer does not have the expected form.
    """
    scheme, _, rest = folder.partition("://")
    found = _FORMS[scheme][0].fullmatch(rest)
    assert found is not None, folder
    request = {HUGGING_FACE: _of_hugging_face, KAGGLE: _of_kaggle}[scheme]
    try:
        return await request(endpoints[scheme].rstrip("/"), found["repo"], found["revision"], read)
    except (ValueError, TypeError, KeyError) as error:
        raise DataLossError(
            None, "tf.hub", f"{folder}: the hub's answer is wrong: {error}"
        ) from None


async def _of_hugging_face(endpoint: str, repo: str, revision: str | None, read: Reader) -> Listing:
    wanted = quote(unquote(revision or "main"), safe="")
    answer = await _object(f"{endpoint}/api/models/{repo}/revision/{wanted}?blobs=true", read)
    commit = str(answer["sha"])
    if re.fullmatch(r"[0-9a-f]{40,64}", commit) is None:
        raise ValueError(f"{commit[:80]!r} is not a commit")
    found = {}
    for entry in a_list(answer["siblings"], "siblings")[:MAX_FILES]:
        path = checked_path(an_object(entry, "a file")["rfilename"])
        large = an_object(entry.get("lfs") or {}, "lfs")
        found[path] = ListedFile(
            f"{endpoint}/{repo}/resolve/{commit}/{quote(path)}",
            _size(entry.get("size")),
            checked_digest(large.get("sha256")),
        )
    return found


async def _of_kaggle(endpoint: str, repo: str, version: str | None, read: Reader) -> Listing:
    model = f"{endpoint}/api/v1/models/{repo}"
    if version is None:
        number = (await _object(f"{model}/get", read))["versionNumber"]
        if not isinstance(number, int) or number < 1:
            raise ValueError(f"versionNumber is {str(number)[:80]!r}")
        version = str(number)
    found: Listing = {}
    token = ""
    while len(found) < MAX_FILES:
        page = await _object(f"{model}/{version}/files?page_size=200{token}", read)
        before = len(found)
        for entry in a_list(page.get("files"), "files"):
            path = checked_path(an_object(entry, "a file")["name"])
            url = f"{model}/{version}/download/{quote(path)}"
            found[path] = ListedFile(url, _size(entry.get("size") or entry.get("totalBytes")))
        following = page.get("nextPageToken")
        if not following or len(found) == before:
            break
        token = f"&page_token={quote(str(following), safe='')}"
    return found


async def _object(url: str, read: Reader) -> dict[str, Any]:
    return an_object(loaded(await read(url), url), url)


def _size(size: Any) -> int | None:
    if size is None:
        return None
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= MAX_SIZE:
        raise ValueError(f"the size {str(size)[:80]!r} is not possible")
    return size


def packed(files: Listing) -> bytes:
    """Return a list of files as JSON."""
    return json.dumps([[path, f.url, f.size, f.digest] for path, f in files.items()]).encode()


def unpacked(data: bytes, where: str) -> Listing:
    """Return the list of files that `packed` has written.

    Raises:
        ValueError: If it has another form.
    """
    found = {}
    for entry in a_list(loaded(data, where), where):
        path, url, size, digest = a_list(entry, where)
        if not str(url).startswith(WEB):
            raise ValueError(f"{where}: {str(url)[:200]!r} is not the URL of a file")
        file = ListedFile(str(url), _size(size), checked_digest(digest or None))
        found[checked_path(path)] = file
    return found
