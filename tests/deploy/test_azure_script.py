"""deploy.sh shows a plan before it applies it; build-image.sh sends what the image is made of."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.deploy import files
from tests.deploy.terraform import FOLDER, SCRIPTS

ARGUMENTS = ("dev", "swedencentral", "graphrag")
_AZ = """#!/bin/sh
echo "az $*" >> "$CALLS"
[ "$1" != acr ] || { for context in "$@"; do :; done; cd "$context" && find . -type f >> "$CALLS"; }
[ -z "$SIGNED_OUT" ] || exit 1
echo sub-7
"""
_TERRAFORM = """#!/bin/sh
echo "terraform $*" >> "$CALLS"
case "$*" in
  *" plan "*) [ -z "$PLAN_FAILS" ] || exit 1 ;;
  *"output -raw "*) echo "the-${4}" ;;
esac
"""


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """Return a folder with the two programs that the script calls; each notes how it is called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (("az", _AZ), ("terraform", _TERRAFORM)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


def deploy(
    tools: Path, *arguments: str, said: str = "", **more: str
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run deploy.sh, and return what came of it and how it called the programs."""
    return run(tools, SCRIPTS[1], *arguments, said=said, **more)


def run(
    tools: Path, script: Path, *arguments: str, said: str = "", **more: str
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run a script, and return what came of it and how it called the programs."""
    calls = tools.parent / "calls"
    calls.write_text("")
    done = subprocess.run(
        ["/bin/bash", str(script), *arguments],
        input=said,
        env={"PATH": f"{tools}:{os.defpath}", "CALLS": str(calls), **more},
        capture_output=True,
        text=True,
        check=False,
    )
    return done, calls.read_text().replace(str(FOLDER), "FOLDER").splitlines()


def test_a_plan_is_applied_once_it_is_agreed_to(tools: Path) -> None:
    done, calls = deploy(tools, *ARGUMENTS, "-var", "host=app_service", said="y\n")
    assert done.returncode == 0, done.stderr
    assert calls[:3] == [
        "az account show --query id --output tsv",
        "terraform -chdir=FOLDER init -input=false",
        "terraform -chdir=FOLDER workspace select -or-create graphrag-dev",
    ]
    plan = re.search(r"-out=(\S+)", calls[3])
    assert plan
    given = ("subscription_id=sub-7", "environment=dev", "region=swedencentral", "name=graphrag")
    assert calls[3].endswith(" ".join(f"-var {one}" for one in (*given, "host=app_service")))
    assert calls[4] == f"terraform -chdir=FOLDER apply -input=false {plan[1]}"
    assert not Path(plan[1]).exists()


def test_it_says_what_comes_next(tools: Path) -> None:
    done, _ = deploy(tools, *ARGUMENTS, AUTO_APPROVE="1")
    assert done.returncode == 0
    steps = ["output -raw shell", "sextant azure init", "sextant azure check"]
    steps += [
        "sextant ingest DOCS --tenant the-tenant_id",
        "sextant m365 package --out app.zip --app-id the-bot_id --url the-url",
    ]
    places = [done.stdout.index(step) for step in steps]
    assert places == sorted(places)
    assert "It runs at the-url." in done.stdout


@pytest.mark.parametrize("said", ["n\n", "\n", ""])
def test_nothing_is_applied_that_was_not_agreed_to(tools: Path, said: str) -> None:
    done, calls = deploy(tools, *ARGUMENTS, said=said)
    assert done.returncode == 1
    assert not [call for call in calls if " apply " in call]


def test_a_plan_that_fails_is_the_end(tools: Path) -> None:
    done, calls = deploy(tools, *ARGUMENTS, AUTO_APPROVE="1", PLAN_FAILS="1")
    assert done.returncode == 1
    assert not [call for call in calls if " apply " in call]


def test_too_few_words_show_how_it_is_called(tools: Path) -> None:
    done, calls = deploy(tools, "dev", "swedencentral")
    assert (done.returncode, calls) == (2, [])
    assert "deploy.sh ENV REGION NAME" in done.stderr


def test_whoever_is_not_signed_in_is_told_so(tools: Path) -> None:
    done, calls = deploy(tools, *ARGUMENTS, SIGNED_OUT="1")
    assert (done.returncode, len(calls)) == (1, 1)
    assert "az login" in done.stderr


@pytest.mark.parametrize("tool", ["az", "terraform"])
def test_a_tool_that_is_missing_is_named(tools: Path, tool: str, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("dirname", "basename"):
        (bare / name).symlink_to(f"/usr/bin/{name}")
    (tools / tool).unlink()
    done, calls = deploy(tools, *ARGUMENTS, PATH=f"{tools}:{bare}")
    assert (done.returncode, calls) == (1, [])
    assert f"{tool} is not installed" in done.stderr


def test_an_image_is_built_of_what_the_dockerfile_copies_and_nothing_else(tools: Path) -> None:
    done, calls = run(tools, SCRIPTS[0], "sub-7", "myregistry", "0.1.0")
    assert done.returncode == 0, done.stderr
    call, *sent = calls
    begin = "az acr build --subscription sub-7 --registry myregistry --image sextant:0.1.0"
    assert call.startswith(f"{begin} --file ")
    context = Path(call.split()[-1])
    assert call.split()[-2] == f"{context}/deploy/Dockerfile"
    assert not context.exists()
    tops = {one.removeprefix("./").split("/")[0] for one in sent}
    assert tops == {"LICENSE", "NOTICE", "README.md", "deploy", "pyproject.toml", "src"}
    copied = {
        f"./{source}"
        for line in files.step("COPY")
        if "--from" not in line
        for source in line.split()[:-1]
    }
    assert copied - {"./src"} <= set(sent)
    assert not [one for one in sent if "__pycache__" in one]
