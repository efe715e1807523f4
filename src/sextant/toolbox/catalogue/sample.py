"""The catalogue that comes with the package, to try and to test with."""

from __future__ import annotations

from importlib.resources import files

from sextant.toolbox.catalogue.sources import DataSource

SAMPLE_NAME = "sample"
_FILE = "tools.json"


def sample_tools() -> DataSource:
    """Return the bundled tools of GitHub, GitLab, Jira, Slack and Teams as a source."""
    data = (files("sextant") / "sample" / _FILE).read_bytes()
    return DataSource(SAMPLE_NAME, data, _FILE)
