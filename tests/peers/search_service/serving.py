"""The service behind HTTPS on the loopback, in threads of this process."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.peers.search_service.service import Asked, SearchService


@contextmanager
def serving(service: SearchService, tls: ssl.SSLContext) -> Iterator[str]:
    """Serve until the block ends; yield the endpoint. Who gets no answer waits in vain."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body in one packet, which nobody waits for
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = service.handle(Asked(self.command, self.path, headers, body))
            if reply is None:
                self.rfile.read(1)
                self.close_connection = True
            else:
                self._send(*reply)

        def do_POST(self) -> None:
            self.do_GET()

        def do_PUT(self) -> None:
            self.do_GET()

        def _send(self, status: int, body: Any, headers: dict[str, str]) -> None:
            content = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            kind = "text/plain" if isinstance(body, str) else "application/json"
            self.send_header("content-type", f"{kind}; charset=utf-8")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named by its base
            """Say nothing."""

    with _Server(("127.0.0.1", 0), Handler) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"https://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of those who hang up."""
