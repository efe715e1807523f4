"""Actions and agents of other packages: one that cannot be used stands in nobody's way."""

from __future__ import annotations

import logging
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from sextant import entrypoints
from sextant.chat.parts import PartKind
from tests.chat.running import ANN, PLAIN, events_of, opened, request, text_of

MODULES = {
    "lost_import": "import nobody_has_this_package",
    "raises": "raise RuntimeError('no licence')",
    "not_async": (
        "from sextant.plugins import agent\n\n@agent\ndef slow(run):\n    return 'late'\n"
    ),
    "fine": (
        "from sextant.plugins import agent\n\n"
        "@agent\nasync def clerk(run):\n    '''Answers.'''\n    return 'Here.'\n"
    ),
}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages of which one works."""
    for name, text in MODULES.items():
        (tmp_path / f"acme_{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    agents, actions = "sextant.agents", "sextant.actions"
    points = EntryPoints(
        [
            EntryPoint("clerk", "acme_fine:clerk", agents),
            EntryPoint("gone", "acme_fine:ghost", agents),
            EntryPoint("late", "acme_not_async:slow", agents),
            EntryPoint("twin", "acme_fine:clerk", agents),
            EntryPoint("clerk", "acme_fine:clerk", actions),
            EntryPoint("lost", "acme_lost_import:order", actions),
            EntryPoint("paid", "acme_raises:order", actions),
        ]
    )
    monkeypatch.setattr(entrypoints, "_installed", lambda: points)


@pytest.mark.usefixtures("installed")
async def test_a_plugin_that_cannot_be_used_is_left_out_and_told_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with opened(settings=PLAIN) as sextant:
        assert text_of(await events_of(sextant.copilot, request(agent="clerk"))) == "Here."
        listed = await sextant.copilot.parts(ANN)
        tried = await sextant.copilot.parts(ANN, tried=True)
    wrong = {(one.kind, one.name): one.fault for one in listed if one.fault}
    assert wrong.keys() == {
        (PartKind.ACTION, "clerk"),
        (PartKind.ACTION, "lost"),
        (PartKind.ACTION, "paid"),
        (PartKind.AGENT, "gone"),
        (PartKind.AGENT, "late"),
        (PartKind.AGENT, "twin"),
    }
    assert "nobody_has_this_package" in wrong[PartKind.ACTION, "lost"]
    assert "RuntimeError: no licence" in wrong[PartKind.ACTION, "paid"]
    assert "slow is not async" in wrong[PartKind.AGENT, "late"]
    assert wrong.items() <= {(one.kind, one.name): one.fault for one in tried}.items()
    errors = [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR]
    assert len(errors) == len(wrong)
    assert any("lost in sextant.actions is left out" in one for one in errors)
