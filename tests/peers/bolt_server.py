"""Serves ArcadeDB, which calls itself Neo4j-compatible, over Bolt until standard input ends.

``python -m tests.peers.bolt_server PASSWORD``, in a process of its own: it holds a Java machine.
The user is root, the database neo4j; whatever is written goes with the process.
"""

import os
import socket
import sys
import tempfile

import arcadedb_embedded


def main() -> None:
    stdout = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Java writes its log to standard output
    bolt, http = _free_ports(2)
    config = {
        "host": "127.0.0.1",
        "http_port": http,
        "bolt_port": bolt,
        "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
    }
    memory = {"heap_size": "512m"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # where it writes its log
        server = arcadedb_embedded.ArcadeDBServer(folder, sys.argv[1], config, memory)
        server.start()
        try:
            server.create_database("neo4j")
            print(f"bolt://127.0.0.1:{bolt}", file=stdout, flush=True)
            sys.stdin.read()
        finally:
            server.stop()


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports: list[int] = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


if __name__ == "__main__":
    main()
