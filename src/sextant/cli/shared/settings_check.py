"""What is wrong with settings that are each of their kind: names that nobody here answers to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sextant import build
from sextant.errors import ConfigError
from sextant.settings import AskSettings, Settings
from sextant.text.words import languages


class _Wrong(NamedTuple):
    name: str
    value: object
    why: str
    hint: str


def mistakes(settings: Settings, origins: Mapping[str, str]) -> dict[str, ConfigError]:
    """Return what is wrong and who said so, by the name of the setting."""
    return {
        one.name: ConfigError(
            f"{origins.get(one.name, 'default')} sets {one.name} to {one.value!r}{one.why}.",
            one.hint,
        )
        for one in _wrong(settings)
    }


def _wrong(settings: Settings) -> Iterator[_Wrong]:
    extractor, records = settings.ingest.extractor, settings.serve.records
    graph = settings.toolbox.graph
    for name, value, refused in (
        ("store", settings.store, build.unknown("store", settings.store)),
        ("index", settings.index, build.wrong_index(settings.index)),
        *(("chat.models", one, build.wrong_llm(one)) for one in settings.chat.models),
        *(
            ("guardrails.services", one, build.unknown("guardrail", one))
            for one in settings.guardrails.services
        ),
        ("toolbox.graph", graph, build.wrong_tool_graph(graph)),
        ("embedder", settings.embedder, build.unknown("embedder", settings.embedder)),
        ("llm", settings.llm, build.wrong_llm(settings.llm)),
        ("ingest.extractor", extractor, build.wrong_extractor(extractor)),
        ("serve.records", records, build.wrong_server_records(records)),
    ):
        if refused:
            what = name.rpartition(".")[2].removesuffix("s")
            yield _Wrong(name, value, f"; it names no {what}", refused.hint)
    for remote in settings.chat.remotes:
        if (wrong := build.wrong_remote(remote)) is not None:
            why = f", the kind of {remote.name}; it names no kind of remote"
            yield _Wrong("chat.remotes", remote.kind, why, wrong.hint)
    doors = settings.serve.doors
    if refused := build.wrong_doors(doors):
        unknown = ", ".join(map(repr, build.unknown_doors(doors)))
        yield _Wrong("serve.doors", doors, f"; no door is called {unknown}", refused.hint)
    if settings.store == "sqlite:":
        yield _Wrong("store", settings.store, "; it names no folder", "Write sqlite:FOLDER.")
    language = settings.keyword.language
    if language not in languages():
        hint = f"Use one of {', '.join(languages())}."
        yield _Wrong("keyword.language", language, "; it names no language", hint)
    if not _counts(settings.ask):
        hint = "Let one of relevancy, recency, richness and reputation count."
        yield _Wrong("ask.relevancy", settings.ask.relevancy, ", and nothing else counts", hint)


def _counts(own: AskSettings) -> bool:
    return any((own.relevancy, own.recency, own.richness, own.reputation))
