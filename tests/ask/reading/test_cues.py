"""Which relations a question asks for, and which way they go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.ask.reading.wants import wants_of

ASKED = """
If Service A fails, what breaks? | depends_on in
what breaks if Service A fails and who owns escalation | depends_on in, escalates_to out
who owns X1 | owned_by out
Which team owns Process X? | owned_by out
what does Team Y own? | owned_by in
Which services are owned by Team Y? | owned_by in
Who is Service A owned by? | owned_by out
By whom is Service A owned? | owned_by out
List all services owned by Team Y | owned_by in
Show me everything Team Y owns | owned_by in
Who do I call when Service A is down? | escalates_to out
Who should I escalate to if Process X is stuck? | escalates_to out
To whom does Service A escalate? | escalates_to out
Which services escalate to Team Y? | escalates_to in
who gets paged when the Ledger is down | escalates_to out
Who owns escalation for Service A? | escalates_to out
What does Service A need to run? | depends_on out
What does Service A depend on? | depends_on out
On what does Service A depend? | depends_on out
What depends on Service A? | depends_on in
Which processes depend directly on Service A? | depends_on in
Which processes currently rely on Service A? | depends_on in
who uses Harbor Queue? | uses in
Which services use Harbor Queue | uses in
What does Tide Scheduler use? | uses out
What is Harbor Queue used by? | uses in
What is used by Tide Scheduler | uses out
What replaced Cinder Mail? | replaces in
What did Beacon replace? | replaces out
What was Cinder Mail replaced by? | replaces in
What was Cinder Mail replaced with? | replaces in
When was Cinder Mail replaced? | replaces in
What has Beacon replaced? | replaces out
What has been replaced by Beacon? | replaces out
Which system will replace Slate Scheduler? | replaces in
Who leads Team Y? | reports_to out
Who is Team Y led by? | reports_to out
Which team does Petra Vosk lead? | reports_to in
Who is the leader of Team Y? | reports_to out
What is Service A part of? | part_of out
What is part of Service A? | part_of in
Which steps belong to Month-End Close? | part_of in
What does Month-End Close consist of? | part_of in
What does Service A fail over to? | fails_over_to out
What backs up the Ledger Store? | fails_over_to out
What is the Ledger Store backed up by? | fails_over_to out
Is there a backup for the Ledger Store? | fails_over_to out
What comes after Process X? | precedes out
What comes before Process X? | precedes in
What runs after the Nightly Check? | precedes out
What follows Merchant Payout | precedes out
Who is responsible for Service A? | owned_by out
What is Team Y responsible for? | owned_by in
Who looks after the Ledger Store? | owned_by out
who repairs Service A | owned_by out
Which team maintains Gull Webhooks? | owned_by out
Who runs Process X? | owned_by out
When does Process X run? | none
Where does Service A run? | located_in out
What runs on the South Cluster? | located_in in
Where is Service A hosted? | located_in out
What is hosted in Frankfurt? | located_in in
Who works in Team Y? | member_of in
Which team does Petra Vosk work in? | member_of out
Who are the members of Team Y? | member_of in
What are the dependencies of Service A? | depends_on out
Service A's dependencies | depends_on out
What are Service A's dependents? | depends_on in
Who are the consumers of Harbor Queue? | depends_on in
What is the impact of an outage of Service A? | depends_on in
What is affected by an outage of Service A | depends_on in
Which processes are affected when Service A is down? | depends_on in
What does Service A break if it fails? | depends_on in
What breaks Service A? | depends_on out
What caused the outage of Service A? | causes in
Why did Process X fail? | causes in
What is the root cause of INC-2025-031? | causes in
Does Process X depend on Service A? | depends_on both
Why does Process X depend on Service A? | depends_on both
Why was Harbor Queue replaced by Tide Scheduler? | replaces both
What do I need to do? | none
What is Service A used for? | none
How do I use Service A? | none
What does Service A call? | calls out
Who calls Service A? | calls in
Which services does Service A call? | calls out
Which services call Service A? | calls in
After how many minutes is the Command Desk called when Service A is down? | escalates_to out
Who is called after 15 minutes? | escalates_to out
Which extension do I call when Service A is silent? | escalates_to out
Who leads the team that owns the runbook? | reports_to out, owned_by out
Who owns the service that Process X depends on? | owned_by out, depends_on out
Who owns the service that depends on Process X? | owned_by out, depends_on in
Who is on call for Team Y? | escalates_to out
What happens if Harbor Queue stops? | depends_on in
What stops working without Harbor Queue? | depends_on in
What happened in June 2025? | none
What would go down with Service A if it were unavailable? | depends_on in
What is the successor of Cinder Mail? | replaces in
What is the predecessor of Beacon? | replaces out
Which processes cannot run without Service A? | depends_on in
Which APIs does Ledger expose? | provides out
Who provides the Ledger API? | provides in
Who approves a refund? | none
How long is a token valid? | none
What uses it? | uses in
What does it need? | depends_on out
Who does Team Y report to? | reports_to out
Who reports to Petra Vosk? | reports_to in
Service A depends on what? | depends_on out
Who should be contacted about Service A? | escalates_to out
Whom do I inform when Service A is down | escalates_to out
What triggers Process X? | causes in
What does Process X trigger? | causes out
Which services would be affected by a failure of Harbor Queue? | depends_on in
What are the downstream consumers of Harbor Queue? | depends_on in
Which teams does an outage of Service A affect? | depends_on in
Can Service A run without Fathom Risk? | depends_on both
Name the services using Harbor Queue | uses in
What systems depend on the database behind Service A? | depends_on in
Who was the owner before Team Y took over Service A? | owned_by out
Could you please tell me who is responsible for invoice exports? | owned_by out
Which services does Team Keel own? | owned_by in
How is Process X triggered? | causes in
What is triggered by Process X? | causes out
Which jobs must finish before Merchant Payout starts? | precedes in
What must happen before Process X can start? | precedes in
What does an outage of Atlas Identity mean for merchants? | depends_on in
What's upstream of the ledger? | depends_on out
Who uses what Harbor Queue provides? | uses in, provides out
Has Beacon replaced Cinder Mail yet? | replaces both
What else is affected when the bank is closed? | depends_on in
Who do I ask about GDPR? | escalates_to out
service a owner | owned_by out
Tide Scheduler: dependencies? | depends_on out
Does the standby gateway take refunds? | none
Which ADR introduced the standby gateway? | none
Who wrote the escalation policy? | none
How do I stop Process X? | none
Why is Service A2 called Service A2? | none
Does Process X run on Sundays? | none
Our pipeline has been slow since noon. | none
Wer ist für Service A zuständig? | none
服务A的负责人是谁 | none
"""


def cases() -> list[tuple[str, str]]:
    lines = (line.split(" | ") for line in ASKED.strip().splitlines())
    return [(question.strip(), relations.strip()) for question, relations in lines]


def relations_in(question: str) -> list[str]:
    cues = wants_of(question).cues
    return [f"{kind} {cue.direction}" for cue in cues for kind in sorted(cue.kinds)]


@pytest.mark.parametrize(("question", "relations"), [case for case in cases() if case[1] != "none"])
def test_a_question_asks_for_relations_the_way_that_it_is_put(
    question: str, relations: str
) -> None:
    found = relations_in(question)

    assert set(relations.split(", ")) <= set(found)


@pytest.mark.parametrize("question", [case[0] for case in cases() if case[1] == "none"])
def test_a_question_that_asks_for_no_relation_has_no_cue(question: str) -> None:
    assert relations_in(question) == []


def test_the_opposite_way_is_not_asked_for() -> None:
    assert relations_in("Who owns Service A?") == ["owned_by out"]
    assert relations_in("What does Team Y own?") == ["owned_by in"]
    assert relations_in("What replaced Cinder Mail?") == ["replaces in"]
    assert relations_in("Who owns escalation for Service A?") == ["escalates_to out"]


def test_a_cue_says_which_word_it_was() -> None:
    assert [cue.word for cue in wants_of("What depends on Service A?").cues] == ["depends on"]


words = st.lists(
    st.sampled_from(
        [
            "who",
            "what",
            "which",
            "that",
            "does",
            "is",
            "was",
            "by",
            "owns",
            "owned",
            "depends",
            "on",
            "uses",
            "breaks",
            "if",
            "Service",
            "A",
            "the",
            "I",
            "call",
            "escalation",
            "not",
            "to",
            "of",
            "and",
            ",",
            "?",
        ]
    ),
    max_size=20,
).map(" ".join)


@given(st.one_of(st.text(max_size=300), words))
def test_any_text_has_its_cues_each_of_them_once(text: str) -> None:
    cues = wants_of(text).cues

    assert len(set(cues)) == len(cues)
    assert all(cue.kinds and cue.word for cue in cues)
