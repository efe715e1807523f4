"""A real server on the loopback, with the manners of a bad one."""

import gzip
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Headers = Mapping[str, str]


@dataclass
class Answer:
    """What a path is answered with; ``body`` may be a stream of pieces, sent until it breaks."""

    body: bytes | Callable[[], Iterator[bytes]] = b""
    status: int = 200
    headers: Headers = field(default_factory=dict)


def page(*links: str, head: str = "") -> Answer:
    body = "".join(f'<a href="{link}">x</a>' for link in links)
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    return Answer(html.encode(), headers={"Content-Type": "text/html"})


def text(body: bytes, kind: str = "text/plain") -> Answer:
    return Answer(body, headers={"Content-Type": kind})


def moved(to: str, status: int = 302) -> Answer:
    return Answer(b"", status, {"Location": to})


def packed(size: int) -> Answer:
    body = gzip.compress(bytes(size))
    return Answer(body, headers={"Content-Type": "text/plain", "Content-Encoding": "gzip"})


class Site:
    """The answers of a server, and what it was asked."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.root = f"http://127.0.0.1:{port}"
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.stopped = threading.Event()


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def do_GET(self) -> None:
            site.asked.append(self.path)
            site.headers.append(dict(self.headers))
            answer = site.answers.get(self.path, Answer(b"", 404))
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if isinstance(answer.body, bytes):
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)
                return
            self.send_header("Connection", "close")
            self.end_headers()
            try:
                for piece in answer.body():
                    self.wfile.write(piece)
            except OSError:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Visitors hang up here on purpose."""

    server = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    site = Site(server.server_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield site
    finally:
        site.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()
