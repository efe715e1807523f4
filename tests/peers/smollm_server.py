"""Serves SmolLM2 over HTTP until standard input ends, in a process of its own.

``python -m tests.peers.smollm_server`` for chat, with ``vectors`` for embeddings.
"""

import sys

import xllamacpp

from sextant.llms.compatible.local import installed, parameters


def main() -> None:
    chosen = parameters(installed())
    if "vectors" in sys.argv:
        chosen.embedding = True
        chosen.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(chosen)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
