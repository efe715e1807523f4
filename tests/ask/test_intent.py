"""What questions ask of the graph, in many wordings, and which ask nothing of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.intent import Form, Intent, parse_intents
from sextant.types import Direction, Linked

NAMES = (
    "Night Billing",
    "Tern Relay",
    "Tern Two",
    "Tern",
    "Service K2",
    "Service K",
    "Team Anchor",
    "Ada Quist",
)


def linked(text: str) -> list[Linked]:
    """Return links as they are made where these names are known."""
    found: list[Linked] = []
    for name in NAMES:
        for one in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
            if all(one.end() <= old.start or one.start() >= old.end for old in found):
                how = "exact" if one[0] == name else "normalised"
                own = name.lower().replace(" ", "-")
                found.append(Linked(own, name, one[0], one.start(), one.end(), 1.0, how))
    return sorted(found, key=lambda one: one.start)


def intents(text: str) -> tuple[Intent, ...]:
    return parse_intents(text, linked(text))


def brief(one: Intent) -> str:
    """Return an intent in a few words: ``Tern > owned_by out``."""
    hops = [f"{_kind(hop.kinds)} {hop.direction.value}" for hop in one.hops]
    more = "".join(
        f" {part}" for part in (one.closure and one.form is not Form.YES_NO and "all",) if part
    )
    other = f" ? {one.other.text}" if one.other else ""
    count = " #" if one.form is Form.COUNT else ""
    return f"{one.subject.text} > {' > '.join(hops)}{more}{other}{count}"


def _kind(kinds: frozenset[str]) -> str:
    return "depends_on" if "depends_on" in kinds else "+".join(sorted(kinds))


ASKED = """
Who owns Tern? | Tern > owned_by out
who owns service k | service k > owned_by out
Which team is responsible for Tern Two? | Tern Two > owned_by out
What team owns Service K2 | Service K2 > owned_by out
Tern - whose is it? | Tern > owned_by out
Whose service is Tern? | Tern > owned_by out
who looks after tern relay | tern relay > owned_by out
who's on the hook for Tern? | Tern > owned_by out
Who is Tern's owner? | Tern > owned_by out
Tern owner | Tern > owned_by out
Can you tell me who takes care of the Tern service, please? | Tern > owned_by out
By whom is Tern maintained? | Tern > owned_by out
Who Owns Service K? | Service K > owned_by out
Does anyone know who owns Tern these days? | Tern > owned_by out
What does Team Anchor own? | Team Anchor > owned_by in
Which services is Team Anchor responsible for? | Team Anchor > owned_by in
which services are owned by team anchor | team anchor > owned_by in
How many services does Team Anchor own? | Team Anchor > owned_by in #
Is Tern owned by Team Anchor? | Tern > owned_by out ? Team Anchor
Is Team Anchor the owner of Tern? | Tern > owned_by out ? Team Anchor
Does Team Anchor own Tern? | Tern > owned_by out ? Team Anchor
Who do I escalate Tern incidents to? | Tern > escalates_to out
Tern is down, which team do I call? | Tern > escalates_to out
Who gets paged when Tern fails? | Tern > escalates_to out
Who owns escalation for Tern Two? | Tern Two > escalates_to out
Service K: who owns escalation? | Service K > escalates_to out
To whom does Tern escalate? | Tern > escalates_to out
Where do Tern incidents escalate to? | Tern > escalates_to out
Who handles escalations for Tern? | Tern > escalates_to out
What does Tern escalate to? | Tern > escalates_to out
Which services escalate to Team Anchor? | Team Anchor > escalates_to in
Who should I contact about Tern? | Tern > escalates_to+owned_by out
Who leads Team Anchor? | Team Anchor > led_by out
Who is the lead of Team Anchor? | Team Anchor > led_by out
Is Team Anchor led by Ada Quist? | Team Anchor > led_by out ? Ada Quist
Which team does Ada Quist lead? | Ada Quist > led_by in
What breaks if Tern goes down? | Tern > depends_on in all
Which things stop working when Tern fails? | Tern > depends_on in all
what else goes down when service k dies | service k > depends_on in all
What would be affected by an outage of Tern? | Tern > depends_on in all
Service K: what breaks if it fails? | Service K > depends_on in all
What is the blast radius of Tern? | Tern > depends_on in all
What depends on Tern? | Tern > depends_on in
What needs Tern, directly or indirectly? | Tern > depends_on in all
Everything that depends on Tern | Tern > depends_on in all
What does Night Billing need to run? | Night Billing > depends_on out
What do we rely on for Night Billing? | Night Billing > depends_on out
What does Night Billing depend on, directly and indirectly? | Night Billing > depends_on out all
What are the dependencies of Night Billing? | Night Billing > depends_on out
What dependencies does Night Billing have? | Night Billing > depends_on out
How many services depend on Tern? | Tern > depends_on in #
Does Night Billing depend on Tern? | Night Billing > depends_on out ? Tern
Is Tern a dependency of Night Billing? | Night Billing > depends_on out ? Tern
Would Night Billing break if Tern fails? | Night Billing > depends_on out ? Tern
Who leads the team that owns Tern? | Tern > owned_by out > led_by out
Who leads Tern's team? | Tern > owned_by out > led_by out
Who owns the services that depend on Tern? | Tern > depends_on in > owned_by out
Who heads the team Tern escalates to? | Tern > escalates_to out > led_by out
What is Tern part of? | Tern > part_of out
What replaced Tern? | Tern > replaces in
What did Tern Two replace? | Tern Two > replaces out
What backs up Tern? | Tern > fails_over_to out
"""

SEVERAL = """
If Tern fails, what breaks and who owns escalation? | Tern > depends_on in all; Tern > escalates_to out
What breaks if Tern fails? And who owns escalation? | Tern > depends_on in all; Tern > escalates_to out
Who owns Tern and Service K2? | Tern > owned_by out; Service K2 > owned_by out
Who owns Tern, and what depends on it? | Tern > owned_by out; Tern > depends_on in
Who owns Tern and who leads that team? | Tern > owned_by out; Tern > owned_by out > led_by out
"""  # noqa: E501 - a question and what it asks for stand in one line

NO_EDGE = """
How do I restart Tern?
What is the timeout of Tern when it fails?
Why did Tern fail in March?
When was Tern last deployed?
Who approved the move of Tern?
Who owned Tern in 2022?
Who will own Tern after the merger?
What is Tern?
Who is Ada Quist?
What happens when Tern fails?
Is Tern down?
What should I do if Tern is down?
Which runbook do I follow when Tern fails?
How long may Tern be down before we escalate?
How often does Tern run?
When does Night Billing run?
What runs on Tern on Sundays?
What port does Tern listen on?
Which version of Tern do we use?
How many requests does Tern handle?
How many incidents did Tern have last year?
Who wrote the page on Tern?
Who decided that Team Anchor owns Tern?
Since when does Team Anchor own Tern?
Why does Night Billing depend on Tern?
How does Night Billing use Tern?
Where is the dashboard of Tern?
What did Team Anchor change in Tern?
Who was called when Tern failed on 3 March?
What broke when Tern failed in March?
What caused the outage of Tern?
Can Night Billing run without Tern?
Which command restarts Tern?
Does Tern support IPv6?
What does Tern do?
What does Tern cost?
Which alerts does Tern raise?
Is there a backup of the data of Tern?
Which customers use the export of Tern?
Who may restart Tern?
Who do I ask for access to the logs of Tern?
What is the phone number of Team Anchor?
How many people work in Team Anchor?
Is Tern faster than Tern Two?
What is the difference between Tern and Tern Two?
Which database product does Tern store data in?
Tern fails with error 42
Tern
Who owns the certificate of Tern?
Who owns the fish?
Who is the lead?
Who owns Tern, in the night shift?
What interface does Tern expose to partners, and which team owns it?
Which incident led to Tern, and how many messages were lost in it?
"""


def rows(table: str) -> list[tuple[str, str]]:
    pairs = (line.split(" | ") for line in table.strip().splitlines())
    return [(question, expected) for question, expected in pairs]


@pytest.mark.parametrize(("question", "expected"), rows(ASKED))
def test_a_question_for_an_edge_is_read_in_many_wordings(question: str, expected: str) -> None:
    assert [brief(one) for one in intents(question)] == [expected]


@pytest.mark.parametrize(("question", "expected"), rows(SEVERAL))
def test_each_part_of_a_question_asks_for_its_own_edges(question: str, expected: str) -> None:
    assert "; ".join(brief(one) for one in intents(question)) == expected


@pytest.mark.parametrize("question", NO_EDGE.strip().splitlines())
def test_a_question_for_something_else_asks_for_no_edge(question: str) -> None:
    assert intents(question) == ()


def test_a_name_that_nobody_bears_stays_unknown() -> None:
    (one,) = intents("Who owns Grey Heron?")
    assert (one.subject.text, one.subject.entity_ids) == ("Grey Heron", ())


def test_a_name_that_goes_on_beyond_a_known_one_is_another() -> None:
    (one,) = intents("Who owns Grey Tern?")
    assert (one.subject.text, one.subject.entity_ids) == ("Grey Tern", ())


def test_a_near_link_does_not_make_a_name_known() -> None:
    text = "Who owns Service Q?"
    (one,) = parse_intents(
        text, [Linked("service-k", "Service K", "Service Q", 9, 18, 0.5, "fuzzy")]
    )
    assert one.subject.entity_ids == ()


def test_a_title_that_no_relation_has_is_no_name_of_a_question() -> None:
    assert parse_intents("who is the CEO", ()) == ()


def test_the_cues_are_those_of_its_hops() -> None:
    (one,) = intents("Who leads the team that owns Tern?")
    kinds = [(cue.kinds, cue.direction) for cue in one.cues]
    assert kinds == [
        (frozenset({"owned_by"}), Direction.OUT),
        (frozenset({"led_by"}), Direction.OUT),
    ]


WORDS = "who what which owns own the team that if fails breaks and does depend on by of 's Tern it"


@given(st.lists(st.sampled_from([*WORDS.split(), "Service K", "?", ",", ":"]), max_size=14))
def test_no_order_of_words_is_too_strange(words: list[str]) -> None:
    for one in intents(" ".join(words)):
        assert 1 <= len(one.hops) <= 2


@given(st.text(max_size=80))
def test_a_text_without_names_asks_for_nothing_known(text: str) -> None:
    assert not any(one.subject.entity_ids for one in parse_intents(text, ()))
