"""The keys of programs, from the command line."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.commands import SETTINGS, asked, sextant, told

WHOLE = re.compile(r"sxt_([0-9a-f]{12})_[0-9a-f]{64}")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_key_is_shown_once_and_only_what_is_said_of_it_later(folder: Path) -> None:
    made = sextant(folder, "keys", "create", "--name", "ci", "--tenant", "acme", "-p", "sre")
    assert made.returncode == 0, made.stderr
    shape = WHOLE.fullmatch(made.stdout.strip())
    assert shape
    assert "only time" in made.stderr
    assert "It opens the tenant acme, as sre, for search. It never ends." in made.stderr
    assert "Nothing is stored for the tenant acme yet." in made.stderr
    assert f"sextant keys revoke {shape[1]}" in made.stderr
    (one,) = told("keys", "list")
    assert one["id"] == shape[1]
    assert (one["name"], one["tenant"], one["personas"]) == ("ci", "acme", ["sre"])
    assert one["roles"] == ["RAGPipeline.SearchAccess"]
    assert (one["state"], one["expires"], one["used"]) == ("active", None, None)
    assert made.stdout.strip() not in asked("keys", "list", "--all").stdout
    assert "acme" in asked("keys", "list").stdout


def test_roles_have_short_names_and_long_ones() -> None:
    short = told("keys", "create", "-n", "a", "-r", "search", "-r", "write", "-r", "on-behalf")
    assert short["tenant"] == "default"
    assert short["roles"] == ["KnowledgeStore.WriteAccess", "OnBehalf", "RAGPipeline.SearchAccess"]
    long = told("keys", "create", "-n", "b", "-r", "Sextant.Admin", "-r", "admin")
    assert long["roles"] == ["Sextant.Admin"]


def test_the_tenant_is_that_of_the_settings_unless_one_is_named(folder: Path) -> None:
    (folder / "sextant.toml").write_text('[serve]\ntenant = "mine"\nfolder = "kept"\n')
    assert told("keys", "create", "-n", "ci")["tenant"] == "mine"
    assert (folder / "kept" / "keys.sqlite").exists()


def test_a_revoked_key_is_listed_only_on_demand() -> None:
    made = told("keys", "create", "--name", "old")
    told("keys", "create", "--name", "new")
    revoked = told("keys", "revoke", made["id"])
    assert revoked["state"] == "revoked"
    assert [one["name"] for one in told("keys", "list")] == ["new"]
    assert [one["state"] for one in told("keys", "list", "--all")] == ["revoked", "active"]
    again = asked("keys", "revoke", made["key"])
    assert again.stdout == f"Revoked {made['id']}.\n"


@pytest.mark.parametrize(("text", "hours"), [("12h", 12), ("90d", 90 * 24), ("8w", 8 * 7 * 24)])
def test_a_key_ends_after_so_long(text: str, hours: int) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    ends = datetime.fromisoformat(told("keys", "create", "-n", "ci", "--expires", text)["expires"])
    assert before <= ends - timedelta(hours=hours) <= datetime.now(UTC)


def test_a_key_ends_on_a_day() -> None:
    made = told("keys", "create", "-n", "ci", "--expires", "2090-01-31")
    assert made["expires"] == "2090-01-31T00:00:00+00:00"
    opened = asked("keys", "create", "-n", "ci", "--expires", "2090-01-31", "-p", "*").stderr
    assert "as anybody, for search. It ends on 2090-01-31." in opened


def test_a_key_is_for_something() -> None:
    nameless = asked("keys", "create")
    assert (nameless.exit_code, nameless.stdout) == (2, "")
    assert "--name" in nameless.stderr
    blank = asked("keys", "create", "--name", " ")
    assert (blank.exit_code, blank.stdout) == (1, "")
    assert "The key has no name." in blank.stderr


def test_a_key_has_no_more_personas_than_a_caller_may_have() -> None:
    many = [part for at in range(201) for part in ("--persona", f"p{at}")]
    refused = asked("keys", "create", "--name", "ci", *many)
    assert (refused.exit_code, refused.stdout) == (1, "")
    said = " ".join(refused.stderr.split())
    assert "201 personas of one caller are too many; at most 200 are taken." in said
    assert "fewer" in said
    assert "Split it" not in said
    assert asked("keys", "create", "--name", "ci", *many[2:]).exit_code == 0


def test_whether_a_tenant_has_anything_is_said_with_its_key(folder: Path) -> None:
    (folder / "sextant.toml").write_text(SETTINGS)
    (folder / "a.md").write_text("# Service A\n\nService A is owned by Team Y.\n")
    told("ingest", "a.md")
    known = asked("keys", "create", "-n", "ci")
    assert "It opens the tenant default, as far as it is open to all, for search." in known.stderr
    assert "Nothing is stored" not in known.stderr
    unknown = asked("keys", "create", "-n", "ci", "--tenant", "acme")
    assert "Nothing is stored for the tenant acme yet." in unknown.stderr


def watched(folder: Path, columns: str, *more: str) -> list[str]:
    """Return the list of keys on a terminal of that width, without its colours."""
    shown = sextant(folder, "keys", "list", *more, COLUMNS=columns, FORCE_COLOR="1", TERM="xterm")
    return re.sub(r"\x1b\[[\d;]*m", "", shown.stdout).splitlines()


def test_a_list_has_a_line_for_each_key_on_a_narrow_terminal(folder: Path) -> None:
    long = ("-n", "continuous integration of everything", "-t", "a-tenant-of-a-long-name")
    many = [part for role in ("on-behalf", "read", "search", "write") for part in ("-r", role)]
    made = told("keys", "create", *long, *many, "-p", "finance", "-p", "sre", "--expires", "90d")
    other = told("keys", "create", "-n", "ci", "-t", "acme", "-r", "search", "-r", "read")
    for every in ([], ["--all"]):
        shown = watched(folder, "80", *every)
        assert len(shown) == 3
        assert max(map(len, shown)) <= 80
        assert made["id"] in shown[1]
        assert made["expires"][:10] in shown[1]
        assert "T" not in shown[1]
        assert "…" in shown[1]
        assert ("active" in shown[1]) is bool(every)
    cells = watched(folder, "120")[2].split("  ")
    assert [one.strip() for one in cells if one.strip()] == [
        other["id"],
        "ci",
        "acme",
        "search, read",
        "never",
        "never",
    ]
    assert told("keys", "list")[0]["name"] == long[1]
    piped = asked("keys", "list").stdout.splitlines()
    assert [line.split("\t")[:2] for line in piped] == [[made["id"], long[1]], [other["id"], "ci"]]


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", "--role", "king", "-n", "ci"),
        ("create", "--tenant", "", "-n", "ci"),
        ("create", "--persona", "", "-n", "ci"),
        ("create", "--name", "[/red]\x1b"),
        ("create", "--expires", "soon", "-n", "ci"),
        ("create", "--expires", "0d", "-n", "ci"),
        ("create", "--expires", "2001-01-01", "-n", "ci"),
        ("create", "--expires", "999999w", "-n", "ci"),
        ("create", "--store", "memory:", "-n", "ci"),
        ("revoke", "nobody"),
        ("list",),
    ],
)
def test_what_is_wrong_is_said_without_a_stack_trace(
    arguments: tuple[str, ...], folder: Path
) -> None:
    ended = asked("keys", *arguments)
    assert ended.exit_code == 1
    assert "error:" in ended.stderr
    assert "hint:" in ended.stderr or arguments[1] in ("--tenant", "--persona", "--name")
    assert "Traceback" not in ended.stderr
    if arguments[0] != "create":
        assert list(folder.iterdir()) == []


def test_help_teaches() -> None:
    for command in ("create", "list", "revoke"):
        shown = asked("keys", command, "--help").stdout
        assert "Example: sextant keys" in shown
    assert "api-key" in asked("keys", "--help").stdout
