"""Nothing is imported for a provider that is not used."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROVIDERS = ("openai", "anthropic", "google.genai", "azure", "mcp", "xllamacpp")
_SEEN = "import json, sys; print(json.dumps([one for one in {names!r} if one in sys.modules]))"
_OPEN = "from sextant import build, settings; build.open_llm(settings.Settings(llm={llm!r}))"


def imported(code: str, folder: Path) -> list[str]:
    """Return which providers' packages a fresh interpreter has after this code."""
    keys = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k"}
    azure = {"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://nobody.example"}
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{_SEEN.format(names=PROVIDERS)}"],
        cwd=folder,
        env={**os.environ, **keys, **azure},
        stdout=subprocess.PIPE,
        check=True,
    )
    seen: list[str] = json.loads(done.stdout.splitlines()[-1])
    return seen


def test_command_line_imports_no_provider(tmp_path: Path) -> None:
    assert imported("import sextant.cli, sextant.build", tmp_path) == []


def test_question_without_a_model_imports_no_provider(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from sextant.cli import main\n"
        "sys.argv = ['sextant', 'ask', 'who owns the gate?', '--llm', 'none']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
    )
    assert imported(code, tmp_path) == []


@pytest.mark.parametrize(
    ("llm", "used"),
    [
        ("none", []),
        ("openai:gpt-5-mini", ["openai"]),
        ("openai-responses:gpt-5-mini", ["openai"]),
        ("azure:mine", ["openai"]),
        ("http://127.0.0.1:9/v1#m", ["openai"]),
        ("local:", ["openai", "xllamacpp"]),
        ("anthropic:claude", ["anthropic"]),
        ("gemini:gemini-flash", ["google.genai"]),
        ("langserve:http://127.0.0.1:9/chain", []),
        ("empty:", []),
    ],
)
def test_model_imports_its_own_provider_alone(llm: str, used: list[str], tmp_path: Path) -> None:
    assert imported(_OPEN.format(llm=llm), tmp_path) == used
