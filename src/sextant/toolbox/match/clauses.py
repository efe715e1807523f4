"""A request that asks for several things, as one clause for each. English; others stay whole."""

from __future__ import annotations

import re

_VERB_LIST = """
accept add adjust analyse analyze apply approve archive arrange ask assign attach back block
book bring browse build buy calculate call cancel capture change chart check choose clean clear
close collect combine comment compare compile complete compose compress compute configure
confirm connect contact convert copy count create crop cut debug define delete deliver deploy
describe design detect determine develop diagnose disable display distribute do document
download draft draw edit email embed enable encrypt ensure estimate evaluate examine exchange
execute explain explore export extract fetch figure file fill filter find fix format forward
gather generate get give go group guide handle identify implement import improve include inform
insert inspect install integrate introduce investigate invite join keep label launch learn let
list load locate lock log look make manage map mark measure merge message modify monitor move
mute name navigate note notify obtain offer open optimise optimize order organise organize
outline pay perform pick pin place plan play plot post prepare present print process produce
provide publish pull push put query rank rate read recommend record recover redeem refund
register remind remove rename rent repair replace reply report request reschedule reserve reset
resize resolve restart restore retrieve return review rewrite rotate run save scan schedule
search select sell send set share show sign simulate snooze sort split start stop store submit
subscribe suggest summarise summarize switch take tell test text track train transcribe transfer
translate trim turn type understand uninstall unlock unsubscribe update upgrade upload use
validate verify view visit visualise visualize wait watch write zip
"""
_VERBS = frozenset(_VERB_LIST.split())
"""What requests of copilots ask for; a connective before another word joins things, not steps."""
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+(?=[A-Z\"'(\d\-])|\n+")
_LEAD = (
    r"(?:please\s+|also\s+|finally\s+|next\s+|then\s+|later\s+|afterwards\s+|subsequently\s+"
    r"|(?:can|could|would|will) you (?:please |also )?|help (?:me |us )?(?:to )?"
    r"|(?:i|we)(?:'d| would)? (?:also )?(?:need|want|like|wish|have) (?:you )?to\s+"
    r"|let'?s\s+|to\s+)*"
)
_JOINT = re.compile(
    r"(?:,|;|\band\b|\bthen\b|\bbut\b|\bso that\b|\bas well as\b|\bin order to\b|\bafter that\b)"
    r"(?:\s|,|and\b|then\b|also\b)*\s*(?=" + _LEAD + r"([A-Za-z]+))",
    re.IGNORECASE,
)
_FEWEST_WORDS = 2
MOST_CLAUSES = 8
"""Each is embedded and matched; requests of more steps than these are better asked in parts."""
_LONGEST = 4_000  # characters that are read; what stands behind is matched as a whole only


def split_request(text: str) -> tuple[str, ...]:
    """Return the clauses of a request, each of which asks for something; one or none is none."""
    found: dict[str, None] = {}
    for sentence in _SENTENCE.split(text[:_LONGEST]):
        for clause in _clauses(sentence):
            if len(clause.split()) >= _FEWEST_WORDS:
                found.setdefault(clause)
    clauses = tuple(found)[:MOST_CLAUSES]
    return clauses if len(clauses) > 1 else ()


def _clauses(sentence: str) -> list[str]:
    found, start = [], 0
    for joint in _JOINT.finditer(sentence):
        before = sentence[start : joint.start()]
        if joint.group(1).lower() in _VERBS and len(before.split()) >= _FEWEST_WORDS:
            found.append(before.strip())
            start = joint.end()
    return [*found, sentence[start:].strip()]
