"""A static HTTP server on this machine, with or without the headers of cross-origin isolation."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

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


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: browsers drop connections when a page closes."""


class Serving:
    """Answers by a handler at ``url``, from a thread; a context manager.

    Args:
        handler: of requests.
        port: 0 takes a free one.
    """

    def __init__(self, handler: type[SimpleHTTPRequestHandler], port: int = 0) -> None:
        self._server = _Server(("127.0.0.1", port), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        """The site's address, with a slash at its end."""

    def close(self) -> None:
        """Stop serving."""
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
    """Serves a folder.

    Args:
        folder: what to serve.
        isolated: whether pages are cross-origin isolated.
        port: 0 takes a free one.
        mounts: more folders, by the name of their first path segment; looked up at each request.
        made: files made when asked for, by path (``"/x.zip"``).
        headers: more headers for every answer.
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

        class Handler(SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            extensions_map = SimpleHTTPRequestHandler.extensions_map | TYPES

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

            def log_message(self, format: str, *args: Any) -> None:
                pass

        super().__init__(Handler, port)
