"""What people take in documents with instead, on the same files. Knows nothing of ours.

Models and embedders are stand-ins that answer at once, so that what is timed is the peers' own
work. A slow peer gets a part of the files: it stops after the batch in which its time is up.
"""

from __future__ import annotations

import importlib
import logging
import random
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.clock import Figures, folder_bytes, memory
from bench.ingesting.cost import Cost

_CHARACTERS = 800
_TOKEN = 4
"""Characters of a token, roughly; some peers count in tokens."""
_WIDTH = 384
_ENOUGH_S = 120.0

Added = Callable[[Sequence[Path]], Awaitable[int]]
"""Takes files in and returns how many chunks they made."""


async def peer(name: str, source: str, folder: str) -> Figures:
    """Let a peer take in the files, batch by batch; without it there are no figures."""
    logging.disable(logging.WARNING)
    open_peer, batch = PEERS[name]
    clock = Cost()
    try:
        add, save = await open_peer(Path(folder), clock)
    except ModuleNotFoundError as missing:
        return {"missing": f"{missing.name} is not installed"}
    files = _files(source)
    own, done, chunks, started = memory()["VmRSS"], 0, 0, time.process_time()
    with clock:
        while done < len(files) and time.process_time() - started < _ENOUGH_S:
            chunks += await add(files[done : done + batch])
            done = min(done + batch, len(files))
    with Cost() as saving:
        await save()
    return {
        "documents": done,
        "chunks": chunks,
        "cpu_s": clock.cpu_s,
        "chunks_per_cpu_s": chunks / clock.cpu_s,
        "save_cpu_s": saving.cpu_s,
        "saved_chunks_per_cpu_s": chunks / (clock.cpu_s + saving.cpu_s),
        "own_mb": own,
        "peak_mb": memory()["VmHWM"],
        "disk_mb": folder_bytes(Path(folder), "*") / 1e6,
    }


def _files(source: str) -> list[Path]:
    """Return the files in an order of chance, so that a part of them is like all of them."""
    files = sorted(Path(source).rglob("*.md"))
    random.Random(7).shuffle(files)
    return files


Opened = tuple[Added, Callable[[], Awaitable[None]]]


async def _llama_index(folder: Path, _: Cost) -> Opened:
    """Split at headings, then to size; a vector index and a docstore in memory, saved as JSON."""
    core: Any = importlib.import_module("llama_index.core")
    parsers: Any = importlib.import_module("llama_index.core.node_parser")
    mock: Any = importlib.import_module("llama_index.core.embeddings.mock_embed_model")
    headings = parsers.MarkdownNodeParser()
    sizes = parsers.SentenceSplitter(chunk_size=_CHARACTERS // _TOKEN, chunk_overlap=0)
    index = core.VectorStoreIndex([], embed_model=mock.MockEmbedding(embed_dim=_WIDTH))

    async def add(files: Sequence[Path]) -> int:
        texts = ((file, file.read_text(encoding="utf-8")) for file in files)
        read = [core.Document(text=text, metadata={"file": file.name}) for file, text in texts]
        nodes = sizes(headings(read))
        index.insert_nodes(nodes)
        return len(nodes)

    async def save() -> None:
        index.storage_context.persist(str(folder))

    return add, save


async def _haystack(folder: Path, _: Cost) -> Opened:
    """Split recursively to size; a store in memory that counts words for BM25, saved as JSON."""
    convert: Any = importlib.import_module("haystack.components.converters.txt")
    split: Any = importlib.import_module("haystack.components.preprocessors")
    stores: Any = importlib.import_module("haystack.document_stores.in_memory")
    reader = convert.TextFileToDocument()
    splitter = split.RecursiveDocumentSplitter(
        split_length=_CHARACTERS, split_overlap=0, split_unit="char", separators=["\n\n", "\n", " "]
    )
    store = stores.InMemoryDocumentStore()

    async def add(files: Sequence[Path]) -> int:
        parts = splitter.run(reader.run(sources=list(files))["documents"])["documents"]
        policy = importlib.import_module("haystack.document_stores.types").DuplicatePolicy
        return int(store.write_documents(parts, policy=policy.OVERWRITE))

    async def save() -> None:
        store.save_to_disk(str(folder / "store.json"))

    return add, save


async def _light_rag(folder: Path, clock: Cost) -> Opened:
    """Its whole insert: chunks, extraction by a model, a merged graph and three vector files."""
    rag_module: Any = importlib.import_module("lightrag")
    utils: Any = importlib.import_module("lightrag.utils")
    numpy: Any = importlib.import_module("numpy")

    async def embed(texts: Sequence[str], **_: object) -> Any:
        return numpy.ones((len(texts), _WIDTH), numpy.float32)

    async def answer(prompt: str, *_: object, **__: object) -> str:
        before = time.thread_time()
        said = _extraction(prompt.rpartition("---Input Text---")[2])
        clock.apart_s += time.thread_time() - before
        return said

    rag = rag_module.LightRAG(
        working_dir=str(folder),
        llm_model_func=answer,
        embedding_func=utils.EmbeddingFunc(embedding_dim=_WIDTH, func=embed, max_token_size=8_192),
        tokenizer=utils.Tokenizer("four characters", _FourCharacters()),
        chunk_token_size=_CHARACTERS // _TOKEN,
        chunk_overlap_token_size=0,
        entity_extract_max_gleaning=0,
    )
    await rag.initialize_storages()

    async def add(files: Sequence[Path]) -> int:
        texts = [file.read_text(encoding="utf-8") for file in files]
        track = await rag.ainsert(texts, file_paths=[str(file) for file in files])
        states = await rag.aget_docs_by_track_id(track)
        return sum(one.chunks_count or 0 for one in states.values())

    return add, rag.finalize_storages


class _FourCharacters:
    """A tokenizer that needs no file: its own would have to be downloaded."""

    def encode(self, content: str) -> list[str]:
        return [content[at : at + _TOKEN] for at in range(0, len(content), _TOKEN)]

    def decode(self, tokens: Sequence[str]) -> str:
        return "".join(tokens)


_NAME = re.compile(r"\b[A-Z][A-Za-z0-9]{2,}\b")


def _extraction(text: str) -> str:
    """Answer as a model would: up to five names of the text, and that neighbours go together."""
    names = list(dict.fromkeys(_NAME.findall(text)))[:5]
    cut = "<|#|>"
    found = [f"entity{cut}{one}{cut}Concept{cut}{one} is part of the system." for one in names]
    said = [
        f"relation{cut}{one}{cut}{other}{cut}uses{cut}{one} and {other} work together."
        for one, other in pairwise(names)
    ]
    return "\n".join([*found, *said, "<|COMPLETE|>"])


PEERS: dict[str, tuple[Callable[[Path, Cost], Awaitable[Opened]], int]] = {
    "LlamaIndex": (_llama_index, 100),
    "Haystack": (_haystack, 100),
    "LightRAG": (_light_rag, 25),
}
"""How each is opened, and how many files it gets at a time."""
