"""Commands in an answer are those of the source, sign by sign: none lost, moved or escaped."""

from __future__ import annotations

import pytest

from sextant.core import Sextant
from sextant.errors import InvalidReply
from sextant.types import Scope
from tests.ask.grounding.replies import wrote
from tests.ask.model_steps.playing import ask, in_place
from tests.ask.pieces import passage
from tests.text.test_code_spans import PARSER

PAGES = {
    "restart.md": "# Restart of the gateway\n\nTo restart the gateway, run "
    "`kubectl rollout restart deploy/<gateway> -n edge > /dev/null 2>&1`. It takes a minute.\n",
    "backup.md": "# Backup of the ledger\n\nThe backup of the ledger is made by this command:\n\n"
    "```bash\npg_dump --format=custom 'ledger' | gzip > \"/var/backups/*_$(date +%F).gz\"\n```\n",
    "quoting.md": "# Dates in names\n\nName the export by its date with "
    "``touch export-`date +%F` ``. It is read at night.\n",
    "split.md": '# Log filter\n\nThe log filter is `grep -v "Started. Finished" app.log` and its '
    "owner is `ops`. It is old.\n",
    "table.md": "# Ports of Tide\n\n| service | check |\n|---|---|\n"
    "| Tide | `nc -z <host> 8443` |\n| Kite | `curl -s *:9090/health_` |\n",
    "crontab.md": "# Nightly job\n\nThe nightly job is started by cron:\n\n```\n"
    "10 5 * * * /opt/run --only=<night> >> /var/log/_night.log 2>&1\n```\n",
}
ASKED = [
    ("How do I restart the gateway?", "kubectl rollout restart deploy/<gateway> -n edge"),
    ("Which command makes the backup of the ledger?", "'ledger' | gzip > \"/var/backups/*_$("),
    ("How is the export named by its date?", "touch export-`date +%F`"),
    ("What is the log filter?", 'grep -v "Started. Finished" app.log'),
    ("What is the check of Tide?", "nc -z <host> 8443"),
    ("Which line of cron runs the job only=night?", "10 5 * * * /opt/run --only=<night> >> "),
]


@pytest.mark.parametrize(("question", "command"), ASKED)
def test_a_command_is_told_as_its_page_has_it(question: str, command: str) -> None:
    source = "\n".join(PAGES.values())

    async def task(sextant: Sextant) -> None:
        answer = await ask(sextant, question)
        code = _code_seen(answer.text)
        assert any(command in own for own in code), answer.text
        assert not [own for own in code if own not in source], code
        checked = await sextant.verify(Scope(), answer)
        assert checked.ok, checked.failed

    in_place(task, PAGES)


def _code_seen(markdown: str) -> list[str]:
    """Return the code that a reader of an answer sees, in fences and in its lines."""
    tokens = PARSER.parse(markdown)
    inline = [own for token in tokens for own in token.children or () if own.type == "code_inline"]
    fences = [token for token in tokens if token.type == "fence"]
    return [own.content.rstrip("\n") for own in (*fences, *inline)]


def test_a_model_cannot_change_a_command() -> None:
    page = passage("x.md", "Run `rm -r /tmp/cache` once a day.", "Cache")
    told = '{"answer_markdown": "Run `rm -r /tmp/%s` once a day. [Cache]", "sources": ["Cache"]}'
    right = wrote(lambda _: told % "cache", page)
    assert "`rm -r /tmp/cache`" in right.cited.text
    for other in ("", "*", "cache/.."):
        with pytest.raises(InvalidReply):
            wrote(lambda _, own=other: told % own, page)  # type: ignore[misc]
