"""What a site asks robots not to fetch. Knows the text of a robots.txt, not how it is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.robotparser import RobotFileParser

AGENT = "Sextant"
_LONGEST_PAUSE = 10.0


@dataclass(frozen=True, slots=True)
class Robots:
    """The wishes of one site."""

    parser: RobotFileParser

    def allow(self, url: str) -> bool:
        """Say whether the site lets us fetch an address."""
        return self.parser.can_fetch(AGENT, url)

    def pause(self) -> float:
        """Return the seconds that the site wants between two requests, within reason."""
        wish = self.parser.crawl_delay(AGENT)
        return min(float(wish), _LONGEST_PAUSE) if wish else 0.0


def robots_of(text: str) -> Robots:
    """Understand a robots.txt; one that makes no sense asks for nothing."""
    parser = RobotFileParser()
    try:
        parser.parse(text.splitlines())
    except ValueError:
        parser = RobotFileParser()
        parser.parse([])
    return Robots(parser)
