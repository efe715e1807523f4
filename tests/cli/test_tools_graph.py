"""The picture of the tool graph: one page, safe whatever tools say, bounded however many."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sextant.cli.tools.picturing import choose_shown, graph_page
from sextant.types import Tool, ToolLink, ToolRelation
from tests.cli.commands import SETTINGS, asked, told

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\u202e"


def data_in(page: str) -> Any:
    """Return the data of a page, as a browser reads it."""
    inside = re.search(r'<script type="application/json" id="graph">(.*?)</script>', page, re.S)
    assert inside
    return json.loads(inside[1])


def test_a_page_is_written_that_needs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sextant.toml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    told("tools", "import", "--sample")
    assert told("tools", "graph", "--out", "graph.html")["tools"] == 37
    page = (tmp_path / "graph.html").read_text()
    assert len(data_in(page)["tools"]) == 37
    assert not re.search(r"(?:src|href)\s*=|https?://|@import|fetch\(|innerHTML", page)
    assert "default-src 'none'" in page
    again = asked("tools", "graph", "--out", "graph.html")
    assert (again.exit_code, "--force" in again.stderr) == (1, True)
    assert asked("tools", "graph", "--out", "graph.html", "--force").exit_code == 0
    assert asked("tools", "graph", "--out", "no/such/folder.html").exit_code == 1


def test_texts_of_tools_cannot_leave_the_data() -> None:
    evil = Tool(EVIL, EVIL, EVIL, EVIL, server=EVIL)
    other = Tool("b")
    page = graph_page([evil, other], [ToolRelation(EVIL, "b", ToolLink.PRECEDES, reason=EVIL)])
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<img" not in page
    (first, *_), *_ = data_in(page)["tools"]
    assert first == EVIL.removesuffix("\u202e")


def test_of_too_many_tools_those_with_most_relations_are_drawn() -> None:
    tools = [Tool(f"t{at:05}") for at in range(6_000)]
    relations = [
        ToolRelation("t05999", f"t{at:05}", ToolLink.OFTEN_USED_WITH, 0.5) for at in range(5_500)
    ]
    shown, edges = choose_shown(tools, relations)
    assert (len(shown), len(edges)) == (5_000, 4_999)
    assert shown[-1].id == "t05999"


@pytest.mark.skipif(not shutil.which("node"), reason="missing: node")
def test_the_script_of_the_page_is_one() -> None:
    script = graph_page([Tool("a")], []).rpartition("<script>")[2].partition("</script>")[0]
    checked = subprocess.run(
        ["node", "--check", "-"], input=script, capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
