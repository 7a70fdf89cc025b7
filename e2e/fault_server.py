"""A server of the site with one fault, which the first part of the path selects.

``/numpy-cut/tfpy.mjs`` is the site's ``tfpy.mjs``, and so are all other files below
``/numpy-cut/``, except the files that the fault of this name affects.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tfpy.testing.server import ISOLATION, TYPES, LocalHandler, Serving

PAGE = b"<!doctype html><title>A page</title><link rel=icon href='data:,'><body></body>"


@dataclass(frozen=True)
class Fault:
    """A fault of a server."""

    path: str = "(?!)"
    """Regular expression that matches part of the affected files' paths."""
    how: str = "missing"
    """Kind of fault.

    ``missing``: 404; ``page``: another page is returned; ``type``: the type is
    application/octet-stream; ``short``: only the first half, with a matching length; ``changed``:
    one byte differs; ``cut``: the connection breaks after the first half.
    """
    headers: Mapping[str, str] = field(default_factory=dict)
    """Additional headers of each response."""


class FaultServer(Serving):
    """A server that serves ``site`` once for each fault, under the fault's name."""

    def __init__(self, site: Path, faults: Mapping[str, Fault]) -> None:
        self.mended: set[str] = set()
        """Names of faults that are fixed. Their headers stay."""
        mended = self.mended
        top = site.resolve()

        class Handler(LocalHandler):
            def do_GET(self) -> None:  # noqa: N802
                name, _, path = self.path.partition("?")[0].lstrip("/").partition("/")
                fault = faults.get(name, Fault())
                is_hit = name not in mended and re.search(fault.path, path)
                hit = fault.how if is_hit else ""
                file = (top / path).resolve()
                kind = TYPES.get(file.suffix, "application/octet-stream")
                if path == "blank.html":
                    body, kind = PAGE, "text/html"
                elif hit == "missing" or not (file.is_relative_to(top) and file.is_file()):
                    self.send_error(404)
                    return
                else:
                    body = file.read_bytes()
                if hit == "page":
                    body, kind = PAGE, "text/html"
                elif hit == "type":
                    kind = "application/octet-stream"
                elif hit == "short":
                    body = body[: len(body) // 2]
                elif hit == "changed":
                    middle = len(body) // 2
                    body = body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :]
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                headers = {**ISOLATION, **fault.headers, "Cache-Control": "no-cache"}
                for key, value in headers.items():
                    self.send_header(key, value)
                self.end_headers()
                if hit == "cut":
                    self.wfile.write(body[: len(body) // 2])
                    self.wfile.flush()
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                else:
                    self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        super().__init__(Handler)
