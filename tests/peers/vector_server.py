"""An embeddings endpoint whose vectors know words: those of the embedder ``tiny:``.

It stands in for a model that nobody could run here, in a process of its own; it refuses what OpenAI
refuses, an empty text among others.
"""

import asyncio
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sextant.llms.tiny import Tiny

LONGEST = 8_191
WIDTH = 128
_MOST = 2_048


class Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = body["input"]
        if not texts or len(texts) > _MOST or not all(0 < len(one) <= LONGEST for one in texts):
            self._tell(400, {"error": {"message": "No such input.", "param": "input"}})
            return
        vectors = asyncio.run(Tiny(body.get("dimensions", WIDTH)).embed(texts, "document"))
        data = [
            {"object": "embedding", "index": row, "embedding": (3 * vector).tolist()}
            for row, vector in enumerate(vectors)
        ]
        # Nothing promises that they come in order.
        self._tell(200, {"object": "list", "model": body["model"], "data": data[::-1]})

    def _tell(self, status: int, value: object) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by its base
        """Say nothing."""


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
