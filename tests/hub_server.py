"""A server of files that behaves like Hugging Face and Kaggle, with faults on request."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import socket
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tfpy.testing.server import LocalHandler, Serving

COMMIT = "0123456789abcdef0123456789abcdef01234567"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n"
_LARGE = re.compile(r".*\.(safetensors|gguf|h5|bin)")
_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


@dataclass
class Faults:
    """The faults of one file.

    Attributes:
        cuts: Numbers of bytes after which the connection breaks, one for each request.
        statuses: Status codes of the next requests; 0 for none.
        ignores_ranges: If True, each response is the whole file.
        tags: Validators of the next responses. The last one stays. An empty string sends none.
        shift: Number that is added to the positions in Content-Range.
        extra: Number of bytes that are sent in addition to the declared ones.
        packed: If True, the response is compressed if the client accepts it.
        packed_always: If True, the response is compressed.
        pause: Seconds before the connection breaks. Browsers discard bytes that the page has not
            read until then.
        hides: If True, pages cannot read the response's ETag and Content-Range.
    """

    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    ignores_ranges: bool = False
    tags: list[str] = field(default_factory=list)
    shift: int = 0
    extra: int = 0
    packed: bool = False
    packed_always: bool = False
    pause: float = 0.0
    hides: bool = False


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class HubServer(Serving):
    """The server. Its attributes can be changed while it runs.

    Args:
        port: Port of the server. Default: a free port.
    """

    def __init__(self, port: int = 0) -> None:
        self.reset()
        super().__init__(_handler(self), port)

    def reset(self) -> None:
        """Remove all files and faults."""
        self.files: dict[str, bytes] = {}
        """Files by the path of their URL."""
        self.faults: dict[str, Faults] = {}
        """Faults by the path of the URL."""
        self.models: dict[str, dict[str, bytes]] = {}
        """Models of Hugging Face ("owner/model"), and of Kaggle (with framework and variation)."""
        self.version = 3
        """Current version of the models of Kaggle."""
        self.asked: list[tuple[str, str]] = []
        """Paths and ranges of the requests so far."""
        self.redirects: dict[str, str] = {}
        """Targets of redirects by path."""

    def requests(self, start: str = "/") -> list[str]:
        """Return the ranges of the requests whose path begins with a text."""
        return [range_ for path, range_ in self.asked if path.startswith(start)]


def _handler(server: HubServer) -> type[LocalHandler]:
    class Handler(LocalHandler):
        def do_OPTIONS(self) -> None:  # noqa: N802
            self._begin(204, {"Access-Control-Allow-Headers": "Range", "Content-Length": "0"})

        def do_GET(self) -> None:  # noqa: N802
            path = unquote(urlsplit(self.path).path)
            server.asked.append((path, self.headers.get("Range", "")))
            answer = self._of_hugging_face(path) or self._of_kaggle(path)
            target = server.redirects.get(path)
            if target is not None:
                self._begin(302, {"Location": target, "Content-Length": "0"})
            elif isinstance(answer, str):
                self._begin(302, {"Location": answer, "Content-Length": "0"})
            elif isinstance(answer, dict):
                body = json.dumps(answer).encode()
                self._begin(200, {"Content-Length": str(len(body))})
                self.wfile.write(body)
            else:
                data = answer if answer is not None else server.files.get(path)
                self._send(path, data)

        def _of_hugging_face(self, path: str) -> Any:
            """Return a file, the URL of a redirect, JSON, or None."""
            if found := re.fullmatch(r"/api/models/(.+)/revision/(main|v1)", path):
                return _described(server.models.get(found[1]))
            found = re.fullmatch(r"/([^/]+/[^/]+)/(resolve|raw)/([^/]+)/(.+)", path)
            if found is None or found[1] not in server.models:
                return None
            data = server.models[found[1]].get(found[4])
            if data is None or found[3] not in (COMMIT, "main"):
                return b""
            if not _LARGE.fullmatch(found[4]):
                return data
            if found[2] == "raw":
                return POINTER.format(digest(data), len(data)).encode()
            server.files[f"/cdn/{digest(data)}"] = data
            return f"/cdn/{digest(data)}?signature={len(server.asked)}"

        def _of_kaggle(self, path: str) -> Any:
            """Return the URL of a redirect, JSON, or None."""
            found = re.fullmatch(r"/api/v1/models/((?:[^/]+/){3}[^/]+)/(.+)", path)
            if found is None or found[1] not in server.models:
                return None
            files = server.models[found[1]]
            if found[2] == "get":
                return {"versionNumber": server.version}
            if found[2] == f"{server.version}/files":
                query = parse_qs(urlsplit(self.path).query)
                first = int(query.get("page_token", ["0"])[0])
                page = [{"name": n, "size": len(d)} for n, d in files.items()][first : first + 2]
                following = str(first + 2) if first + 2 < len(files) else ""
                return {"files": page, "nextPageToken": following}
            name = found[2].removeprefix(f"{server.version}/download/")
            server.files[f"/storage/{found[1]}/{name}"] = files[name]
            return f"/storage/{found[1]}/{name}?expires=1"

        def _send(self, path: str, data: bytes | None) -> None:
            faults = server.faults.get(path, Faults())
            status = faults.statuses.pop(0) if faults.statuses else 0
            if status or data is None:
                self.send_error(status or HTTPStatus.NOT_FOUND)
                return
            tag = f'"{digest(data)[:16]}"'
            if faults.tags:
                tag = faults.tags.pop(0) if len(faults.tags) > 1 else faults.tags[0]
            headers = {"ETag": tag} if tag else {}
            if not faults.hides:
                headers["Access-Control-Expose-Headers"] = "ETag, Content-Range"
            asked = _RANGE.fullmatch(self.headers.get("Range", ""))
            status = 200
            if asked and not faults.ignores_ranges:
                begin = int(asked[1])
                end = min(int(asked[2]) + 1 if asked[2] else len(data), len(data))
                if begin >= end:
                    self._begin(416, {"Content-Length": "0"})
                    return
                status, moved = 206, faults.shift
                headers["Content-Range"] = f"bytes {begin + moved}-{end - 1 + moved}/{len(data)}"
                data = data[begin:end]
            accepted = "gzip" in self.headers.get("Accept-Encoding", "")
            if faults.packed_always or (faults.packed and accepted):
                data = gzip.compress(data)
                headers["Content-Encoding"] = "gzip"
            headers["Content-Length"] = str(len(data))
            cut = faults.cuts.pop(0) if faults.cuts else None
            if faults.extra:
                del headers["Content-Length"]
                self.close_connection = True
                data += b"+" * faults.extra
            self._begin(status, headers)
            self.wfile.write(data[:cut])
            if cut is not None:
                self.wfile.flush()
                time.sleep(faults.pause)
                faults.pause = 0.0
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True

        def _begin(self, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {"Access-Control-Allow-Origin": "*", **headers}.items():
                self.send_header(name, value)
            self.end_headers()

    return Handler


def _described(model: dict[str, bytes] | None) -> dict[str, Any] | None:
    """Return what Hugging Face reports about a model."""
    if model is None:
        return None
    siblings: list[dict[str, Any]] = []
    for path, data in model.items():
        entry: dict[str, Any] = {"rfilename": path, "size": len(data)}
        if _LARGE.fullmatch(str(path)):
            entry["lfs"] = {"sha256": digest(data), "size": len(data), "pointerSize": 130}
        siblings.append(entry)
    return {"sha": COMMIT, "siblings": siblings}
