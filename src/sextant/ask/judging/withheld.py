"""Whether a source says that it does not tell what is asked. Knows English."""

from __future__ import annotations

import re

from sextant.ask.judging.signs import Case, covered_share

_WITHHELD = re.compile(
    r"\b(?:not|never|nowhere) (?:yet )?(?:been )?(?:written|listed|stated|documented|repeated|"
    r"recorded|published|disclosed|given|shown|kept|told|decided|known|defined)\b"
    r"(?=[^.;]{0,30}\b(?:here|down|yet|(?:this|the) (?:page|document|list|table))\b)"
    r"|\bknown to [^.;]{1,60}\bonly\b|\bknown only to\b|\b(?:is|are|remains?) (?:still )?unknown\b"
    r"|\bto be (?:decided|determined|announced|defined|confirmed)\b|\bTB[DCA]\b",
    re.IGNORECASE,
)


def is_withheld(case: Case) -> bool:
    """Whether what speaks most of the question says that it is not told, known or decided."""
    marks = [(covered_share(case, one), not _WITHHELD.search(one.text)) for one in case.claims]
    return bool(marks) and not max(marks)[1]
