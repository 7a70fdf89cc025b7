"""A local HTTP server for static files, with or without the headers of cross-origin isolation."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

TYPES = {
    ".mjs": "text/javascript",
    ".js": "text/javascript",
    ".wasm": "application/wasm",
    ".json": "application/json",
    ".whl": "application/zip",
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".py": "text/x-python; charset=utf-8",
}
ISOLATION = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
}

LOCAL_HOST = re.compile(
    r"(127\.0\.0\.1|localhost|[\w.-]+\.localhost|\[::1\])(:\d+)?", re.IGNORECASE
)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors, because browsers drop connections when a page closes."""


class LocalHandler(SimpleHTTPRequestHandler):
    """A handler that serves the files of a folder to pages on this machine.

    With DNS rebinding, a page from another host can reach this server under that host's name, and
    the browser lets the page read the responses. The handler therefore rejects requests for other
    hosts. Folders without `index.html` are not listed.
    """

    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | TYPES

    def parse_request(self) -> bool:
        if not super().parse_request():
            return False
        host = self.headers.get("Host", "")
        if LOCAL_HOST.fullmatch(host) is None:
            explained = f"This server serves 127.0.0.1 and localhost, not {host[:100]!r}."
            self.send_error(HTTPStatus.FORBIDDEN, explain=explained)
            return False
        if "\0" in unquote(self.path):
            self.send_error(HTTPStatus.NOT_FOUND)
            return False
        return True

    def list_directory(self, path: object) -> None:
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


class Serving:
    """A server that runs in a thread, and a context manager that closes it.

    Args:
        handler: Class that handles requests.
        port: Port of the server. 0 chooses a free port.
    """

    def __init__(self, handler: type[LocalHandler], port: int = 0) -> None:
        self._server = _Server(("127.0.0.1", port), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        """URL of the site, with a trailing slash."""

    def close(self) -> None:
        """Stop the server, which closes its port.

        Example:
            >>> import pathlib
            >>> from tfpy.testing import SiteServer
            >>> server = SiteServer(pathlib.Path("."))
            >>> server.close()
        """
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class SiteServer(Serving):
    """A local HTTP server for a folder. It follows symbolic links in the folder.

    The server is also a context manager, which closes it.

    Args:
        folder: Folder to serve.
        isolated: If True, the server sends the headers that make pages cross-origin isolated.
        port: Port of the server. Default: 0, which chooses a free port.
        mounts: Further folders by the first segment of their paths. The mapping is read at each
            request, so it can be changed. Default: none.
        made: Functions that return the bytes of a file when it is requested, by path (`"/x.zip"`).
            Default: none.
        headers: Further headers for every response. Default: none.

    Example:
        >>> import pathlib
        >>> from tfpy.testing import SiteServer
        >>> with SiteServer(pathlib.Path(".")) as server:
        ...     print(server.url.startswith("http://127.0.0.1:"))
        True
    """

    def __init__(
        self,
        folder: Path,
        *,
        isolated: bool = True,
        port: int = 0,
        mounts: Mapping[str, Path] | None = None,
        made: Mapping[str, Callable[[], bytes]] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        folders = {} if mounts is None else mounts
        files = dict(made or {})
        extra = {"Cache-Control": "no-cache", **(ISOLATION if isolated else {}), **(headers or {})}

        class Handler(LocalHandler):
            def translate_path(self, path: str) -> str:
                first, _, rest = path.lstrip("/").partition("/")
                mounted = folders.get(first)
                self.directory = str(mounted or folder)
                return super().translate_path(f"/{rest}" if mounted else path)

            def do_GET(self) -> None:
                make = files.get(self.path)
                if make is None:
                    super().do_GET()
                    return
                body = make()
                self.send_response(200)
                self.send_header("Content-Type", self.guess_type(self.path))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def end_headers(self) -> None:
                for name, value in extra.items():
                    self.send_header(name, value)
                super().end_headers()

        super().__init__(Handler, port)
