"""A suite is proven by what it refuses: adapters that break one promise each fail it, for that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar
from unittest import SkipTest

import pytest

from sextant.errors import SextantError
from sextant.llms.tiny import Tiny
from sextant.ports import ChatModel, Embedder, Store
from sextant.server_ports import ServerRecords
from sextant.stores.memory.parts.truth import MemoryTruth
from sextant.stores.server_records.memory import MemoryKeys
from sextant.testing import (
    ChatModelConformance,
    EmbedderConformance,
    ServerRecordsConformance,
    StoreConformance,
)
from sextant.testing.chat_model_suite.prompts import WRONG_KEY
from tests.conformance.broken import admins, graphs, indexes, records, truths
from tests.conformance.broken.cases import Case, Cases
from tests.conformance.broken.chat_models import CHAT_MODELS
from tests.conformance.broken.embedders import EMBEDDERS, Discerning
from tests.conformance.broken.obedient import Obedient
from tests.conformance.broken.server_records import SERVER_RECORDS, records_with
from tests.conformance.broken.stores import STORES, store_with

_PARTS = (admins, graphs, indexes, records, truths)


class _StoreSuite(StoreConformance):
    adapter: type[Any] = MemoryTruth
    patience: ClassVar[float] = 0.2
    """A store in memory does at once what it does at all."""

    async def open_store(self, folder: Path) -> Store:  # noqa: ARG002 - in memory
        return store_with(self.adapter)


class _RecordsSuite(ServerRecordsConformance):
    adapter: type[Any] = MemoryKeys
    lasts = shares = False

    async def open_records(self, folder: Path) -> ServerRecords:  # noqa: ARG002 - in memory
        return records_with(self.adapter)


class _EmbedderSuite(EmbedderConformance):
    adapter: type[Tiny] = Tiny

    def open_embedder(self) -> Embedder:
        return self.adapter()


class _DiscerningSuite(_EmbedderSuite):
    adapter = Discerning


class _ChatModelSuite(ChatModelConformance):
    adapter: type[Obedient] = Obedient

    def open_model(self) -> ChatModel:
        return self.adapter()

    def open_unreachable(self) -> ChatModel:
        return self.adapter(is_reachable=False)

    def open_with_wrong_key(self) -> ChatModel:
        return self.adapter(WRONG_KEY)


_Suite = _StoreSuite | _RecordsSuite | _EmbedderSuite | _ChatModelSuite


def _failures(suite: _Suite, *given: object) -> dict[str, Exception]:
    """Run every test of a suite and return what those raised that failed."""
    found: dict[str, Exception] = {}
    for name in sorted(one for one in dir(suite) if one.startswith("test_")):
        try:
            getattr(suite, name)(*given)
        except SkipTest:
            continue
        except Exception as error:
            found[name] = error
    return found


def _each(cases: Cases) -> Callable[..., Any]:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.adapter.__name__)


def _assert_refused(case: Case, suite: _Suite, *given: object) -> None:
    """Make sure that the tests of the broken promise fail by an assertion, and few others do.

    What fails otherwise is refused by an error of ours: an adapter must not fail by a slip.
    """
    suite.adapter = case.adapter
    failures = _failures(suite, *given)
    assert case.tests <= failures.keys()
    assert {type(failures[name]) for name in case.tests} == {AssertionError}
    assert len(failures) <= case.most, sorted(failures)
    others = [one for one in failures.values() if not isinstance(one, AssertionError)]
    assert all(isinstance(one, SextantError) for one in others), others


@_each(STORES)
def test_store_is_refused(case: Case, tmp_path: Path) -> None:
    _assert_refused(case, _StoreSuite(), tmp_path)


@_each(SERVER_RECORDS)
def test_server_records_are_refused(case: Case, tmp_path: Path) -> None:
    _assert_refused(case, _RecordsSuite(), tmp_path)


@_each(EMBEDDERS)
def test_embedder_is_refused(case: Case) -> None:
    _assert_refused(case, _EmbedderSuite())


@_each(CHAT_MODELS)
def test_chat_model_is_refused(case: Case) -> None:
    _assert_refused(case, _ChatModelSuite())


def test_what_they_are_made_of_is_not_refused(tmp_path: Path) -> None:
    assert not _failures(_StoreSuite(), tmp_path)
    assert not _failures(_RecordsSuite(), tmp_path)
    assert not _failures(_EmbedderSuite())
    assert not _failures(_DiscerningSuite())
    assert not _failures(_ChatModelSuite())


def test_there_are_as_many_as_promised() -> None:
    assert {case.adapter.__module__ for case in STORES} == {part.__name__ for part in _PARTS}
    assert len(STORES) >= 15
    assert min(len(EMBEDDERS), len(CHAT_MODELS)) >= 5
